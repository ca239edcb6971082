import type { Io } from './command.js';
import { main } from './main.js';

/** Calls the command line in this process, off a terminal. */
export async function called(args: readonly string[], more: Partial<Io> = {}) {
  const said = { stdout: '', stderr: '' };
  const keep = (name: keyof typeof said) => (text: string) => {
    said[name] += text;
  };
  const io = { env: {}, folder: '.', colors: false, exit: () => {}, ...more };
  const status = await main([...args], { out: keep('stdout'), err: keep('stderr'), ...io });
  return { status, ...said };
}
