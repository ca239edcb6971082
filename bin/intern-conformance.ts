#!/usr/bin/env node
import { main } from '../conformance/cli/main.js';
import { parentGone } from '../emulator/cli/parent.js';
import { owed } from '../emulator/clock/owed.js';

// The reader of our output may leave at any time; the exit status is still that of the run.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await owed(
  main(process.argv.slice(2), {
    gone: () => parentGone(undefined, { env: process.env, err: (text) => void process.stderr.write(text) }, ''),
  }),
);
