#!/usr/bin/env node
import { main } from '../emulator/cli/main.js';

// Whoever reads our output may leave at any time; that is no reason to fall over.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** A mistake of ours: told in full, without the line of compiled source that Node would print. */
const fallOver = (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(70);
};
process.on('uncaughtException', fallOver);

process.exit(
  await main(process.argv.slice(2), {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    env: process.env,
    folder: process.cwd(),
    colors: process.stderr.isTTY === true && !process.env.NO_COLOR,
    exit: (code) => process.exit(code),
  }).catch(fallOver),
);
