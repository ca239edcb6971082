import { Parser } from 'yargs/helpers';
import { byKey } from '../../emulator/contract/by-key.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';

export { UsageError };

/** A flag of a command. Its value stays a text: one place validates values of flags, variables and files. */
export interface FlagRow {
  readonly type: 'string' | 'boolean';
  readonly describe: string;
  /** May be given more than once. */
  readonly array?: boolean;
  /** Its one letter. */
  readonly alias?: string;
  readonly choices?: readonly string[];
  /** The default, as the help shows it. */
  readonly fallback?: string;
  readonly group?: string;
}

/** A flag with a value, one that may be given more than once, and a switch. */
export const text = (describe: string, more: Partial<FlagRow> = {}): FlagRow => ({ type: 'string', describe, ...more });
export const list = (describe: string, more: Partial<FlagRow> = {}): FlagRow =>
  text(describe, { array: true, ...more });
export const toggle = (describe: string, more: Partial<FlagRow> = {}): FlagRow =>
  text(describe, { type: 'boolean', ...more });

/** Flags of one command, by their names on the command line. */
export type FlagTable = Readonly<Record<string, FlagRow>>;

/** The flags of every command. */
export const COMMON: FlagTable = {
  version: toggle('Show version number'),
  help: toggle('Show help', { alias: 'h' }),
};

/** A parsed command line: its flags by their names, and its words. */
interface Arguments {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

const SWITCH = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', ''].map((word) => [word, false] as const),
]);

/** The meaning of a switch's text; undefined for another text. */
export const switched = (text: string): boolean | undefined => SWITCH.get(text.toLowerCase());

/** Respells a switch with a value, such as `--quiet=false`, for the parser. Other arguments stay. */
function spelled(arg: string, table: FlagTable): string {
  const [, name = '', given = ''] = /^--([^=]+)=(.*)$/s.exec(arg) ?? [];
  if (!Object.hasOwn(table, name) || table[name]?.type !== 'boolean') return arg;
  const on = switched(given);
  if (on === undefined) throw new UsageError(`--${name}: expected true or false; found ${JSON.stringify(given)}`);
  return `--${name}=${on}`;
}

/** A negative number and a lone dash are no flags. */
const FLAG = /^-(?:-(?<long>[^=]*)|(?<short>[^\d.]))/;

/**
 * Parses a command line with yargs. An unknown flag is refused with the nearest known one, or where `strict` is
 * false left out.
 *
 * @throws UsageError with one line
 */
export function readArguments(args: readonly string[], table: FlagTable, strict = true): Arguments {
  // Each flag that the parser knows costs time at every start: it is given the flags that an argument may mean.
  const written = [...args, ...args.map((arg) => Parser.decamelize(arg))].join(' ');
  const meant = Object.entries(table).filter(([name, { alias = name }]) =>
    [name, alias].some((spelling) => written.includes(spelling)),
  );
  const named = (kind: FlagRow['type']) => meant.flatMap(([name, { type }]) => (type === kind ? [name] : []));
  const texts = named('string');
  let bare: string | undefined;
  // The parser's hook for translating its complaints, which its types lack. It has one such complaint: a flag
  // has no value after it.
  const complaints = {
    __: (_complaint: string, name: string) => {
      bare ??= name;
      return name;
    },
  };
  const { argv } = Parser.detailed(
    args.map((arg) => spelled(arg, table)),
    {
      boolean: named('boolean'),
      string: texts,
      narg: Object.fromEntries(texts.map((name) => [name, 1])),
      alias: Object.fromEntries(meant.map(([name, { alias }]) => [name, alias ?? []])),
      configuration: {
        'dot-notation': false,
        'parse-numbers': false,
        'parse-positional-numbers': false,
        'short-option-groups': false,
        'unknown-options-as-args': true,
      },
      ...complaints,
    },
  );
  const unknown = (flag: string, name: string) =>
    new UsageError(`unknown flag ${flag}${suggestion(name, Object.keys(table), (near) => `--${near}`)}`);
  const words: string[] = [];
  for (const word of argv._.map(String)) {
    const { long, short } = FLAG.exec(word)?.groups ?? {};
    const name = long ?? short;
    if (name === undefined) words.push(word);
    else if (strict) throw unknown(`${long === undefined ? '-' : '--'}${name}`, name);
  }
  // The parser takes `--data-dir` for a known flag where there is `--data`.
  const known = new Set(['_', ...Object.entries(table).flatMap(([name, { alias = name }]) => [name, alias])]);
  const longer = Object.keys(argv).find((name) => !known.has(name) && !known.has(Parser.decamelize(name)));
  if (strict && longer !== undefined) throw unknown(`--${longer}`, longer);
  if (strict && bare !== undefined) throw new UsageError(`--${bare}: expected a value after it`);
  const flags: Record<string, unknown> = {};
  for (const [name, row] of meant) {
    const value: unknown = Object.hasOwn(argv, name) ? argv[name] : undefined;
    if (value === undefined) continue;
    if (row.type === 'string' && value === false) throw unknown(`--no-${name}`, `no-${name}`);
    const wrong = row.choices && [value].flat().find((text) => !row.choices?.includes(String(text)));
    if (wrong !== undefined)
      throw new UsageError(`--${name}: expected ${row.choices?.join(' or ')}; found ${JSON.stringify(wrong)}`);
    // The last value of a repeated switch counts. A repeated single flag stays a list: the
    // reader of its value refuses that.
    flags[name] = row.type === 'boolean' ? [value].flat().at(-1) : row.array ? [value].flat() : value;
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

/** The group of flags that `--help` shows first. `--help all` shows the others, too. */
export const MOST_USED = 'Most used:';

/** Takes the `all` of `--help all` from a command line, and says whether it was there. */
export function askedForAll(args: readonly string[]): { readonly args: string[]; readonly all: boolean } {
  const at = args.findIndex((arg, index) => arg === 'all' && /^(?:--help|-h)$/.test(args[index - 1] ?? ''));
  return { args: args.filter((_, index) => index !== at), all: at >= 0 };
}

/** Flags by the groups of the help. Flags without a group come last. */
export const grouped = (flags: FlagTable, groups: Readonly<Record<string, readonly string[]>>): FlagTable => {
  const named = Object.entries(groups).flatMap(([group, names]) => names.map((name) => [name, group] as const));
  const order = [...named.map(([name]) => name), ...Object.keys(flags)];
  const groupOf = new Map(named);
  return Object.fromEntries(
    [...new Set(order)].flatMap((name) => {
      const flag = flags[name];
      return flag === undefined ? [] : [[name, { ...flag, group: groupOf.get(name) ?? flag.group ?? 'More:' }]];
    }),
  );
};

export interface HelpPage {
  readonly usage: string;
  readonly describe?: string;
  /** The arguments and the effect of each command of the page. */
  readonly commands?: readonly (readonly [usage: string, describe: string])[];
  readonly positionals?: readonly (readonly [name: string, describe: string])[];
  readonly flags?: FlagTable;
  readonly epilogue?: string;
  /** Whether to show all flags, not only the most used ones. */
  readonly all: boolean;
  readonly width: number;
}

/** Words in lines of a width. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

type Entry = readonly [left: string, right: string];

/** A title, and entries in two columns. */
function section(title: string, entries: readonly Entry[], width: number): string[] {
  if (entries.length === 0) return [];
  const left = Math.max(...entries.map(([name]) => name.length));
  const lines = entries.flatMap(([name, text]) =>
    wrapped(text, Math.max(30, width - left - 4)).map(
      (line, at) => `  ${(at === 0 ? name : '').padEnd(left)}  ${line}`,
    ),
  );
  return ['', title, ...lines];
}

function entryOf([name, { type, array, alias, describe, fallback }]: readonly [string, FlagRow]): Entry {
  const kind = array ? '[may be repeated]' : type === 'string' ? '[value]' : '';
  const otherwise = fallback === undefined ? '' : `[default: ${fallback}]`;
  const tags = [describe.includes('may be repeated') ? '' : kind, otherwise].filter((tag) => tag !== '');
  return [`${alias === undefined ? '   ' : `-${alias},`} --${name}`, [describe, ...tags].join(' ')];
}

export function helpText({
  usage,
  describe,
  commands,
  positionals,
  flags = {},
  epilogue,
  all,
  width,
}: HelpPage): string {
  const short = !all && Object.values(flags).some(({ group }) => group === MOST_USED);
  const shown = Object.entries({ ...flags, ...COMMON }).filter(
    ([name, { group }]) => !short || group === MOST_USED || name in COMMON,
  );
  const groups = byKey(shown, ([, { group = 'Options:' }]) => group);
  const last = [epilogue, short ? '--help all shows every flag.' : undefined].filter((line) => line !== undefined);
  return [
    usage,
    ...(describe === undefined ? [] : ['', ...wrapped(describe, width)]),
    ...section('Commands:', commands ?? [], width),
    ...section('Positionals:', positionals ?? [], width),
    ...[...groups].flatMap(([group, entries]) => section(group, entries.map(entryOf), width)),
    ...(last.length === 0 ? [] : ['', ...last]),
    '',
  ].join('\n');
}
