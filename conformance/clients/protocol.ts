import type * as Z from 'zod';
import type { Abort, ClientCase, LongText } from '../../emulator/contract/client-case.js';
import { given } from '../../emulator/contract/given.js';
import { problem, words } from '../../emulator/contract/problem.js';
import { clipped } from '../../emulator/contract/visible.js';
import { loadZod } from '../../emulator/contract/with-zod.js';
import type { StartedRun } from '../../emulator/lab/lab.js';
import { jsonOf } from '../probe/json.js';

const z = loadZod();

/** The result of a client in a run: the line of an adapter, read liberally (LAB-9). Further keys are ignored. */
const long = z.union([z.string(), z.object({ sha256: z.string(), length: z.number() })]);

const event = z.object({
  event: z.string().nullish(),
  data: long.nullish(),
  id: z.string().nullish(),
});

const chat = z.object({
  content: long.nullish(),
  reasoning: long.nullish(),
  tool_calls: z
    .array(z.object({ id: z.string().nullish(), name: z.string().nullish(), arguments: long.nullish() }))
    .nullish(),
  finish_reason: z.string().nullish(),
  usage: z.record(z.string(), z.unknown()).nullish(),
  session_id: z.string().nullish(),
});

export const answerSchema = z.object({
  outcome: z.enum(['complete', 'error', 'aborted']),
  events: z.array(event).nullish(),
  chat: chat.nullish(),
  status: z.number().nullish(),
  error: z
    .object({
      message: z.string().nullish(),
      status: z.number().nullish(),
      code: z.union([z.string(), z.number()]).nullish(),
    })
    .nullish(),
});

/** The result of a client in a case. */
export type ClientAnswer = Z.infer<typeof answerSchema>;
export type AnsweredEvent = Z.infer<typeof event>;
export type AnsweredChat = Z.infer<typeof chat>;
export type AnsweredLong = LongText | null | undefined;

/** How the kit and an adapter talk: lines of JSON (LAB-9). */

/** ms that a client has for an answer if the case does not say. */
export const TIMEOUT = 5_000;

const BODY = { model: 'lab/model', stream: true, messages: [{ role: 'user', content: 'hello' }] };

/** The kit's request to an adapter: one call. */
export interface RunLine {
  readonly run: string;
  readonly case: string;
  readonly layer: 'sse' | 'chat' | 'signing';
  readonly url: string;
  readonly base_url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly timeout: number;
  readonly retries: 0 | 'default';
  readonly stop_after?: number;
  /** The longest silence that the client shall bear, in ms. */
  readonly idle_limit?: number | undefined;
  readonly abort?: Abort | undefined;
  /** The authority that an `https:` URL rests on, PEM. */
  readonly ca?: string;
  readonly sign_url?: string;
  readonly daemon_origin?: string;
  readonly daemon_token?: string;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body_base64: string;
  };
}

export const runLine = (theCase: ClientCase, run: StartedRun): RunLine => ({
  run: run.run,
  case: theCase.id,
  layer: theCase.layer,
  url: run.url,
  base_url: run.base_url,
  headers: { authorization: `Bearer ${run.key}` },
  body: theCase.body ?? BODY,
  timeout: theCase.timeout ?? TIMEOUT,
  retries: theCase.retries ?? 0,
  ...theCase.run,
  ...given({
    stop_after: theCase.stop_after,
    ca: run.ca,
    sign_url: run.sign_url,
    daemon_origin: run.daemon_origin,
    daemon_token: run.daemon_token,
    request: theCase.request,
  }),
});

const helloSchema = z.object({
  adapter: z.string(),
  version: z.union([z.string(), z.number()]).nullish(),
  layers: z.array(z.string()),
  abilities: z.array(z.string()).nullish(),
});
/** The first line of an adapter. */
export type Hello = Z.infer<typeof helloSchema>;

const runSchema = z.object({ run: z.string() });

/** A line of an adapter, or what is wrong with it, in a sentence. */
export type AdapterLine =
  | { readonly kind: 'answer'; readonly run: string; readonly answer: ClientAnswer }
  | { readonly kind: 'event'; readonly run: string }
  | { readonly kind: 'wrong'; readonly run?: string; readonly message: string };

const brief = (text: string): string => JSON.stringify(clipped(text, 120));

/** Reads the first line of an adapter. Throws a line that says what is wrong with it. */
export function readHello(line: string): Hello {
  const value = jsonOf(line);
  if (value === undefined) throw new Error(`its first line is not JSON: ${brief(line)}`);
  const parsed = helloSchema.safeParse(value, { error: words });
  if (!parsed.success)
    throw new Error(`its first line is not {"adapter", "version", "layers"}: ${problem(parsed.error, 'the line')}`);
  return parsed.data;
}

/** Reads any later line: liberally, further keys are ignored. */
export function readAdapterLine(line: string): AdapterLine {
  const value = jsonOf(line);
  if (value === undefined)
    return { kind: 'wrong', message: `the adapter printed a line that is not JSON: ${brief(line)}` };
  const named = runSchema.safeParse(value);
  if (!named.success) return { kind: 'wrong', message: `the adapter printed a line without "run": ${brief(line)}` };
  const { run } = named.data;
  const object = value as Record<string, unknown>;
  if (!('outcome' in object) && 'event' in object) return { kind: 'event', run };
  const parsed = answerSchema.safeParse(value, { error: words });
  if (!parsed.success)
    return {
      kind: 'wrong',
      run,
      message: `the answer of the adapter is invalid: ${problem(parsed.error, 'the line')}`,
    };
  return { kind: 'answer', run, answer: parsed.data };
}
