import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import { measured } from '../../emulator/contract/visible.js';
import { type Blame, type Constraint, Finding, type Found, type Gist, type Wanted } from './finding.js';

/** A value in one line, cut to `max` characters. */
export function brief(value: unknown, max = 300): string {
  let text: string;
  if (typeof value === 'string') text = JSON.stringify(value);
  else if (value instanceof RegExp) text = String(value);
  else if (value instanceof Uint8Array) text = `${value.length} bytes`;
  else {
    try {
      text = JSON.stringify(value) ?? String(value);
    } catch {
      // Values that cannot be shown whole: a bigint, a cyclic value, one that is nested too deep.
      text = typeof value === 'bigint' ? String(value) : Object.prototype.toString.call(value);
    }
  }
  return measured(text, max);
}

/** The end of the value's name in a noun such as `created_at of the second create`. */
const PLACE = /,? (?:of|in|after|while|before|for) /;

/** The name of the value in a noun: `created_at` in `created_at of the second create`. */
const nameIn = (noun: string): string => noun.split(PLACE, 1)[0] ?? noun;

/** An observation in a few fixed words; `saw` is the value behind it. */
export const gist = (words: string, saw?: unknown): Gist => ({ gist: words, ...(saw === undefined ? {} : { saw }) });

/** The wanted value, as {@link broken} reports it. */
const wants = (of: string, rule: Constraint): Extract<Wanted, { kind: 'value' }> => ({
  kind: 'value',
  path: nameIn(of),
  rule,
});

/** Notes what is wanted of the value that `of` names, and answers whether it holds. */
function holds(of: string, rule: Constraint, does: boolean): boolean {
  asserted(() => wants(of, rule));
  return does;
}

/** Throws a finding: `rule` does not hold for the value that `of` names. */
function broken(of: string, rule: Constraint, got: unknown, blame?: Blame): never {
  throw new Finding({ wanted: wants(of, rule), got, of, ...blame });
}

/** A finding about the value that `of` names. A text `expected` describes the value in fixed words, unless it is `exact`. */
export const unlike = (
  of: string,
  expected: unknown,
  got: unknown,
  exact = false,
): Pick<Found, 'wanted' | 'got' | 'of'> => ({
  wanted: wants(
    of,
    typeof expected === 'string' && !exact ? { kind: 'holds', words: expected } : { kind: 'is', value: expected },
  ),
  got,
  of,
});

/** Throws a finding. `expected` is a value, or a description in fixed words. */
export function fail(of: string, expected: unknown, got: unknown, blame?: Blame): never {
  throw new Finding({ ...unlike(of, expected, got), ...blame });
}

/** `expected` says in fixed words what should hold. */
export function ok(condition: unknown, of: string, expected: string, got?: unknown, blame?: Blame): asserts condition {
  const rule: Constraint = { kind: 'holds', words: expected };
  if (!holds(of, rule, Boolean(condition))) broken(of, rule, got, blame);
}

/** Deep equality of JSON values; the order of keys does not count. */
export function equal<T>(actual: unknown, expected: T, of: string): asserts actual is T {
  const rule: Constraint = { kind: 'is', value: expected };
  if (!holds(of, rule, isDeepStrictEqual(actual, expected))) broken(of, rule, actual);
}

export function notEqual(actual: unknown, unexpected: unknown, of: string): void {
  const rule: Constraint = { kind: 'not', value: unexpected };
  if (!holds(of, rule, !isDeepStrictEqual(actual, unexpected))) broken(of, rule, actual);
}

export function oneOf<T>(actual: unknown, allowed: readonly T[], of: string): asserts actual is T {
  const rule: Constraint = { kind: 'one-of', values: allowed };
  const isOne = allowed.some((value) => isDeepStrictEqual(actual, value));
  if (!holds(of, rule, isOne)) broken(of, rule, actual);
}

/** A pattern with a name for the texts that match it. */
export interface Form extends RegExp {
  readonly words: string;
}

/** `words` say what a text of that form is: `an ISO 8601 UTC timestamp with milliseconds`. */
export const form = (pattern: RegExp, words: string): Form => Object.assign(pattern, { words });

export function match(actual: unknown, pattern: RegExp | Form, of: string): asserts actual is string {
  const rule: Constraint = { kind: 'form', form: 'words' in pattern ? pattern.words : String(pattern) };
  if (!holds(of, rule, typeof actual === 'string' && pattern.test(actual))) broken(of, rule, actual);
}

export function isObject(actual: unknown, of: string): asserts actual is Record<string, unknown> {
  const rule: Constraint = { kind: 'form', form: 'a JSON object' };
  if (!holds(of, rule, typeof actual === 'object' && actual !== null && !Array.isArray(actual)))
    broken(of, rule, actual);
}

export function isArray(actual: unknown, of: string): asserts actual is unknown[] {
  const rule: Constraint = { kind: 'form', form: 'a JSON array' };
  if (!holds(of, rule, Array.isArray(actual))) broken(of, rule, actual);
}

/** Exactly these keys, in any order. */
export function hasKeys(
  actual: unknown,
  keys: readonly string[],
  of: string,
): asserts actual is Record<string, unknown> {
  isObject(actual, of);
  equal(Object.keys(actual).sort(), [...keys].sort(), `${of}, its keys`);
}

export const UUID = form(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'a UUID');
export const TIMESTAMP = form(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|\+00:00)$/,
  'an ISO 8601 UTC timestamp with milliseconds',
);

/** Receives what a check wants, whether or not it holds. */
const recording = new AsyncLocalStorage<(wanted: Wanted) => void>();

/** Calls `work`, and `seen` with everything that the assertions in it want. */
export const recordAssertions = <Result>(seen: (wanted: Wanted) => void, work: () => Result): Result =>
  recording.run(seen, work);

/** An assertion says what it wants. Costs nothing while nobody records. */
export const asserted = (wanted: () => Wanted): void => recording.getStore()?.(wanted());
