import { createAliases, type Learned } from './aliases.js';
import { type RawExchange, toRecorded } from './exchange.js';
import { appendExchange, rewriteExchanges } from './files.js';
import type { RecordedExchange } from './format.js';
import { hidden } from './hide.js';

/** The report of an exchange that was written. */
export type Written = Pick<RecordedExchange, 'n' | 'operation' | 'scenario' | 'status' | 'ended'>;

/** Makes lines of exchanges, one after another, and writes them to their files. */
export interface Writer {
  /** Resolves when the exchange is in its file. Rejects if it cannot be written; others are written all the same. */
  write(raw: RawExchange, path: string): Promise<Written>;
  /** Resolves when all exchanges that came are written. */
  close(): Promise<void>;
}

export interface WriterOptions {
  /** Credentials that have a name, value to alias. */
  readonly named: ReadonlyMap<string, string>;
  /** Bytes that a body may decode to. */
  readonly limit: number;
}

/** The result of a writer that ended. */
export interface Before {
  /** The values that have an alias, in order. */
  readonly learned: readonly Learned[];
  /** The files that it wrote to. */
  readonly paths: readonly string[];
}

/** A writer that reports what it learns. */
export interface LearningWriter extends Writer {
  /** The values that got an alias since the last call. */
  learnedSince(): readonly Learned[];
}

/**
 * A writer in this process. Credentials that one exchange reveals are removed from all earlier ones before it is
 * written.
 *
 * @param before a writer that ended, whose files it continues
 */
export function createWriter({ named, limit }: WriterOptions, before?: Before): LearningWriter {
  const aliases = createAliases(named);
  for (const [kind, value] of before?.learned ?? []) aliases.of(kind, value);
  let reported = aliases.learned.length;
  const paths = new Set(before?.paths);
  /** How many secrets the files were searched for. Nobody knows what a writer that ended was about to do. */
  let searchedFor = before ? -1 : aliases.secretsKnown;
  let last: Promise<unknown> = Promise.resolve();

  return {
    async write(raw, path) {
      const written = last.then(async () => {
        const exchange = await toRecorded(aliases, raw, limit).finally(() => {
          if (aliases.secretsKnown === searchedFor) return;
          for (const one of paths) rewriteExchanges(one, (earlier) => hidden(earlier, aliases, false));
          searchedFor = aliases.secretsKnown;
        });
        appendExchange(path, exchange);
        paths.add(path);
        const { n, operation, scenario, status, ended } = exchange;
        return { n, operation, scenario, status, ended };
      });
      last = written.catch(() => {});
      return written;
    },
    learnedSince() {
      const since = aliases.learned.slice(reported);
      reported = aliases.learned.length;
      return since;
    },
    async close() {
      await last;
    },
  };
}
