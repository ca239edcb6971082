import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { createAliases } from './aliases.js';
import { type RawExchange, toRecorded, withLaterSecrets } from './exchange.js';
import { createRecordingFiles } from './files.js';
import { type RecordingProxy, startProxy } from './proxy.js';

export interface RecordOptions {
  /** The deployment's base URL, which ends in `/api/v1`. */
  readonly url: URL;
  /** The file of the exchanges that name no scenario; those of scenario NAME go to `NAME.jsonl` beside it. */
  readonly out: string;
  /** The scenario of requests that name none. */
  readonly name?: string | undefined;
  /** Whether recordings that are there are begun anew. */
  readonly force?: boolean;
  readonly host?: string;
  readonly port?: number;
  /** Variables whose values are credentials with a name: `INTERN_API_KEY` becomes `$api_key`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ms, from a source that only goes forward. */
  readonly now: () => number;
  readonly log: (record: Record<string, unknown>) => void;
}

/** The credentials that variables name, value to alias. */
export function namedCredentials(env: RecordOptions['env']): Map<string, string> {
  const named = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const [, word] = /^INTERN_(\w*(?:KEY|TOKEN))$/.exec(name) ?? [];
    return word === undefined || !value ? [] : [[value, `$${word.toLowerCase()}`]];
  });
  return new Map(named);
}

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** An exchange with its answer decoded: a deployment that compresses unasked is recorded as what it said. */
function decoded(raw: RawExchange): RawExchange {
  const decode = DECODERS[raw.headers['content-encoding']?.toLowerCase() ?? ''];
  if (!decode || raw.writes.length === 0) return raw;
  try {
    const bytes = decode(Buffer.concat(raw.writes.map((write) => write.bytes)));
    return { ...raw, writes: [{ at: raw.writes[0]?.at ?? 0, bytes }] };
  } catch {
    return raw;
  }
}

/**
 * Records a deployment: a proxy of it, behind which each exchange becomes a line of JSON (REC-1). Credentials never reach
 * a file; ids, sessions, questions, tokens, proofs and times stand as aliases.
 *
 * @throws RecordingFileError for a file that cannot be written, Error with Node's `code` for a port that can't be had
 */
export async function record(options: RecordOptions): Promise<RecordingProxy> {
  const files = createRecordingFiles(options.out, options.force ?? false);
  const aliases = createAliases(namedCredentials(options.env));
  const unnamed = options.name ?? null;
  files.open(unnamed);
  return startProxy({
    target: options.url,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    now: options.now,
    observer: {
      begin: (scenario) => files.open(scenario ?? unnamed),
      end(raw) {
        const known = aliases.secretsKnown;
        const exchange = toRecorded(aliases, { ...decoded(raw), scenario: raw.scenario ?? unnamed });
        if (aliases.secretsKnown > known) files.rewrite((earlier) => withLaterSecrets(aliases, earlier));
        files.append(exchange);
        const { n, operation, scenario, status, ended } = exchange;
        options.log({ event: 'recorded', n, scenario, operation, status, ended });
      },
      failed: (method, path, problem) => options.log({ level: 'error', event: 'unreachable', method, path, problem }),
    },
  });
}
