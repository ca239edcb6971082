import type { Intern } from '../../emulator/contract/intern.js';
import { asserted, equal, fail, isObject, match, ok } from '../model/assert.js';
import { type AnswerGot, type Blame, Finding, type OrderGot, type StreamGot, type Wanted } from '../model/finding.js';
import { byTheIntern } from '../model/skip.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer } from '../probe/client.js';
import { isRecord } from '../probe/json.js';
import type { Level, RequirementId } from '../requirements/index.js';

/** Characters of a body that a finding shows. The evidence has the whole body. */
const SHOWN = 300;

/** The part of an answer that findings and skips keep. */
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

/** The class of the expected statuses. A success or 404 counts as a success. */
const classOf = (statuses: readonly number[]) =>
  statuses.some(isSuccess) ? 'success' : statuses.every(isRefusal) ? 'refusal' : 'other';

type WantedStatus = readonly number[] | 'success' | 'refusal';

const wantedStatus = (wanted: WantedStatus): Wanted =>
  typeof wanted === 'string'
    ? { kind: 'status', class: wanted, statuses: [] }
    : { kind: 'status', class: classOf(wanted), statuses: wanted };

/** Throws the finding of a wrong status. */
export function answered(answer: Answer, wanted: WantedStatus, of: string, blame: Blame = {}): never {
  throw new Finding({
    wanted: wantedStatus(wanted),
    got: seen(answer),
    of,
    ...(answer.exchange < 0 ? {} : { exchange: answer.exchange }),
    ...blame,
  });
}

/** The status is this one, or one of these. */
export function status(answer: Answer, expected: number | readonly number[], what: string, blame?: Blame): void {
  const allowed = typeof expected === 'number' ? [expected] : expected;
  asserted(() => wantedStatus(allowed));
  if (!allowed.includes(answer.status)) answered(answer, allowed, what, blame);
}

export function success(answer: Answer, what: string, blame?: Blame): void {
  asserted(() => wantedStatus('success'));
  if (!isSuccess(answer.status)) answered(answer, 'success', what, blame);
}

/** Statuses of an accepted create, for checks that accept any success. */
export const CREATED: readonly number[] = [200, 201, 202];

/**
 * Statuses of an accepted request, except reads, and invoke, whose 202 is stated. The exact status is at most
 * published, and has checks of its own.
 */
export const ACCEPTED: readonly number[] = [200, 201, 202, 204];

/** A write that was accepted. */
export const done = (answer: Answer, what: string): void => status(answer, ACCEPTED, what);

/**
 * Any 4xx. `breaks` is the requirement that a missing refusal breaks, if the check is
 * about something else.
 */
export function refused(answer: Answer, what: string, blame?: Blame): void {
  asserted(() => wantedStatus('refusal'));
  if (!isRefusal(answer.status)) answered(answer, 'refusal', what, blame);
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

/** No cache keeps the answer, as it holds a credential. */
export function noStore(answer: Answer, what: string): void {
  const value = answer.headers.get('cache-control');
  ok(/(?:^|,)\s*no-store\s*(?:,|$)/i.test(value ?? ''), `Cache-Control of ${what}`, 'no-store', value ?? 'missing');
}

export interface ExpectedError {
  readonly status: number;
  readonly message?: string | RegExp;
  readonly reason?: string;
  readonly retryable?: boolean;
  /** `absent`: must be missing. Default: only `reason` and `retryable` are checked. */
  readonly metadata?: 'absent';
}

/** An error body in its envelope (BASE-3), with the expected parts. `blame` belongs to the finding of a wrong status. */
export function error(answer: Answer, expected: ExpectedError, what: string, blame?: Blame): void {
  status(answer, expected.status, what, blame);
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

/** The record of an intern: an object with the fields that checks read. GET-1 has a check of its exact form. */
export function intern(answer: Answer, expected: number | readonly number[], what: string): Intern {
  status(answer, expected, what);
  isObject(answer.json, `body of ${what}`);
  const { id, name, status: state } = answer.json;
  ok(typeof id === 'string' && id !== '', `id of ${what}`, 'an id', id);
  ok(typeof name === 'string', `name of ${what}`, 'a name', name);
  ok(typeof state === 'string', `status field of ${what}`, 'a status', state);
  return answer.json as unknown as Intern;
}

export function page(answer: Answer, what: string): { data: Intern[]; has_more: unknown; next_cursor: unknown } {
  status(answer, 200, what);
  isObject(answer.json, `body of ${what}`);
  const { data, has_more, next_cursor } = answer.json;
  if (!Array.isArray(data)) fail(`data of ${what}`, 'an array', data);
  return { data: data as Intern[], has_more, next_cursor };
}

/**
 * No breach of the chunk grammar at this level, of one requirement or of any. A breach at S also counts at P.
 */
export function grammar(t: Transcript, level: Level, requirement?: RequirementId): void {
  asserted(() => ({ kind: 'stream', rule: 'order' }));
  const counted = level === 'S' ? ['S'] : level === 'P' ? ['S', 'P'] : ['S', 'P', 'C'];
  const breaches = t.breaches.filter(
    (breach) => counted.includes(breach.level) && (requirement === undefined || breach.requirement === requirement),
  );
  // The breach of a stated rule weighs more, and often causes that of a published one.
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
 * The finish reason. Where no script decides, another valid one
 * is the intern's choice, and the check is skipped.
 */
export function finish(
  t: Transcript,
  expected: (typeof FINISHES)[number],
  what = 'the stream',
  decides: 'the intern' | 'the service' = 'the intern',
): void {
  asserted(() => ({ kind: 'stream', rule: 'finish', finish: expected }));
  if (t.finish === expected) return;
  const finish = FINISHES.find((one) => one === t.finish);
  if (decides === 'the intern' && !t.scripted && t.done && finish !== undefined) {
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
