import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecordedExchange } from './format.js';

/** A recording that cannot be written where it was asked for. */
export class RecordingFileError extends Error {
  override readonly name = 'RecordingFileError';
}

const SCENARIO = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export interface RecordingFiles {
  /**
   * The file of a scenario, begun if it is not yet.
   *
   * @throws RecordingFileError for a name that no file can have, or a file that is there from before
   */
  open(scenario: string | null): void;
  append(exchange: RecordedExchange): void;
  /** Writes every exchange anew as `change` gives it. A file is exchanged whole, or not at all. */
  rewrite(change: (exchange: RecordedExchange) => RecordedExchange): void;
}

/**
 * The files of a recording: `out` holds the exchanges without a scenario, `NAME.jsonl` beside it those of scenario NAME.
 *
 * @param out path of the unnamed scenario's file
 * @param force whether files that are there are begun anew
 */
export function createRecordingFiles(out: string, force: boolean): RecordingFiles {
  const begun = new Map<string | null, string>();

  const pathOf = (scenario: string | null): string => {
    if (scenario === null) return out;
    if (!SCENARIO.test(scenario)) {
      throw new RecordingFileError(
        `scenario ${JSON.stringify(scenario)}: expected letters, digits, ".", "_" and "-", at most 100`,
      );
    }
    return join(dirname(out), `${scenario}.jsonl`);
  };

  return {
    open(scenario) {
      if (begun.has(scenario)) return;
      const path = pathOf(scenario);
      if (existsSync(path) && !force) {
        throw new RecordingFileError(`${path} is there already. Use --force to record over it, or another name`);
      }
      try {
        writeFileSync(path, '');
      } catch (error) {
        throw new RecordingFileError(`${path}: cannot be written: ${(error as Error).message}`, { cause: error });
      }
      begun.set(scenario, path);
    },
    append(exchange) {
      appendFileSync(begun.get(exchange.scenario) ?? pathOf(exchange.scenario), `${JSON.stringify(exchange)}\n`);
    },
    rewrite(change) {
      for (const path of new Set(begun.values())) {
        const before = readFileSync(path, 'utf8');
        const lines = before.split('\n').filter((line) => line !== '');
        const after = lines.map((line) => `${JSON.stringify(change(JSON.parse(line)))}\n`).join('');
        if (after === before) continue;
        writeFileSync(`${path}.new`, after);
        renameSync(`${path}.new`, path);
      }
    },
  };
}
