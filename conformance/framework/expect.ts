import type { Intern } from '../../emulator/contract/intern.js';
import type { Problem, Transcript } from '../probe/chunks.js';
import type { Answer } from '../probe/client.js';
import type { Level, RequirementId } from '../requirements/index.js';
import { type Broken, brief, equal, Finding, fail, hasKeys, isObject, match, ok, Unmet } from './assert.js';

/** An answer in one line, for findings. */
export const shown = (answer: Answer): string => `${answer.status} ${answer.text.slice(0, 300)}`;

/** The status, with the body shown where it is another. */
export function status(answer: Answer, expected: number | readonly number[], what: string): void {
  const allowed = typeof expected === 'number' ? [expected] : expected;
  if (allowed.includes(answer.status)) return;
  const successes = allowed.length > 1 && allowed.every((one) => one < 300);
  const words = successes ? `a success (${allowed.join(', ')})` : allowed;
  fail(`status of ${what}`, allowed.length === 1 ? allowed[0] : words, shown(answer));
}

/** Statuses of a create that was accepted, for checks that do not judge which success it is. */
export const CREATED: readonly number[] = [200, 201, 202];

/**
 * Statuses of any request that was accepted, but for a read and for invoke, whose 202 is stated. Which success it is, is at
 * most published, and judged by checks of its own: a service may answer each POST with 201.
 */
export const ACCEPTED: readonly number[] = [200, 201, 202, 204];

/** A write that was accepted. */
export const done = (answer: Answer, what: string): void => status(answer, ACCEPTED, what);

/** Some refusal of the client's doing: 4xx. `breaks` is what is broken without one, where the check is about something else. */
export function refused(answer: Answer, what: string, breaks?: Broken): void {
  if (answer.status >= 400 && answer.status <= 499) return;
  const difference = { what, expected: 'a refusal (4xx)', actual: shown(answer) };
  throw new Finding(breaks === undefined ? difference : { ...difference, breaks });
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
  /** `absent`: must not be there; default: looked at only as far as reason and retryable say. */
  readonly metadata?: 'absent';
}

/** An error body in its envelope (BASE-3), with as much of it as is stated. */
export function error(answer: Answer, expected: ExpectedError, what: string): void {
  status(answer, expected.status, what);
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
  isObject(body.metadata, `error.metadata of ${what}`);
  ok(typeof body.metadata.reason === 'string', `error.metadata.reason of ${what}`, 'a string', body.metadata.reason);
  ok(
    typeof body.metadata.retryable === 'boolean',
    `error.metadata.retryable of ${what}`,
    'a boolean',
    body.metadata.retryable,
  );
  if (expected.reason !== undefined) equal(body.metadata.reason, expected.reason, `error.metadata.reason of ${what}`);
  if (expected.retryable !== undefined) {
    equal(body.metadata.retryable, expected.retryable, `error.metadata.retryable of ${what}`);
  }
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

/** Exactly these keys. */
export const keys = (answer: Answer, names: readonly string[], what: string) =>
  hasKeys(answer.json, names, `body of ${what}`);

const inPlace = ({ items }: Transcript, { number, data }: NonNullable<Problem['event']>) =>
  `event ${number} of ${items.length} is ${data.length > 600 ? `${data.slice(0, 600)}…` : data}`;

/** What is expected of the order of a stream (CHAT-2, CHAT-3). */
export const STREAM_ORDER =
  'chunks with one choice each, one finish_reason, one chunk with empty choices and session_id, data: [DONE], end of the body';

/**
 * No breach of the chunk grammar at this level (a breach at S counts at P too), of one requirement or of any.
 */
export function grammar(t: Transcript, level: Level, requirement?: RequirementId): void {
  const counted = level === 'S' ? ['S'] : level === 'P' ? ['S', 'P'] : ['S', 'P', 'C'];
  const found = t.problems.filter(
    (problem) => counted.includes(problem.level) && (requirement === undefined || problem.requirement === requirement),
  );
  // What is stated is the heavier breach, and what is published often comes of it.
  found.sort((one, other) => Number(other.level === 'S') - Number(one.level === 'S'));
  const first = found[0];
  if (first !== undefined) {
    throw new Finding({
      what: `order and shape of the stream (${first.requirement})`,
      expected: STREAM_ORDER,
      actual: found
        .map(({ text, event }, at) => (event === undefined || at > 2 ? text : `${text}; ${inPlace(t, event)}`))
        .join('\n'),
      breaks: { requirement: first.requirement, level: first.level },
    });
  }
}

/**
 * The finish reason, with the content so far shown where it is another. Where no script decides, another one of the three
 * is the intern's own choice: the precondition of what follows is not met.
 */
export function finish(t: Transcript, expected: 'stop' | 'tool_calls' | 'error', what = 'the stream'): void {
  if (t.finish === expected) return;
  const wellFormed = t.done && t.finish !== undefined && ['stop', 'tool_calls', 'error'].includes(t.finish);
  if (!t.scripted && wellFormed) {
    // What the intern did is its own; how the service streams it is not.
    grammar(t, 'S');
    const did = { stop: 'simply answer', tool_calls: 'ask', error: 'end with an error' };
    const instead = { stop: 'answered', tool_calls: 'asked', error: 'ended with an error' }[t.finish as 'stop'];
    const error = t.error === undefined ? '' : `, error ${brief(t.error, 120)}`;
    const why = `${what} ended with ${t.finish}, it said ${brief(t.content, 120)}${error}`;
    throw new Unmet(`the intern did not ${did[expected]} when asked to, it ${instead}`, why, 'intern');
  }
  const error = t.error === undefined ? '' : `; error ${brief(t.error)}`;
  const actual = `${t.finish ?? 'none'}; content ${brief(t.content)}${error}`;
  fail(`finish_reason of ${what}`, expected, actual);
}
