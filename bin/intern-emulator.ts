#!/usr/bin/env node
import module from 'node:module';

// The reader of our output may leave at any time, which must not crash us.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** A mistake of ours: reported in full, without the line of compiled source that Node would print. */
const fallOver = (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(70);
};
process.on('uncaughtException', fallOver);

// If Node can keep compiled code (from 22.1 on), the second start is quicker: only for what is imported after this.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();
const { main } = await import('../emulator/cli/main.js');

process.exit(
  await main(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    env: process.env,
    folder: process.cwd(),
    colors: process.stderr.isTTY === true && !process.env.NO_COLOR,
    exit: (code) => process.exit(code),
  }).catch(fallOver),
);
