import { suggestion } from './nearest.js';
import { shown } from './problem.js';
import { isRecord } from './record.js';

/** The values that an option takes: in words, and as a test. */
export type Kind = readonly [expected: string, fits: (value: unknown) => boolean];

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isFunction = (value: unknown) => typeof value === 'function';

export const TEXT: Kind = ['a string', isText];
export const TEXTS: Kind = ['an array of strings', (value) => Array.isArray(value) && value.every(isText)];
export const SWITCH: Kind = ['a boolean', (value) => typeof value === 'boolean'];
export const OBJECT: Kind = ['an object', isRecord];
export const FUNCTION: Kind = ['a function', isFunction];
export const WHOLE: Kind = ['a whole number from 0', (value) => Number.isSafeInteger(value) && (value as number) >= 0];

/** Options that are shown by their type alone where they are invalid. */
const SECRET: ReadonlySet<string> = new Set(['signingKey', 'controlToken', 'credentials']);

/** The first option that is unknown or invalid, as a sentence. A caller in JavaScript has no compiler that checked them. */
export function wrongOption(options: object, kinds: Readonly<Record<string, Kind>>): string | undefined {
  if (!isRecord(options)) return `options: expected an object; found ${shown(options)}`;
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind) return `unknown option ${name}${suggestion(name, Object.keys(kinds))}`;
    const [expected, fits] = kind;
    if (value !== undefined && !fits(value))
      return `${name}: expected ${expected}; found ${SECRET.has(name) ? typeof value : isFunction(value) ? 'a function' : shown(value)}`;
  }
  return undefined;
}
