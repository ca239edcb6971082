import { appendFileSync, closeSync, openSync, readdirSync, readSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { wrongFileName } from '../contract/file-name.js';
import { replaceFile } from '../contract/replace-file.js';
import { inWords } from '../contract/system-error.js';
import type { RecordedExchange } from './format.js';

/** A recording that cannot be written where requested. */
export class RecordingFileError extends Error {
  override readonly name = 'RecordingFileError';
}

export interface ScenarioFile {
  /** The name as it was first spelled. Names are compared without letter case, as many file systems do. */
  readonly scenario: string | null;
  readonly path: string;
}

/** The file of a folder that has this name in any letter case; undefined if there is none. */
function present(path: string): string | undefined {
  const name = basename(path).toLowerCase();
  try {
    const found = readdirSync(dirname(path)).find((entry) => entry.toLowerCase() === name);
    return found === undefined ? undefined : join(dirname(path), found);
  } catch {
    return undefined;
  }
}

/**
 * The files of a recording: `out` holds the exchanges without a scenario, `NAME.jsonl` beside it those of scenario
 * NAME.
 *
 * @param out path of the unnamed scenario's file
 * @param force whether to overwrite existing files
 * @returns the file of a scenario, created on first use. It throws RecordingFileError for a name that no file can have,
 * or
 *   for an existing file
 */
export function createScenarioFiles(out: string, force: boolean): (scenario: string | null) => ScenarioFile {
  /** By their paths in lower case. */
  const begun = new Map<string, ScenarioFile>();

  const pathOf = (scenario: string | null): string => {
    if (scenario === null) return out;
    const wrong = wrongFileName(scenario);
    if (wrong !== undefined)
      throw new RecordingFileError(`scenario ${JSON.stringify(scenario.slice(0, 120))}: ${wrong}`);
    return join(dirname(out), `${scenario}.jsonl`);
  };

  return (scenario) => {
    const path = pathOf(scenario);
    const known = begun.get(path.toLowerCase());
    if (known) {
      if ((known.scenario === null) === (scenario === null)) return known;
      throw new RecordingFileError(
        `scenario ${scenario}: ${path} holds the exchanges that name no scenario. Choose another`,
      );
    }
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new RecordingFileError(`${path} is a folder. Name a file in it`);
    const there = present(path);
    if (there !== undefined && !force)
      throw new RecordingFileError(`${there} exists already. Use --force to overwrite it, or choose another name`);
    const file = { scenario, path: there ?? path };
    try {
      if (there === undefined) writeFileSync(file.path, '', { flag: 'wx' });
      else replaceFile(file.path, 0o666, () => {});
    } catch (error) {
      throw new RecordingFileError(`${path}: cannot be written: ${inWords(error)}`, { cause: error });
    }
    begun.set(path.toLowerCase(), file);
    return file;
  };
}

export const appendExchange = (path: string, exchange: RecordedExchange): void =>
  appendFileSync(path, `${JSON.stringify(exchange)}\n`);

const LINE_FEED = 0x0a;

/** The lines of a file, one at a time: a recording may be longer than any text can be. */
function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(1_048_576);
    let begun: Buffer[] = [];
    for (let size = readSync(file, piece); size > 0; size = readSync(file, piece)) {
      let from = 0;
      for (let end = piece.indexOf(LINE_FEED); end >= 0 && end < size; end = piece.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...begun, piece.subarray(from, end)]).toString();
        begun = [];
        from = end + 1;
      }
      begun.push(Buffer.from(piece.subarray(from, size)));
    }
  } finally {
    closeSync(file);
  }
}

/** Rewrites every exchange of a file with `change`. The file is replaced whole, or not at all. */
export function rewriteExchanges(path: string, change: (exchange: RecordedExchange) => RecordedExchange): void {
  replaceFile(path, 0o666, (file) => {
    let differs = false;
    for (const before of linesOf(path)) {
      const after = JSON.stringify(change(JSON.parse(before)));
      differs ||= after !== before;
      writeFileSync(file, `${after}\n`);
    }
    return differs;
  });
}
