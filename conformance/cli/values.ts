import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../framework/usage.js';
import { duration } from './duration.js';

/** Flags as given, by their names in snake case. */
export type Flags = Readonly<Record<string, unknown>>;

/**
 * Reads single settings from flags, variables and config file, in this order. Each throws a UsageError with one line
 * that names the setting and what is wrong.
 */
export function createValues(
  flags: Flags,
  environment: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, unknown>>,
) {
  const raw = (name: string): unknown =>
    flags[name] ?? (environment[`INTERN_${name.toUpperCase()}`] || undefined) ?? config[name];
  // Settings of the kit itself are not facts of a deployment: no INTERN_ variable changes them by accident.
  const own = (name: string): unknown => flags[name] ?? config[name];
  const text = (value: unknown, name: string): string | undefined => {
    if (value === undefined) return undefined;
    if (typeof value !== 'string' && typeof value !== 'number') throw new UsageError(`${name}: expected text`);
    return String(value) === '' ? undefined : String(value);
  };
  const many = (value: unknown, name: string): string[] => {
    const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
    return list
      .flatMap((entry) => (text(entry, name) ?? '').split(','))
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  };
  const number = (name: string, least: number): number | undefined => {
    const value = text(own(name), name);
    if (value === undefined) return undefined;
    const found = Number(value);
    if (!Number.isFinite(found) || found < least) {
      throw new UsageError(
        `--${name.replaceAll('_', '-')}: expected a number of at least ${least}, got ${JSON.stringify(value)}`,
      );
    }
    return found;
  };
  const whole = (name: string, least: number) => {
    const value = number(name, least);
    if (value !== undefined && !Number.isInteger(value))
      throw new UsageError(`--${name.replaceAll('_', '-')}: expected a whole number`);
    return value;
  };
  const time = (name: string, least = 0): number | undefined => {
    const value = text(own(name), name);
    if (value === undefined) return undefined;
    const flag = `--${name.replaceAll('_', '-')}`;
    const found = duration(value, flag);
    if (found < least) throw new UsageError(`${flag}: expected at least ${least} ms, got ${JSON.stringify(value)}`);
    return found;
  };
  const truth = (name: string): boolean => {
    const value = own(name);
    if (value !== undefined && typeof value !== 'boolean') throw new UsageError(`${name}: expected true or false`);
    return value === true;
  };
  return { raw, own, text, many, number, whole, time, truth };
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };
/** What was given: options that are undefined are left out. */
export const given = <T extends object>(options: T): Given<T> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>;

/** A report that a call asks for: to a file, or to standard output. */
export interface ReportTo<Kind> {
  readonly kind: Kind;
  readonly file: string | undefined;
}

/** A report as `--report` names it: `junit=junit.xml`. */
export function reportOf<Kind extends string>(text: string, kinds: readonly Kind[]): ReportTo<Kind> {
  const [kind = '', ...rest] = text.split('=');
  const known = kinds.find((one) => one === kind);
  if (known === undefined)
    throw new UsageError(`--report: ${kind} is not known${suggestion(kind, kinds)}; known are ${kinds.join(', ')}`);
  const file = rest.length === 0 ? undefined : rest.join('=');
  if (file === '') throw new UsageError(`--report ${text}: expected a file after =`);
  return { kind: known, file };
}
