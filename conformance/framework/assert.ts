import { isDeepStrictEqual } from 'node:util';
import type { Level, RequirementId } from '../requirements/index.js';

/** A requirement, at the level that is judged. */
export interface Broken {
  readonly requirement: RequirementId;
  readonly level: Level;
}

/** What a finding holds against the target. Values are shown, never interpreted. */
export interface Difference {
  /** What was looked at: `status of the second create`. */
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
  /** What is broken, where it is not what the check is about. */
  readonly breaks?: Broken;
  /** Where the check has already repeated what it found. */
  readonly confirmed?: { readonly tries: number; readonly failures: number };
}

/**
 * The kit's own assertion. Only this is a finding against the target; any other throw out of a check is an error of the
 * kit.
 */
export class Finding extends Error implements Difference {
  override readonly name = 'Finding';
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
  declare readonly breaks?: Broken;
  declare readonly confirmed?: NonNullable<Difference['confirmed']>;
  constructor(difference: Difference, options?: ErrorOptions) {
    super(`${difference.what}: expected ${brief(difference.expected)}, got ${brief(difference.actual)}`, options);
    this.what = difference.what;
    this.expected = difference.expected;
    this.actual = difference.actual;
    if (difference.breaks !== undefined) this.breaks = difference.breaks;
    if (difference.confirmed !== undefined) this.confirmed = difference.confirmed;
  }
}

/** A finding that seeing it once proves: it is neither made smaller nor looked for again, which would do it again. */
export class Certain extends Finding {
  constructor(difference: Omit<Difference, 'confirmed'>) {
    super({ ...difference, confirmed: { tries: 1, failures: 1 } });
  }
}

/**
 * Why a check came to no verdict: the target lacks something (`need`); the intern, which owes the kit nothing, did
 * something else than it was asked for (`intern`); things moved in between, so that the answers prove nothing (`race`);
 * what it builds on has failed in another check (`blocked`).
 */
export type UnmetKind = 'need' | 'intern' | 'race' | 'blocked';

/**
 * Thrown where a target cannot be brought into the state that a check needs: a skip that names the need. Those of one need
 * are told together: for an intern it says what that did instead, and `why` holds what differs from check to check.
 */
export class Unmet extends Error {
  override readonly name = 'Unmet';
  constructor(
    readonly need: string,
    readonly why: string,
    readonly kind: UnmetKind = 'need',
  ) {
    super(`${need}: ${why}`);
  }
}

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
      // What cannot be shown whole: a bigint, what holds itself, what is nested too deep.
      text = typeof value === 'bigint' ? String(value) : Object.prototype.toString.call(value);
    }
  }
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text;
}

/** Always a finding. */
export function fail(what: string, expected: unknown, actual: unknown): never {
  throw new Finding({ what, expected, actual });
}

/** `expected` says in words what should hold. */
export function ok(holds: unknown, what: string, expected: string, actual?: unknown): asserts holds {
  if (!holds) fail(what, expected, actual);
}

/** Deep equality of JSON values; the order of keys does not count. */
export function equal<T>(actual: unknown, expected: T, what: string): asserts actual is T {
  if (!isDeepStrictEqual(actual, expected)) fail(what, expected, actual);
}

export function notEqual(actual: unknown, unexpected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, unexpected)) fail(what, `anything but ${brief(unexpected)}`, actual);
}

export function oneOf<T>(actual: unknown, allowed: readonly T[], what: string): asserts actual is T {
  if (!allowed.some((value) => isDeepStrictEqual(actual, value))) fail(what, `one of ${brief(allowed)}`, actual);
}

/** A pattern that findings tell in words. */
export interface Form extends RegExp {
  readonly words: string;
}

/** `words` say what a text of that form is: `an ISO 8601 UTC timestamp with milliseconds`. */
export const form = (pattern: RegExp, words: string): Form => Object.assign(pattern, { words });

export function match(actual: unknown, pattern: RegExp | Form, what: string): asserts actual is string {
  if (typeof actual !== 'string' || !pattern.test(actual))
    fail(what, 'words' in pattern ? pattern.words : pattern, actual);
}

export function isObject(actual: unknown, what: string): asserts actual is Record<string, unknown> {
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) fail(what, 'a JSON object', actual);
}

export function isArray(actual: unknown, what: string): asserts actual is unknown[] {
  if (!Array.isArray(actual)) fail(what, 'a JSON array', actual);
}

/** Exactly these keys, in any order. */
export function hasKeys(
  actual: unknown,
  keys: readonly string[],
  what: string,
): asserts actual is Record<string, unknown> {
  isObject(actual, what);
  const found = Object.keys(actual).sort();
  const wanted = [...keys].sort();
  if (!isDeepStrictEqual(found, wanted)) fail(`${what}, its keys`, wanted, found);
}

export const UUID = form(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'a UUID');
export const TIMESTAMP = form(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|\+00:00)$/,
  'an ISO 8601 UTC timestamp with milliseconds',
);
