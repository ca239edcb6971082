#!/usr/bin/env node
import { main } from '../emulator/cli/main.js';

// Whoever reads our output may leave at any time; that is no reason to fall over.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const status = await main(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  env: process.env,
  folder: process.cwd(),
  colors: process.stderr.isTTY === true && !process.env.NO_COLOR,
  exit: (code) => process.exit(code),
});
process.exit(status);
