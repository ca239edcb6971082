import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { JsonSyntaxError, parseJson } from '../contract/json.js';
import { inWords } from '../contract/system-error.js';
import type { Behaviour } from './behaviour.js';
import { compileScript } from './compile.js';
import { ScriptInvalid } from './problems.js';

/** What a path leads to that is neither file nor directory; reading one could wait for ever. */
const kindOf = (stats: Stats): string => {
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
};

/**
 * The script files that a path means: itself, or the `.json` files directly in it, by name. `skipped` is called with those
 * that are no regular files: FIFOs, devices, directories, and links to such or to nothing.
 *
 * @throws ScriptInvalid where the path itself is not there, or neither a file nor a directory
 */
export function scriptFilesOf(path: string, skipped: (file: string, problem: string) => void): string[] {
  const stats = orInvalid(path, () => statSync(path));
  if (stats.isFile()) return [path];
  if (!stats.isDirectory()) throw new ScriptInvalid(path, [`it is ${kindOf(stats)}, not a file or a directory`]);
  return orInvalid(path, () => readdirSync(path))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name))
    .filter((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.isFile()) return true;
      const what = !found ? 'a link to nothing' : found.isDirectory() ? 'a directory' : kindOf(found);
      skipped(file, `it is ${what}, not a file`);
      return false;
    });
}

function orInvalid<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ScriptInvalid(path, [inWords(error)]);
  }
}

/**
 * Reads and compiles one script file.
 *
 * @throws ScriptInvalid
 */
export function readScriptFile(file: string): Behaviour {
  let source: unknown;
  try {
    source = parseJson(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ScriptInvalid(file, [error instanceof JsonSyntaxError ? `not JSON: ${error.message}` : inWords(error)]);
  }
  return compileScript(source, { file });
}

/** What `intern-emulator scripts validate` reports of one file: nothing, or what is wrong with it. */
export function validateScriptFile(file: string): { name?: string; problems: readonly string[] } {
  try {
    return { name: readScriptFile(file).name, problems: [] };
  } catch (error) {
    if (error instanceof ScriptInvalid) return { problems: error.problems };
    throw error;
  }
}
