import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Behaviour } from './behaviour.js';
import { compileScript } from './compile.js';
import { ScriptInvalid } from './problems.js';

/** Calls `changed` whenever a file or an entry of a directory may have changed; the result stops it. */
export type Watch = (path: string, changed: () => void) => () => void;

/** Watches through the operating system. Whoever replaces a file by renaming is noticed too. */
export const watchFiles: Watch = (path, changed) => {
  const directory = statSync(path).isDirectory();
  // A watched file that is replaced would never be heard of again: its directory is watched instead.
  const watcher = watch(directory ? path : dirname(path), { persistent: false }, (_event, name) => {
    if (directory || name === null || name === basename(path)) changed();
  });
  watcher.on('error', () => watcher.close());
  return () => watcher.close();
};

/** The script files that a path means: itself, or the `.json` files directly in it, by name. */
export function scriptFilesOf(path: string): string[] {
  let directory: boolean;
  try {
    directory = statSync(path).isDirectory();
  } catch (error) {
    throw new ScriptInvalid(path, [error instanceof Error ? error.message : String(error)]);
  }
  if (!directory) return [path];
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name));
}

/**
 * Reads and compiles one script file.
 *
 * @throws ScriptInvalid
 */
export function readScriptFile(file: string): Behaviour {
  let source: unknown;
  try {
    source = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ScriptInvalid(file, [error instanceof SyntaxError ? `not JSON: ${message}` : message]);
  }
  return compileScript(source, { file });
}

/** What `intern-emulator scripts validate` tells of one file: nothing, or what is wrong with it. */
export function validateScriptFile(file: string): { name?: string; problems: readonly string[] } {
  try {
    return { name: readScriptFile(file).name, problems: [] };
  } catch (error) {
    if (error instanceof ScriptInvalid) return { problems: error.problems };
    throw error;
  }
}
