import type * as z from 'zod';
import { suggestion } from './nearest.js';
import { clipped } from './visible.js';

/** A value as a message shows it: JSON, and not much of it. */
export function shown(value: unknown): string {
  try {
    return clipped(JSON.stringify(value) ?? String(value), 60);
  } catch (error) {
    // JSON is read at any depth, and written only as deep as the stack allows.
    if (!(error instanceof RangeError)) throw error;
    return `${typeOf(value)} of too many levels`;
  }
}
/** So many unknown keys are named. */
const NAMED = 5;
const list = (words: readonly unknown[], last = ' or '): string =>
  words.length < 2 ? String(words[0] ?? '') : `${words.slice(0, -1).join(', ')}${last}${words.at(-1)}`;

/** The JSON name of a type, with its article. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  int: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
  tuple: 'an array',
};
const typed = (name: string): string => TYPES[name] ?? name;
const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return 'a number';
  return typed(typeof value);
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries', set: ' entries' };
const bound = (issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>): string => {
  const [word, limit] = issue.code === 'too_big' ? ['at most', issue.maximum] : ['at least', issue.minimum];
  const unit = UNITS[issue.origin];
  return `expected ${word} ${limit}${unit ?? ''}; found ${unit === undefined ? shown(issue.input) : (issue.input as { length?: number }).length}`;
};

const keysOf = (issue: z.core.$ZodRawIssue): string[] => {
  const { inst } = issue as { inst?: { _zod?: { def?: { shape?: object } } } };
  return Object.keys(inst?._zod?.def?.shape ?? {});
};

/**
 * The expectations of the branches of a union, as words to be joined; undefined if one branch got further than its
 * first look.
 */
const expectations = (branches: readonly (readonly z.core.$ZodIssue[])[]): string[] | undefined => {
  const words: string[] = [];
  for (const [issue] of branches) {
    if (issue === undefined || issue.path.length > 0) return undefined;
    if (issue.code === 'invalid_value')
      words.push(...issue.values.map((value) => JSON.stringify(value) ?? String(value)));
    else if (issue.code === 'invalid_type') words.push(typed(issue.expected));
    else words.push(issue.message.replace(/^expected /, '').replace(/; found .*$/s, ''));
  }
  return [...new Set(words)];
};

/**
 * The mistake in a value that a schema refused, in our words: `schema.safeParse(value, { error: words })`. A
 * schema's own message has priority.
 */
export function words(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'missing';
      return `expected ${typed(issue.expected)}; found ${issue.expected === 'int' ? shown(issue.input) : typeOf(issue.input)}`;
    case 'invalid_value': {
      const known = issue.values.map((value) => JSON.stringify(value) ?? String(value));
      if (issue.input === undefined) return 'missing';
      const near =
        typeof issue.input === 'string' && known.length > 1 ? suggestion(issue.input, issue.values.map(String)) : '';
      return `expected ${list(known)}; found ${shown(issue.input)}${near}`;
    }
    case 'unrecognized_keys': {
      const known = keysOf(issue);
      const near = issue.keys.length === 1 ? suggestion(issue.keys[0] ?? '', known) : '';
      const more = issue.keys.length > NAMED ? [`${issue.keys.length - NAMED} more`] : [];
      const unknown = `there is no ${list([...issue.keys.slice(0, NAMED).map(shown), ...more], ' and ')} here${near}`;
      return known.length === 0 || known.length > 16 ? unknown : `${unknown}; expected ${list(known)}`;
    }
    case 'too_big':
    case 'too_small':
      return bound(issue);
    case 'invalid_format':
      if (issue.format === 'regex')
        return `expected a string of the form ${issue.pattern}; found ${shown(issue.input)}`;
      return `expected a ${issue.format === 'uuid' ? 'UUID' : issue.format}; found ${shown(issue.input)}`;
    case 'invalid_union': {
      if (issue.input === undefined) return 'missing';
      if (issue.discriminator !== undefined && Array.isArray(issue.options)) {
        const found = (issue.input as Record<string, unknown> | null)?.[String(issue.discriminator)];
        return `expected ${list(issue.options.map(shown))}; found ${shown(found)}`;
      }
      const expected = expectations(issue.errors);
      return expected && expected.length > 0 ? `expected ${list(expected)}; found ${shown(issue.input)}` : undefined;
    }
    default:
      return undefined;
  }
}

/** Keys that are shown in quotes, cut where they are long: a place stays one line in which every part can be seen. */
const ODD_KEY = /^$|[\s\p{Cc}\p{Bidi_Control}]|^.{61}/u;

/** `faults[3].operation`, `headers["a b"]`, or what a value as a whole is called. */
export const place = (path: readonly PropertyKey[], whole: string): string =>
  path.reduce<string>((at, key) => {
    if (typeof key === 'number') return `${at}[${key}]`;
    if (ODD_KEY.test(String(key))) return `${at}[${shown(String(key))}]`;
    return at === '' ? String(key) : `${at}.${String(key)}`;
  }, '') || whole;

/** If a value fits none of several forms, the problem within the form that fits best. */
const furthest = (issue: z.core.$ZodIssue): z.core.$ZodIssue => {
  // A problem with a key is a level deeper.
  if (issue.code === 'invalid_key') return { ...issue, message: issue.issues[0]?.message ?? issue.message };
  if (issue.code !== 'invalid_union') return issue;
  const [inner] = issue.errors.flatMap((branch) => first(branch) ?? []).sort((a, b) => b.path.length - a.path.length);
  return inner === undefined || inner.path.length === 0 ? issue : { ...inner, path: [...issue.path, ...inner.path] };
};
const first = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined => {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  return issue && furthest(issue);
};

/**
 * The first problem, as `place: what was expected; what was found`. An unknown key is reported before a missing one,
 * which it was often meant to be.
 */
export function problem(error: z.ZodError, whole: string): string {
  const issue = first(error.issues);
  return issue === undefined ? `${whole}: not valid` : `${place(issue.path, whole)}: ${issue.message}`;
}

/** One thing wrong with what was sent: where, and in words. `unknown` names keys that do not belong there. */
export interface FieldProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly unknown?: readonly string[];
}

/** A schema whose message names no key has secrets in its bodies, and a secret may stand in the place of a key (VAULT-2). */
const quotes = ({ keys, message }: z.core.$ZodIssueUnrecognizedKeys) => message.includes(shown(keys[0] ?? ''));

/** The first three things wrong. */
export const fieldProblems = (error: z.ZodError): FieldProblem[] =>
  error.issues.slice(0, 3).map((issue) => ({
    path: issue.path,
    message: issue.message,
    ...(issue.code === 'unrecognized_keys' && quotes(issue) ? { unknown: issue.keys } : {}),
  }));

/** The same on one line. */
export const problems = (fields: readonly FieldProblem[], whole: string): string =>
  fields.map(({ path, message }) => `${place(path, whole)}: ${message}`).join('; ');

/** A mistake in the command line or the options. Exit 2, one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
