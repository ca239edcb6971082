import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { Bindings } from '../../emulator/recording/template.js';
import type { RecordFields } from '../model/intern.js';
import { recordOf } from '../probe/json.js';
import { type Compared, compared, compareHeaders, compareJson } from './compare.js';
import { deltaOf, errorOf, eventsOf, isUnknownEnd, ofTheIntern, ofTheService } from './events.js';
import { isShorter } from './recorded-before.js';
import { parsedBody, streamText } from './script.js';

/** The questions in the tool calls of a chunk, where they are JSON. */
const callsOf = (chunk: RecordFields | undefined): unknown[] =>
  chunk === undefined ? [] : deltaOf(chunk).calls.map((call) => parsedBody(call.arguments));

export interface LiveStream {
  readonly text: string;
  readonly ended: RecordedExchange['ended'];
}

/**
 * Compares a stream with the recorded one: kinds and order of its events, the shape of the first of each kind, how it
 * ended. On a deployment (`free`), where the intern does something else, answers what it did instead: no finding.
 */
export function compareStream(
  into: Compared,
  bindings: Bindings,
  exchange: RecordedExchange,
  live: LiveStream,
  free: boolean,
): string | undefined {
  const before = eventsOf(streamText(exchange));
  const now = eventsOf(live.text);
  const kinds = (events: typeof now) => events.map(({ kind }) => kind).join(' → ');
  // After the client left, nobody knows what would have come. An event that must never come still counts.
  const cut = exchange.ended === 'client' && !now.some(({ kind }) => isUnknownEnd(kind));
  const left = cut && kinds(now).startsWith(kinds(before));
  if (!left && kinds(before) !== kinds(now)) {
    const service = (events: typeof now) =>
      events.flatMap(({ kind }) => (ofTheIntern(kind) ? [] : [ofTheService(kind)])).join(' → ');
    if (free && (cut || service(before) === service(now))) return `the intern did not do as recorded (${kinds(now)})`;
    into.findings.push({ what: 'events of the stream', expected: kinds(before), actual: kinds(now) });
    return undefined;
  }
  if (!left && exchange.ended !== live.ended) {
    into.findings.push({ what: 'end of the stream', expected: exchange.ended, actual: live.ended });
  }
  const seen = new Set<string>();
  for (const [index, { kind, chunk }] of before.entries()) {
    if (!chunk || seen.has(kind)) continue;
    seen.add(kind);
    compareJson(into, bindings, { where: kind, key: '' }, chunk, now[index]?.chunk);
    for (const [at, call] of callsOf(chunk).entries()) {
      const place = { where: `${kind}, its arguments`, key: '' };
      compareJson(into, bindings, place, call, callsOf(now[index]?.chunk)[at]);
    }
  }
  return undefined;
}

interface LiveAnswer extends LiveStream {
  readonly status: number;
  readonly headers: Headers;
}

/** The knowledge that a judgement needs besides the two answers. */
export interface Circumstances {
  /** The values of aliases; new ones are added. */
  readonly bindings: Bindings;
  /** Settings that a request of the recording wrote: `intern.1 name`. */
  readonly written: ReadonlySet<string>;
  /** The name that the run gave in place of a recorded one. */
  nameOf(recorded: string): string | undefined;
  /** A deployment, whose interns do as they like. */
  readonly free: boolean;
}

/**
 * The result of a comparison. `undecided`: what the intern did instead of what was recorded, so that there is no
 * verdict.
 */
export type DriftJudgement = Compared & { readonly undecided?: string };

/** Answers to a prompt that depend on what the intern does and how far it is. */
const INTERN_STATUSES: ReadonlySet<unknown> = new Set([200, 202, 409, 502, 504]);
const isByTheIntern = ({ operation, status }: RecordedExchange, live: number) =>
  /^(?:chat|invoke)$/.test(operation ?? '') && INTERN_STATUSES.has(status) && INTERN_STATUSES.has(live);

const isSuccess = (status: number | null) => status !== null && status < 300;
const isTornDown = (body: unknown) => recordOf(body).status === 'destroying';

export function judge(exchange: RecordedExchange, live: LiveAnswer, circumstances: Circumstances): DriftJudgement {
  const { bindings, written, nameOf, free } = circumstances;
  const into = compared();
  const [recorded, got] = [parsedBody(exchange.body), parsedBody(live.text)];
  const isBothSuccess = isSuccess(exchange.status) && isSuccess(live.status);
  if (exchange.status !== live.status) {
    if (free && isByTheIntern(exchange, live.status)) {
      return { ...into, undecided: `the intern did not do as recorded (${live.status} instead of ${exchange.status})` };
    }
    if (free && errorOf(recorded)?.reason === 'name_conflict' && isSuccess(live.status)) {
      return { ...into, undecided: 'nobody has an intern of that name at the target' };
    }
    // A teardown may take less time here than in the recording.
    if (isTornDown(recorded) && live.status === 404) return into;
    const byTime = exchange.status === 404 && isTornDown(got);
    into.findings.push({ what: 'status', expected: exchange.status, actual: live.status, byTime });
    // Both are successes: the rest is still compared, and the created intern's id becomes known.
    if (!isBothSuccess) return into;
  }
  compareHeaders(into, exchange.headers, live.headers, isBothSuccess);
  if (exchange.writes) {
    const undecided = compareStream(into, bindings, exchange, live, free);
    return undecided === undefined ? into : { ...into, undecided };
  }
  if (exchange.operation === 'list' && isShorter(recorded, got, bindings)) {
    return { ...into, undecided: 'the target has fewer interns than the workspace that was recorded' };
  }
  compareJson(into, bindings, { where: 'body', key: '', written, nameOf }, recorded, got);
  return into;
}
