import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { askedForAll, COMMON, type FlagTable, type HelpPage, helpText, placed, readArguments } from './arguments.js';

/** A call of a command: flags and positionals by their names, and the words after `--`. */
export interface Call<Io> {
  readonly argv: Readonly<Record<string, unknown>>;
  readonly rest: readonly string[];
  readonly io: Io;
}

/** The flags of a command, and its work. `run` returns the exit status, or throws a UsageError with one line. */
export interface Command<Io> {
  readonly flags: FlagTable;
  run(call: Call<Io>): Promise<number>;
}

export interface CommandRow {
  /** The words of the command; none for the default one. */
  readonly words: readonly string[];
  /** The positionals: `<report> [url]`, `<files..>`. */
  readonly takes?: string;
  readonly describe: string;
  /** The message if a positional is missing. */
  readonly missing?: string;
}

/** A program whose commands are the rows of a table. */
export interface Program<Row extends CommandRow, Io> {
  readonly version: string;
  readonly width: number;
  /** The row of a command line. */
  meant(args: readonly string[]): Row;
  load(row: Row): Command<Io> | Promise<Command<Io>>;
  page(row: Row): Omit<HelpPage, 'flags' | 'all' | 'width'>;
  /** Refuses a superfluous word of a command line. */
  refuse(row: Row, extra: string, words: readonly string[]): never;
}

/** The usage of a row: its words and its positionals, after the name of the program. */
export const usageOf = (name: string, { words, takes }: Pick<CommandRow, 'words' | 'takes'>): string =>
  [name, ...words, ...(takes === undefined ? [] : [takes])].join(' ');

export const listed = (name: string, rows: readonly CommandRow[]) =>
  rows.map((row) => [usageOf(name, row), row.describe] as const);

/**
 * Cuts a command line at its first `--`. The words after it are another command, which is not parsed.
 *
 * @throws UsageError unless one of `takers` is there to run it: as the first word, or anywhere
 */
export function cutAtDashes(args: readonly string[], takers: readonly string[], { first = false } = {}) {
  const at = args.includes('--') ? args.indexOf('--') : args.length;
  const own = args.slice(0, at);
  const rest = args.slice(at + 1);
  const isThere = (first ? own.slice(0, 1) : own).some((word) => takers.includes(word));
  if (rest.length > 0 && !isThere)
    throw new UsageError(`only ${takers.join(' and ')} take a command after --${suggestion(own[0] ?? '', takers)}`);
  return { own, rest };
}

/**
 * Runs the command that `given` names; `rest` is what follows `--`. Returns its exit status.
 *
 * @throws UsageError for unknown flags and commands
 */
export async function runTable<Row extends CommandRow, Io extends { out(text: string): void }>(
  { version, width, meant, load, page, refuse }: Program<Row, Io>,
  given: readonly string[],
  rest: readonly string[],
  io: Io,
): Promise<number> {
  const { args, all } = askedForAll(given);
  const row = meant(args);
  const { flags: table, run } = await load(row);
  const { flags, words } = readArguments(args, { ...COMMON, ...table });
  if (flags.version === true) io.out(`${version}\n`);
  else if (flags.help === true) io.out(helpText({ ...page(row), flags: table, all, width }));
  else {
    const { takes = '', missing: message = `expected ${takes}` } = row;
    const at = words.indexOf(row.words[0] ?? '');
    const { found, missing, extra } = placed(takes, at < 0 ? words : words.toSpliced(at, row.words.length));
    if (missing) throw new UsageError(message);
    if (extra !== undefined) refuse(row, extra, words);
    return run({ argv: { ...flags, ...found }, rest, io });
  }
  return 0;
}
