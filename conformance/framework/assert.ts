import { isDeepStrictEqual } from 'node:util';
import { Finding, type Found, type Gist, type Rule } from './finding.js';

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
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text;
}

/** Where the name of a value ends, in the noun that a check has for it. */
const PLACE = /,? (?:of|in|after|while|before|for) /;

/** The name of the value in a noun: `created_at` in `created_at of the second create`. */
const nameIn = (noun: string): string => noun.split(PLACE, 1)[0] ?? noun;

/** An observation in a few fixed words; `saw` is the value behind it. */
export const gist = (words: string, saw?: unknown): Gist => ({ gist: words, ...(saw === undefined ? {} : { saw }) });

/** Always a finding: of the value `of` names, `rule` does not hold. */
function broken(
  of: string,
  rule: Rule,
  got: unknown,
  more: Pick<Found, 'breaks' | 'because' | 'exchange'> = {},
): never {
  throw new Finding({ wanted: { kind: 'value', path: nameIn(of), rule }, got, of, ...more });
}

/** Always a finding. `expected` is a value, or what should hold in fixed words. */
export function fail(of: string, expected: unknown, got: unknown, more?: Pick<Found, 'breaks' | 'because'>): never {
  broken(
    of,
    typeof expected === 'string' ? { kind: 'holds', words: expected } : { kind: 'is', value: expected },
    got,
    more,
  );
}

/** `expected` says in fixed words what should hold. */
export function ok(holds: unknown, of: string, expected: string, got?: unknown): asserts holds {
  if (!holds) broken(of, { kind: 'holds', words: expected }, got);
}

/** Deep equality of JSON values; the order of keys does not count. */
export function equal<T>(actual: unknown, expected: T, of: string): asserts actual is T {
  if (!isDeepStrictEqual(actual, expected)) broken(of, { kind: 'is', value: expected }, actual);
}

export function notEqual(actual: unknown, unexpected: unknown, of: string): void {
  if (isDeepStrictEqual(actual, unexpected)) broken(of, { kind: 'not', value: unexpected }, actual);
}

export function oneOf<T>(actual: unknown, allowed: readonly T[], of: string): asserts actual is T {
  if (!allowed.some((value) => isDeepStrictEqual(actual, value)))
    broken(of, { kind: 'one-of', values: allowed }, actual);
}

/** A pattern with a name for the texts that match it. */
export interface Form extends RegExp {
  readonly words: string;
}

/** `words` say what a text of that form is: `an ISO 8601 UTC timestamp with milliseconds`. */
export const form = (pattern: RegExp, words: string): Form => Object.assign(pattern, { words });

export function match(actual: unknown, pattern: RegExp | Form, of: string): asserts actual is string {
  if (typeof actual === 'string' && pattern.test(actual)) return;
  broken(of, { kind: 'form', form: 'words' in pattern ? pattern.words : String(pattern) }, actual);
}

export function isObject(actual: unknown, of: string): asserts actual is Record<string, unknown> {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
    broken(of, { kind: 'form', form: 'a JSON object' }, actual);
}

export function isArray(actual: unknown, of: string): asserts actual is unknown[] {
  if (!Array.isArray(actual)) broken(of, { kind: 'form', form: 'a JSON array' }, actual);
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
