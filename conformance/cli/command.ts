import { FileInvalid } from '../../emulator/contract/file.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { visible } from '../../emulator/contract/visible.js';
import { UsageError } from '../framework/usage.js';
import { joinLines } from '../report/stream-text.js';
import { MergeError } from '../run/merge.js';
import { SelectionError } from '../run/select.js';
import { KIT_VERSION } from '../run/verdict.js';
import { askedForAll, COMMON, type HelpPage, helpText, placed, readArguments } from './arguments.js';
import { COMMANDS, type CommandRow } from './commands.js';
import type { Io } from './io.js';

/** Errors of the caller, which say in one line what to change. Any other error is a mistake of ours. */
const CALLED_WRONGLY = [UsageError, SelectionError, FileInvalid, MergeError];

/** The help on words that are the first of several commands. */
const FAMILIES: Readonly<Record<string, string>> = { report: 'work with JSON reports' };

const ANY_FLAG = Object.assign({}, ...COMMANDS.map(({ flags }) => flags), COMMON);

/** The row of a command line: the one that shares the most first words with it. */
function meant(words: readonly string[]): CommandRow | undefined {
  const named = COMMANDS.find((row) => row.words.length > 0 && row.words.every((word, at) => words[at] === word));
  return named ?? COMMANDS.find((row) => row.words.length === 0);
}

const membersOf = (family: string): CommandRow[] =>
  COMMANDS.filter(({ words: [first, second] }) => first === family && second !== undefined);

/** Flags under their names in snake case. */
const snaked = (flags: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(flags).map(([name, value]) => [name.replaceAll('-', '_'), value]));

/** Refuses a superfluous word, with the nearest known command. */
function refuse(row: CommandRow, words: readonly string[], extra: string): never {
  const [first = ''] = words;
  if (row.words.length > 0)
    throw new UsageError(`${row.words.join(' ')}: ${JSON.stringify(extra)} is one word more than it takes`);
  const commands = COMMANDS.flatMap(({ words: [one] }) => one ?? []);
  // A misspelt command counts as the address of a target, so the word after it is the superfluous one.
  const typed = suggestion(first, commands) === '' ? extra : first;
  throw new UsageError(`unknown command ${JSON.stringify(typed)}${suggestion(typed, commands)}`);
}

const usageOf = (name: string, { words, takes }: Pick<CommandRow, 'words' | 'takes'>): string =>
  [name, ...words, takes].filter((part) => part !== '').join(' ');

/** The rows in the help of a command, or of a family. */
function pageOf(name: string, row: CommandRow, family: string | undefined): Omit<HelpPage, 'all' | 'width'> {
  const listed = (rows: readonly CommandRow[]) => rows.map((each) => [usageOf(name, each), each.describe] as const);
  if (family !== undefined)
    return { usage: `${name} ${family}`, describe: FAMILIES[family] ?? '', commands: listed(membersOf(family)) };
  const families = Object.entries(FAMILIES).map(([word, describe]) => [`${name} ${word}`, describe] as const);
  return {
    usage: usageOf(name, row),
    describe: row.describe,
    commands: row.words.length > 0 ? [] : [...listed(COMMANDS.filter(({ words }) => words.length === 1)), ...families],
    positionals: Object.entries(row.positionals ?? {}),
    flags: row.flags,
  };
}

/** Runs the command that a call names. */
async function run(given: readonly string[], adapter: readonly string[], io: Io, name: string): Promise<number> {
  const { args, all } = askedForAll(given);
  const plain = readArguments(args, ANY_FLAG, false).words;
  const [first = ''] = plain;
  const family = Object.hasOwn(FAMILIES, first) ? first : undefined;
  const row = meant(plain);
  if (row === undefined) throw new Error('the table has no command without words');
  const bare = family !== undefined && row.words.length === 0 ? family : undefined;
  const { flags, words } = readArguments(args, { ...COMMON, ...(bare === undefined ? row.flags : {}) });
  if (flags.version === true) io.out(`${KIT_VERSION}\n`);
  else if (flags.help === true) io.out(helpText({ ...pageOf(name, row, bare), all, width: Math.min(110, io.width) }));
  else if (bare !== undefined) {
    const members = membersOf(bare).flatMap((each) => each.words[1] ?? []);
    const [, typed] = words;
    if (typed === undefined) throw new UsageError(`${bare}: expected ${members.join(' or ')}`);
    throw new UsageError(`${bare}: unknown command ${JSON.stringify(typed)}${suggestion(typed, members)}`);
  } else {
    const { found, missing, extra } = placed(row.takes, words.slice(row.words.length));
    if (missing) throw new UsageError(row.missing ?? `expected ${row.takes}`);
    if (extra !== undefined) refuse(row, words, extra);
    return row.run({ found: { ...snaked(flags), ...found }, adapter, io });
  }
  return 0;
}

/**
 * The command line of the kit: a run, `report merge`, `report diff`, `report trend`, `replay`, `drift`,
 * `client`, `cleanup`. Answers the exit code: 0 conforms, 1
 * does not, 2 called wrongly, 3 incomplete. `name` is how it was called.
 */
export async function conformance(words: readonly string[], io: Io, name = 'intern-conformance'): Promise<number> {
  // The words after `--` are the command of an adapter, which we do not parse.
  const dashes = words.indexOf('--');
  const args = dashes === -1 ? words : words.slice(0, dashes);
  const adapter = dashes === -1 ? [] : words.slice(dashes + 1);
  try {
    if (adapter.length > 0 && args[0] !== 'client' && args[0] !== 'replay')
      throw new UsageError(
        `only client and replay take a command after --${suggestion(args[0] ?? '', ['client', 'replay'])}`,
      );
    return await run(args, adapter, io, name);
  } catch (error) {
    if (error instanceof Error && CALLED_WRONGLY.some((kind) => error instanceof kind)) {
      io.err(`${name}: ${joinLines(error.message)}\n`);
      return 2;
    }
    io.err(`${name}: ${visible(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
    return 3;
  }
}
