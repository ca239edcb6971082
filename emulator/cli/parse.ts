import { askedForAll, COMMON, helpText, placed, readArguments, UsageError } from '../../conformance/cli/arguments.js';
import { suggestion } from '../contract/nearest.js';
import { VERSION } from '../contract/version.js';
import type { Io } from './command.js';
import { COMMANDS, CONFORMANCE, type CommandRow, DEFAULT } from './commands.js';
import { flagTable } from './settings.js';

const usageOf = ({ word, takes }: Pick<CommandRow, 'word' | 'takes'>): string =>
  ['intern-emulator', word, takes].filter((part) => part !== undefined).join(' ');

/** The command that a call means: the first word of it that is one. */
function meant(args: readonly string[]): { row: CommandRow; own: readonly string[] } {
  const named = COMMANDS.filter(({ word }) => args.includes(word));
  // A start without such a word need not be parsed twice.
  const words = named.length === 0 ? [] : readArguments(args, flagTable(), false).words;
  const row = words.flatMap((word) => named.find((each) => each.word === word) ?? [])[0];
  return row === undefined ? { row: DEFAULT, own: args } : { row, own: args.toSpliced(args.indexOf(row.word), 1) };
}

/** Refuses a word that has no place in a call. */
function refuse({ word }: CommandRow, extra: string): never {
  if (word === 'exec' || word === 'explore')
    throw new UsageError(`${word}: give the command after --, as in: ${word} -- ${extra}`);
  const known = [...COMMANDS, CONFORMANCE].map((row) => row.word);
  throw new UsageError(`unknown command ${JSON.stringify(extra)}${suggestion(extra, known)}`);
}

/**
 * Runs the command that `given` names; `rest` is what follows `--`. Resolves with its exit status.
 *
 * @throws UsageError for unknown flags and commands
 */
export async function runCommand(given: readonly string[], rest: string[], io: Io): Promise<number> {
  const { args, all } = askedForAll(given);
  const { row, own } = meant(args);
  const command = (await row.load()).default;
  const table = command.options();
  const { flags, words } = readArguments(own, { ...COMMON, ...table });
  const { found, extra } = placed(row.takes ?? '', words);
  if (flags.version === true) {
    io.stdout(`${VERSION}\n`);
    return 0;
  }
  if (flags.help === true) {
    const first = row === DEFAULT;
    const page = {
      usage: first ? 'intern-emulator [command] [flags]' : usageOf(row),
      ...(first
        ? { commands: [...COMMANDS, CONFORMANCE].map((each) => [usageOf(each), each.describe] as const) }
        : { describe: row.describe }),
      flags: table,
      epilogue: 'Each flag of serve and exec may also be given as INTERN_EMULATOR_<FLAG>, or in a config file.',
      all,
      width: Math.min(120, process.stdout.columns ?? 100),
    };
    io.stdout(helpText(page));
    return 0;
  }
  if (extra !== undefined) refuse(row, extra);
  return command.run({ argv: { ...flags, ...found }, rest, io });
}
