import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { hostNow } from '../clock/host.js';
import { JsonSyntaxError, parseJson } from '../contract/json.js';
import { inWords } from '../contract/system-error.js';
import type { Behaviour } from './behaviour.js';
import { compileScript } from './compile.js';
import { ScriptInvalid } from './problems.js';

/** The kind of a path that is neither file nor directory; reading one could wait forever. */
const kindOf = (stats: Stats): string => {
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
};

/**
 * The script files that a path means: itself, or the `.json` files directly in it, by name. `skipped` is called with
 * those that are not regular files: FIFOs, devices, directories, and links to such or to nothing.
 *
 * @throws ScriptInvalid if the path itself does not exist, or is neither a file nor a directory
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

const textOf = (file: string): string => orInvalid(file, () => readFileSync(file, 'utf8'));

function compileText(file: string, text: string): Behaviour {
  let source: unknown;
  try {
    source = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ScriptInvalid(file, [error instanceof JsonSyntaxError ? `not JSON: ${error.message}` : inWords(error)]);
  }
  return compileScript(source, { file });
}

/**
 * How coarse the times of a file system may be, in ms: FAT counts in two seconds. A file written that recently may be
 * written once more without a later time.
 */
const COARSEST = 2_000;

interface Read {
  /** The metadata of the file before it was read. */
  readonly version: string;
  readonly text: string;
  readonly behaviour: Behaviour;
}

/**
 * Reads and compiles script files, each again only if it has changed since the last time. The result throws
 * ScriptInvalid, and remembers nothing of that file.
 */
export function createScriptReader(
  now = hostNow,
  readText = textOf,
): (files: readonly string[]) => ReadonlyMap<string, Behaviour> {
  const known = new Map<string, Read>();
  const read = (file: string): Behaviour => {
    const { ino, size, mtimeNs, ctimeNs } = orInvalid(file, () => statSync(file, { bigint: true }));
    const version = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    const before = known.get(file);
    const settled = now() - Number(ctimeNs / 1_000_000n) > COARSEST;
    if (before?.version === version && settled) return before.behaviour;
    known.delete(file);
    const text = readText(file);
    const behaviour = before?.text === text ? before.behaviour : compileText(file, text);
    known.set(file, { version, text, behaviour });
    return behaviour;
  };
  return (files) => {
    const found = new Map(files.map((file) => [file, read(file)]));
    for (const file of known.keys()) if (!found.has(file)) known.delete(file);
    return found;
  };
}

/** The report of `intern-emulator scripts validate` on one file: nothing, or its mistake. */
export function validateScriptFile(file: string): { name?: string; problems: readonly string[] } {
  try {
    return { name: compileText(file, textOf(file)).name, problems: [] };
  } catch (error) {
    if (error instanceof ScriptInvalid) return { problems: error.problems };
    throw error;
  }
}
