import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf } from '../../../emulator/cli/exec.js';
import { createEmulator } from '../../../emulator/index.js';
import { systemHost } from '../../probe/time.js';
import { openCommand } from './command.js';

/** Runs commands, and scripts of Node's, once in a folder, as `explore` does. */
export function runningIn(folder: string) {
  const runCommand = async (command: readonly [string, ...string[]], stop = new AbortController()) => {
    const { signal } = stop;
    const emulator = createEmulator({ clock: 'auto' });
    const made = await openCommand(command, { env: process.env, folder, environmentOf });
    const printed: string[] = [];
    const { fetch, target } = emulator;
    try {
      await made.program({
        emulator,
        target,
        fetch: fetch as typeof globalThis.fetch,
        signal,
        print: (text) => printed.push(text),
      });
      return { printed: printed.join(''), warnings: [...made.warnings] };
    } finally {
      made.close();
      await emulator.close();
    }
  };
  const run = async (source: string, stop?: AbortController) => {
    const file = join(folder, `${systemHost.tag(8)}.mjs`);
    writeFileSync(file, source);
    return runCommand([process.execPath, file], stop);
  };
  return { run, runCommand };
}
