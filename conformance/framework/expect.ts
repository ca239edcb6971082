import type { Intern } from '../../emulator/contract/intern.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer } from '../probe/client.js';
import { isRecord } from '../probe/json.js';
import type { Level, RequirementId } from '../requirements/index.js';
import { asserted, equal, fail, isObject, match, ok } from './assert.js';
import { type AnswerGot, Finding, type Found, type OrderGot, type StreamGot, type Wanted } from './finding.js';
import { byTheIntern } from './skip.js';

/** Characters of a body that a finding shows; the evidence has them all. */
const SHOWN = 300;

/** An answer as findings and skips have it. */
export function seen({ status, headers, json, text }: Answer): AnswerGot {
  const body = (isRecord(json) ? json : {}) as { error?: unknown; status?: unknown };
  const { metadata } = (isRecord(body.error) ? body.error : {}) as { metadata?: unknown };
  const { reason, retryable } = (isRecord(metadata) ? metadata : {}) as { reason?: unknown; retryable?: unknown };
  const type = headers.get('content-type');
  return {
    status,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(typeof body.status === 'string' ? { says: body.status } : {}),
    ...(type === null ? {} : { type }),
    text: text.slice(0, SHOWN),
  };
}

const isSuccess = (status: number) => status < 300;
const isRefusal = (status: number) => status >= 400 && status <= 499;

/** The class of the expected answer: a success that may be gone by now (404) is still a success. */
const classOf = (statuses: readonly number[]) =>
  statuses.some(isSuccess) ? 'success' : statuses.every(isRefusal) ? 'refusal' : 'other';

type More = Pick<Found, 'breaks' | 'because'>;

type WantedStatus = readonly number[] | 'success' | 'refusal';

const wantedStatus = (wanted: WantedStatus): Wanted =>
  typeof wanted === 'string'
    ? { kind: 'status', class: wanted, statuses: [] }
    : { kind: 'status', class: classOf(wanted), statuses: wanted };

/** Always a finding: another status than these, or than any of the class. */
export function answered(answer: Answer, wanted: WantedStatus, of: string, more: More = {}): never {
  throw new Finding({
    wanted: wantedStatus(wanted),
    got: seen(answer),
    of,
    ...(answer.exchange < 0 ? {} : { exchange: answer.exchange }),
    ...more,
  });
}

/** The status is this one, or one of these. */
export function status(answer: Answer, expected: number | readonly number[], what: string, more?: More): void {
  const allowed = typeof expected === 'number' ? [expected] : expected;
  asserted(() => wantedStatus(allowed));
  if (!allowed.includes(answer.status)) answered(answer, allowed, what, more);
}

/** Any success. */
export function success(answer: Answer, what: string, more?: More): void {
  asserted(() => wantedStatus('success'));
  if (!isSuccess(answer.status)) answered(answer, 'success', what, more);
}

/** Statuses of an accepted create, for checks that accept any success. */
export const CREATED: readonly number[] = [200, 201, 202];

/**
 * Statuses of any accepted request, except a read and invoke, whose 202 is stated. The kind of success is at most
 * published, and has checks of its own: a service may answer each POST with 201.
 */
export const ACCEPTED: readonly number[] = [200, 201, 202, 204];

/** A write that was accepted. */
export const done = (answer: Answer, what: string): void => status(answer, ACCEPTED, what);

/**
 * Some refusal of the client's doing: 4xx. `breaks` is the requirement that is broken without one, if the check is
 * about something else.
 */
export function refused(answer: Answer, what: string, more?: More): void {
  asserted(() => wantedStatus('refusal'));
  if (!isRefusal(answer.status)) answered(answer, 'refusal', what, more);
  const { error: body } = (answer.json ?? {}) as { error?: { metadata?: unknown } | null };
  if (typeof body?.metadata === 'object' && body.metadata !== null) metadata(body, what);
}

/** `Retry-After`, in either of the forms that HTTP gives it (RFC 9110, 10.2.3): seconds, or a date. */
export function retryAfter(answer: Answer, what: string): void {
  const value = answer.headers.get('retry-after');
  ok(
    value !== null && (/^\d+$/.test(value) || (/GMT$/.test(value) && !Number.isNaN(Date.parse(value)))),
    `Retry-After of ${what}`,
    'seconds or an HTTP date',
    value,
  );
}

/** Nobody on the way keeps the answer: it holds a credential. */
export function noStore(answer: Answer, what: string): void {
  const value = answer.headers.get('cache-control');
  ok(/(?:^|,)\s*no-store\s*(?:,|$)/i.test(value ?? ''), `Cache-Control of ${what}`, 'no-store', value ?? 'missing');
}

export interface ExpectedError {
  readonly status: number;
  readonly message?: string | RegExp;
  readonly reason?: string;
  readonly retryable?: boolean;
  /** `absent`: must be missing; default: checked only as far as reason and retryable say. */
  readonly metadata?: 'absent';
}

/** An error body in its envelope (BASE-3), with as much of it as is stated. `more` is of another status. */
export function error(answer: Answer, expected: ExpectedError, what: string, more?: More): void {
  status(answer, expected.status, what, more);
  isObject(answer.json, `body of ${what}`);
  const body = answer.json.error;
  isObject(body, `error of ${what}`);
  equal(body.code, expected.status, `error.code of ${what}`);
  ok(typeof body.message === 'string' && body.message !== '', `error.message of ${what}`, 'a message', body.message);
  if (typeof expected.message === 'string') equal(body.message, expected.message, `error.message of ${what}`);
  else if (expected.message !== undefined) match(body.message, expected.message, `error.message of ${what}`);
  if (expected.metadata === 'absent') {
    ok(!('metadata' in body), `error of ${what}`, 'no metadata', body.metadata);
    return;
  }
  if (expected.reason === undefined && expected.retryable === undefined && !('metadata' in body)) return;
  const { reason, retryable } = metadata(body, what);
  if (expected.reason !== undefined) equal(reason, expected.reason, `error.metadata.reason of ${what}`);
  if (expected.retryable !== undefined) equal(retryable, expected.retryable, `error.metadata.retryable of ${what}`);
}

/** The metadata of an error, in its form (BASE-3). */
function metadata(error: { readonly metadata?: unknown }, what: string): Record<string, unknown> {
  const { metadata } = error;
  isObject(metadata, `error.metadata of ${what}`);
  const { reason, retryable } = metadata;
  ok(typeof reason === 'string', `error.metadata.reason of ${what}`, 'a string', reason);
  ok(typeof retryable === 'boolean', `error.metadata.retryable of ${what}`, 'a boolean', retryable);
  return metadata;
}

/** An intern record: an object with the fields that checks read. Its exact form is a check of its own (GET-1). */
export function intern(answer: Answer, expected: number | readonly number[], what: string): Intern {
  status(answer, expected, what);
  isObject(answer.json, `body of ${what}`);
  const { id, name, status: state } = answer.json;
  ok(typeof id === 'string' && id !== '', `id of ${what}`, 'an id', id);
  ok(typeof name === 'string', `name of ${what}`, 'a name', name);
  ok(typeof state === 'string', `status field of ${what}`, 'a status', state);
  return answer.json as unknown as Intern;
}

/** Data, and where the list goes on. */
export function page(answer: Answer, what: string): { data: Intern[]; has_more: unknown; next_cursor: unknown } {
  status(answer, 200, what);
  isObject(answer.json, `body of ${what}`);
  const { data, has_more, next_cursor } = answer.json;
  if (!Array.isArray(data)) fail(`data of ${what}`, 'an array', data);
  return { data: data as Intern[], has_more, next_cursor };
}

/**
 * No breach of the chunk grammar at this level (a breach at S counts at P too), of one requirement or of any.
 */
export function grammar(t: Transcript, level: Level, requirement?: RequirementId): void {
  asserted(() => ({ kind: 'stream', rule: 'order' }));
  const counted = level === 'S' ? ['S'] : level === 'P' ? ['S', 'P'] : ['S', 'P', 'C'];
  const breaches = t.breaches.filter(
    (breach) => counted.includes(breach.level) && (requirement === undefined || breach.requirement === requirement),
  );
  // The stated breach is the heavier one, and often causes the published one.
  breaches.sort((one, other) => Number(other.level === 'S') - Number(one.level === 'S'));
  const [first] = breaches;
  if (first === undefined) return;
  const { exchange } = t;
  throw new Finding({
    wanted: { kind: 'stream', rule: 'order' },
    got: { events: t.items.length, breaches } satisfies OrderGot,
    of: 'the stream',
    exchange,
    breaks: { requirement: first.requirement, level: first.level },
  });
}

/** The state of a stream, for findings. */
export const streamed = ({ chunks, content, done, ended, error, finish }: Transcript): StreamGot => ({
  chunks: chunks.length,
  content: content.slice(0, SHOWN),
  done,
  ...(finish === undefined ? {} : { finish }),
  ...(error === undefined ? {} : { error }),
  ...(ended === undefined ? {} : { ended }),
});

const FINISHES = ['stop', 'tool_calls', 'error'] as const;

/**
 * The finish reason, with the content so far shown where it is another. Where no script decides, another one of the three
 * is the intern's own choice: the precondition of what follows is not met.
 */
export function finish(t: Transcript, expected: (typeof FINISHES)[number], what = 'the stream'): void {
  asserted(() => ({ kind: 'stream', rule: 'finish', finish: expected }));
  if (t.finish === expected) return;
  const finish = FINISHES.find((one) => one === t.finish);
  if (!t.scripted && t.done && finish !== undefined) {
    // The intern decides what it does. The service decides how that is streamed.
    grammar(t, 'S');
    const error = t.error === undefined ? {} : { error: t.error };
    throw byTheIntern({ kind: 'finished-otherwise', of: what, wanted: expected, finish, said: t.content, ...error });
  }
  throw new Finding({
    wanted: { kind: 'stream', rule: 'finish', finish: expected },
    got: streamed(t),
    of: what,
    exchange: t.exchange,
  });
}
