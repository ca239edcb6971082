import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../framework/usage.js';

export { UsageError };

/** A flag of a command. Its value stays a text, so that one place validates it, wherever it comes from. */
export interface FlagRow {
  readonly type: 'string' | 'boolean';
  readonly describe: string;
  /** May be given more than once. */
  readonly array?: boolean;
  /** Its one letter. */
  readonly alias?: string;
  readonly choices?: readonly string[];
  /** What holds without it, for the help. */
  readonly defaultDescription?: string;
  /** Where the help shows it. */
  readonly group?: string;
}

/** Flags of one command, by their names on the command line. */
export type FlagTable = Readonly<Record<string, FlagRow>>;

/** The flags of every command. */
export const COMMON: FlagTable = {
  version: { type: 'boolean', describe: 'Show version number' },
  help: { type: 'boolean', alias: 'h', describe: 'Show help' },
};

/** A call: its flags by their names, and the words beside them. */
export interface Arguments {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A negative number and a lone dash are no flags. */
const isFlag = (arg: string | undefined): boolean => arg === undefined || /^-[^\d.]/.test(arg);

const ON = new Set(['true', '1', 'yes', 'on']);
const OFF = new Set(['false', '0', 'no', 'off', '']);

function truth(name: string, given: string): boolean {
  const word = given.toLowerCase();
  if (!ON.has(word) && !OFF.has(word))
    throw new UsageError(`--${name}: expected true or false; found ${JSON.stringify(given)}`);
  return ON.has(word);
}

/** The flag that an argument names, and the value that it holds itself. */
function flagOf(arg: string, table: FlagTable): { name: string; value?: string | undefined; not?: boolean } {
  const [, letter, own] = /^-([^-])(?:=?(.+)|=)?$/s.exec(arg) ?? [];
  if (letter !== undefined) {
    const [name = letter] = Object.entries(table).find(([, { alias }]) => alias === letter) ?? [];
    return { name, value: own };
  }
  const [, long = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
  const name = Object.hasOwn(table, long) ? long : dashed(long);
  const without = /^no-(.+)$/.exec(name)?.[1] ?? '';
  if (!Object.hasOwn(table, name) && Object.hasOwn(table, without) && table[without]?.type === 'boolean')
    return { name: without, not: true };
  return { name, value };
}

/**
 * Reads a call. A flag that the table lacks is refused with the nearest of it, or where `strict` is false left out.
 *
 * @throws UsageError with one line
 */
export function readArguments(args: readonly string[], table: FlagTable, strict = true): Arguments {
  const flags: Record<string, unknown> = {};
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!isFlag(arg)) {
      words.push(arg);
      continue;
    }
    const { name, value, not } = flagOf(arg, table);
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      if (!strict) continue;
      throw new UsageError(`unknown flag --${name}${suggestion(name, Object.keys(table), (flag) => `--${flag}`)}`);
    }
    if (row.type === 'boolean') {
      const next = args[at + 1];
      const apart = value === undefined && not === undefined && (next === 'true' || next === 'false');
      if (apart) at++;
      flags[name] = not === true ? false : truth(name, value ?? (apart ? next : 'true'));
      continue;
    }
    if (value === undefined && isFlag(args[at + 1])) {
      if (!strict) continue;
      throw new UsageError(`--${name}: expected a value after it`);
    }
    const text = value ?? args[++at] ?? '';
    if (row.choices && !row.choices.includes(text))
      throw new UsageError(`--${name}: expected ${row.choices.join(' or ')}; found ${JSON.stringify(text)}`);
    // A flag that is given once and came twice stays a list: who reads it refuses that.
    const before = flags[name];
    flags[name] = row.array || before !== undefined ? [...[before ?? []].flat(), text] : text;
  }
  return { flags, words };
}

/** Words in the places of a command, written as `<file> [words..]`. */
export function placed(takes: string, words: readonly string[]) {
  const left = [...words];
  const found: Record<string, unknown> = {};
  let missing = false;
  for (const [, open, name = '', many] of takes.matchAll(/([<[])(\w+)(\.\.)?[>\]]/g)) {
    missing ||= open === '<' && left.length === 0;
    if (many !== undefined) found[name] = left.splice(0);
    else if (left.length > 0) found[name] = left.shift();
  }
  return { found, missing, extra: left[0] };
}
