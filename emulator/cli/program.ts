import { readArguments, UsageError } from '../../conformance/cli/arguments.js';
import { listed, type Program, usageOf } from '../../conformance/cli/table.js';
import { suggestion } from '../contract/nearest.js';
import { VERSION } from '../contract/version.js';
import type { Io } from './command.js';
import { COMMANDS, CONFORMANCE, DEFAULT, type EmulatorCommand } from './commands.js';
import { flagTable } from './settings.js';

const NAME = 'intern-emulator';
const ALL = [...COMMANDS, CONFORMANCE];

export const PROGRAM: Program<EmulatorCommand, Io> = {
  version: VERSION,
  width: Math.min(120, process.stdout.columns ?? 100),
  /** The first word of a call that is a command names it. */
  meant(args) {
    const named = COMMANDS.filter(({ words: [word = ''] }) => args.includes(word));
    // A start without such a word need not be parsed twice.
    const words = named.length === 0 ? [] : readArguments(args, flagTable(), false).words;
    return words.flatMap((word) => named.find((each) => each.words[0] === word) ?? [])[0] ?? DEFAULT;
  },
  load: async (row) => (await row.load()).default,
  page: (row) => ({
    ...(row === DEFAULT
      ? { usage: `${NAME} [command] [flags]`, commands: listed(NAME, ALL) }
      : { usage: usageOf(NAME, row), describe: row.describe }),
    epilogue: 'Each flag of serve and exec may also be given as INTERN_EMULATOR_<FLAG>, or in a config file.',
  }),
  refuse({ words: [word] }, extra) {
    if (word === 'exec' || word === 'explore')
      throw new UsageError(`${word}: give the command after --, as in: ${word} -- ${extra}`);
    const known = ALL.flatMap(({ words }) => words);
    throw new UsageError(`unknown command ${JSON.stringify(extra)}${suggestion(extra, known)}`);
  },
};
