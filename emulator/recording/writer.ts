import { createAliases } from './aliases.js';
import { type RawExchange, toRecorded } from './exchange.js';
import { appendExchange, rewriteExchanges } from './files.js';
import type { RecordedExchange } from './format.js';
import { withLaterSecrets } from './later.js';

/** What is told of an exchange that was written. */
export type Written = Pick<RecordedExchange, 'n' | 'operation' | 'scenario' | 'status' | 'ended'>;

/** Makes lines of exchanges, one after another, and writes them to their files. */
export interface Writer {
  /** Resolves when the exchange is in its file. Rejects where it cannot be written; others are written all the same. */
  write(raw: RawExchange, path: string): Promise<Written>;
  /** Resolves when all are written that came. */
  close(): Promise<void>;
}

export interface WriterOptions {
  /** Credentials that have a name, value to alias. */
  readonly named: ReadonlyMap<string, string>;
  /** Bytes that a body may decode to. */
  readonly limit: number;
}

/** A writer in this thread. What one exchange reveals of credentials is taken out of all earlier ones before it is written. */
export function createWriter({ named, limit }: WriterOptions): Writer {
  const aliases = createAliases(named);
  const paths = new Set<string>();
  /** How many secrets the files were searched for. */
  let searchedFor = aliases.secretsKnown;
  let last: Promise<unknown> = Promise.resolve();

  return {
    async write(raw, path) {
      const written = last.then(async () => {
        const exchange = await toRecorded(aliases, raw, limit).finally(() => {
          if (aliases.secretsKnown === searchedFor) return;
          for (const one of paths) rewriteExchanges(one, (earlier) => withLaterSecrets(aliases, earlier));
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
    async close() {
      await last;
    },
  };
}
