import { byKey } from '../../emulator/contract/by-key.js';
import { COMMON, type FlagRow, type FlagTable } from './arguments.js';

/** The flags that a call for help shows first, and alone unless it asks for all. */
export const MOST_USED = 'Most used:';

/** A call without the `all` of `--help all`, and whether it had one. */
export function askedForAll(args: readonly string[]): { readonly args: string[]; readonly all: boolean } {
  const at = args.findIndex((arg, index) => arg === 'all' && /^(?:--help|-h)$/.test(args[index - 1] ?? ''));
  return { args: args.filter((_, index) => index !== at), all: at >= 0 };
}

/** Flags by groups, as the help shows them: those that are in none stand last. */
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

/** A page of help. */
export interface HelpPage {
  readonly usage: string;
  readonly describe?: string;
  /** The arguments and the effect of each command of the page. */
  readonly commands?: readonly (readonly [usage: string, describe: string])[];
  readonly positionals?: readonly (readonly [name: string, describe: string])[];
  readonly flags?: FlagTable;
  readonly epilogue?: string;
  /** Shows all flags, and not only those that are used most. */
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

function entryOf([name, { type, array, alias, describe, defaultDescription }]: readonly [string, FlagRow]): Entry {
  const kind = array ? '[may be repeated]' : type === 'string' ? '[value]' : '';
  const otherwise = defaultDescription === undefined ? '' : `[default: ${defaultDescription}]`;
  const tags = [describe.includes('may be repeated') ? '' : kind, otherwise].filter((tag) => tag !== '');
  return [`${alias === undefined ? '   ' : `-${alias},`} --${name}`, [describe, ...tags].join(' ')];
}

/** The text of a page. */
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
