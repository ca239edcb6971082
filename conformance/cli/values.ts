import { parseDuration } from '../../emulator/contract/duration.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { flagOf } from '../report/words/stop.js';

/** ms of `90`, `90s`, `5m`, `1h`, `500ms`; a bare number is in seconds. Throws a line that says what was expected. */
export function duration(text: string, what: string): number {
  try {
    return parseDuration(text.trim().replace(/\d$/, '$&s'));
  } catch {
    throw new UsageError(`${what}: expected a time such as 90s or 5m, got ${JSON.stringify(text)}`);
  }
}

/** Flags as given, by their names in snake case. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * Refuses an empty text, which a CI job gives for an unset variable. A run without the flag would do more than intended, or
 * demand less. `except` are the flags that may be empty.
 *
 * @throws UsageError that names the flag
 */
export function refuseEmpty(flags: Flags, except: ReadonlySet<string> = new Set()): void {
  for (const [name, value] of Object.entries(flags))
    if (!except.has(name) && [value].flat().includes(''))
      throw new UsageError(`${flagOf(name)}: expected a value after it, found an empty text`);
}

/**
 * Reads single settings from flags, variables and config file, in this order. Each throws a UsageError with one line
 * that names the setting and what is wrong.
 */
export function createValues(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>> = {},
  config: Readonly<Record<string, unknown>> = {},
) {
  const raw = (name: string): unknown =>
    flags[name] ?? (environment[`INTERN_${name.toUpperCase()}`] || undefined) ?? config[name];
  // INTERN_ variables hold facts of a deployment. They must not change settings of the kit by accident.
  const own = (name: string): unknown => flags[name] ?? config[name];
  const text = (value: unknown, name: string): string | undefined => {
    if (value === undefined) return undefined;
    if (Array.isArray(value)) throw new UsageError(`${flagOf(name)}: given more than once`);
    if (typeof value !== 'string' && typeof value !== 'number') throw new UsageError(`${name}: expected text`);
    return String(value) === '' ? undefined : String(value);
  };
  const word = (name: string): string | undefined => text(own(name), name);
  const many = (name: string): string[] =>
    [own(name) ?? []]
      .flat()
      .flatMap((entry) => (text(entry, name) ?? '').split(','))
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  const numeric = (name: string, least: number, what: string, fits: (value: number) => boolean) => {
    const value = word(name);
    if (value === undefined) return undefined;
    const found = Number(value);
    if (!fits(found) || found < least)
      throw new UsageError(`${flagOf(name)}: expected ${what} ${least}, got ${JSON.stringify(value)}`);
    return found;
  };
  const number = (name: string, least: number) => numeric(name, least, 'a number of at least', Number.isFinite);
  const whole = (name: string, least: number) => numeric(name, least, 'a whole number from', Number.isSafeInteger);
  const time = (name: string, least = 0): number | undefined => {
    const value = word(name);
    if (value === undefined) return undefined;
    const found = duration(value, flagOf(name));
    if (found < least)
      throw new UsageError(`${flagOf(name)}: expected at least ${least} ms, got ${JSON.stringify(value)}`);
    return found;
  };
  const truth = (name: string, usual = false): boolean => {
    const value = own(name);
    if (value === undefined) return usual;
    if (typeof value !== 'boolean') throw new UsageError(`${name}: expected true or false`);
    return value;
  };
  const choice = <const T extends string>(name: string, choices: readonly T[]): T | undefined => {
    const value = word(name);
    const found = choices.find((one) => one === value);
    if (value !== undefined && found === undefined)
      throw new UsageError(
        `${flagOf(name)}: expected ${choices.join(' or ')}, got ${JSON.stringify(value)}${suggestion(value, choices)}`,
      );
    return found;
  };
  return { raw, own, text, word, many, number, whole, time, truth, choice };
}
