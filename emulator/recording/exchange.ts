import { given } from '../contract/given.js';
import { operationOf } from '../contract/operation.js';
import { BASE } from '../http/route.js';
import type { Aliases } from './aliases.js';
import type { CapturedWrite } from './capture.js';
import {
  ANSWER_HEADERS,
  type LeftOut,
  RECORDING_FORMAT,
  REQUEST_HEADERS,
  type RecordedExchange,
  type RecordedWrite,
} from './format.js';
import { hidden, learn, learnFromHeaders } from './hide.js';
import { type Readable, readBody } from './readable.js';

/** A request as it was sent. Header names in lower case. */
export interface RawRequest {
  readonly n: number;
  readonly at: number;
  readonly method: string;
  /** From the version segment on, with its query. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: Uint8Array;
}

/** An exchange as it was passed on. */
export interface PassedExchange extends RawRequest {
  /** Null if the connection broke off before an answer began. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Each write of the answer with its time, ms since the request came. */
  readonly writes: readonly CapturedWrite[];
  readonly ended: RecordedExchange['ended'];
  /** Why the deployment's answer was not passed on, if it was not. */
  readonly notPassedOn?: string;
  /** The parts that did not arrive, or were not kept. */
  readonly leftOut?: { readonly request?: LeftOut; readonly answer?: LeftOut };
}

/** An exchange as it is recorded. */
export interface RawExchange extends PassedExchange {
  readonly scenario: string | null;
}

const isStream = (headers: RawExchange['headers']) => /^text\/event-stream\b/i.test(headers['content-type'] ?? '');

/** Texts of writes whose characters may be cut: a character belongs to the write in which it ends. */
function textsOf(writes: readonly CapturedWrite[]): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return writes.map(({ bytes }) => decoder.decode(bytes, { stream: true }));
}

function bodyOf({ bytes, text }: Readable): Pick<RecordedExchange, 'body' | 'body_base64'> {
  if (bytes.length === 0) return {};
  return text === undefined ? { body_base64: bytes.toString('base64') } : { body: text };
}

const writesOf = ({ writes, text }: Readable): RecordedWrite[] => {
  if (text === undefined) return writes.map(({ at, bytes }) => ({ at, base64: Buffer.from(bytes).toString('base64') }));
  const texts = textsOf(writes);
  return writes.map(({ at }, index) => ({ at, text: texts[index] ?? '' }));
};

const picked = (headers: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

/**
 * The line of a recording for an exchange: aliases for all that differs between runs, no credential (REC-1).
 *
 * @param limit bytes that a body may decode to
 */
export async function toRecorded(aliases: Aliases, raw: RawExchange, limit: number): Promise<RecordedExchange> {
  const { n, scenario, at, method, path, requestHeaders, status, headers, leftOut } = raw;
  const sent = [{ at: 0, bytes: raw.requestBody }];
  const request = await readBody(requestHeaders['content-encoding'], sent, leftOut?.request, limit);
  const answer = await readBody(headers['content-encoding'], raw.writes, leftOut?.answer, limit);
  const operation = operationOf(method, (path.split('?')[0] ?? '').slice(BASE.length)) ?? null;
  const stream = isStream(headers);

  // A client that cancels the body once it has read the end of the stream has not left early.
  const done = answer.text !== undefined && /data: \[DONE\]\s*$/.test(answer.text.slice(-1_000));
  const ended = raw.ended === 'client' && done ? 'complete' : raw.ended;
  const exchange: RecordedExchange = {
    format: RECORDING_FORMAT,
    n,
    scenario,
    at,
    operation,
    request: { method, path, headers: picked(requestHeaders, REQUEST_HEADERS), ...bodyOf(request) },
    status,
    headers: picked(headers, ANSWER_HEADERS),
    ...(stream && (answer.leftOut === undefined || answer.writes.length > 0)
      ? { writes: writesOf(answer) }
      : bodyOf(answer)),
    ended,
    ...((request.leftOut || answer.leftOut) && {
      left_out: given({ request: request.leftOut, answer: answer.leftOut }),
    }),
    ...(raw.notPassedOn !== undefined && { not_passed_on: raw.notPassedOn }),
  };
  // Everything must be learned from an exchange before anything of it is written.
  learnFromHeaders(aliases, requestHeaders);
  learnFromHeaders(aliases, headers);
  learn(aliases, exchange);
  return hidden(exchange, aliases, true);
}
