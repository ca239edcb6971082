import { isLoopback } from '../http/hosts.js';
import { createAdmission } from './admission.js';
import { DEFAULT_LIMIT, limitsBy } from './capture.js';
import { createScenarioFiles } from './files.js';
import { SCENARIO_HEADER } from './format.js';
import { type RecordingProxy, startProxy } from './proxy.js';
import { createWriterProcess } from './writer-process.js';

export interface RecordOptions {
  /** The deployment's base URL, which ends in `/api/v1`. */
  readonly url: URL;
  /** The file of the exchanges that name no scenario; those of scenario NAME go to `NAME.jsonl` beside it. */
  readonly out: string;
  /** The scenario of requests that name none. */
  readonly name?: string | undefined;
  /** Whether to overwrite existing recordings. */
  readonly force?: boolean;
  readonly host?: string;
  readonly port?: number;
  /** Names that a listener on loopback serves beside the loopback names; `*` is any. */
  readonly allowHosts?: readonly string[];
  /** Origins whose pages may use the recorder, beside loopback origins; `*` is any, `none` is none. */
  readonly cors?: readonly string[];
  /** Most bytes of one exchange that are recorded. Default: 64 MiB. */
  readonly limit?: number | undefined;
  /** Variables whose values are credentials with a name: `INTERN_API_KEY` becomes `$api_key`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ms, from a source that only goes forward. */
  readonly now: () => number;
  readonly log: (record: Record<string, unknown>) => void;
}

/** The credentials that variables name, value to alias. No alias has digits, and no two credentials share one. */
export function namedCredentials(env: RecordOptions['env']): Map<string, string> {
  const named = new Map<string, string>();
  const taken = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    const [, word] = /^INTERN_(\w*(?:KEY|TOKEN))$/.exec(name) ?? [];
    if (word === undefined || !value || named.has(value)) continue;
    let alias = word.toLowerCase().replaceAll(/\d/g, '');
    while (taken.has(alias)) alias = `other_${alias}`;
    taken.add(alias);
    named.set(value, `$${alias}`);
  }
  return named;
}

/**
 * Records a deployment: a proxy of it that writes each exchange as a line of JSON (REC-1). Credentials never reach a
 * file. Aliases replace ids, sessions, questions, tokens, proofs and times.
 *
 * @throws RecordingFileError for a file that cannot be written, AdmissionInvalid for an invalid host or origin, Error
 *   with Node's `code` for a port that is not available
 */
export async function record(options: RecordOptions): Promise<RecordingProxy> {
  const { host = '127.0.0.1', limit = DEFAULT_LIMIT } = options;
  const admit = createAdmission({
    loopback: isLoopback(host),
    allowHosts: options.allowHosts ?? [],
    cors: options.cors ?? [],
  });
  const fileOf = createScenarioFiles(options.out, options.force ?? false);
  const unnamed = fileOf(options.name ?? null);
  const writer = createWriterProcess({ named: namedCredentials(options.env), limit });
  const proxy = await startProxy({
    target: options.url,
    host,
    port: options.port ?? 0,
    now: options.now,
    limits: limitsBy(limit),
    admit,
    observer: {
      headers: [SCENARIO_HEADER],
      begin({ headers }) {
        const scenario = headers[SCENARIO_HEADER]?.toString();
        return scenario === undefined ? unnamed : fileOf(scenario);
      },
      async end(raw, { path, scenario }) {
        options.log({ event: 'recorded', ...(await writer.write({ ...raw, scenario }, path)) });
      },
      failed: (event, method, path, problem) => options.log({ level: 'error', event, method, path, problem }),
    },
  }).catch(async (error) => {
    await writer.close();
    throw error;
  });
  return {
    ...proxy,
    async close() {
      await proxy.close();
      await writer.close();
    },
  };
}
