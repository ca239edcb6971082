import yargs from 'yargs';
import { askedForAll, withFlags } from '../../conformance/cli/help.js';
import { suggestion } from '../contract/nearest.js';
import { VERSION } from '../contract/version.js';
import type { Io } from './command.js';
import { COMMANDS, CONFORMANCE, type CommandRow } from './commands.js';
import { parsed } from './config.js';
import { FLAG_NAMES, FLAGS, type Flag, kebab } from './flags.js';
import { UsageError } from './usage.js';

/**
 * Whether a row of the table may be the requested command. Only those rows are loaded, before yargs looks at the flags.
 */
function isMeant(row: CommandRow, args: readonly string[]): boolean {
  const isDefault = typeof row.command !== 'string';
  return isDefault ? !COMMANDS.some((other) => other !== row && wordOf(other) === args[0]) : args.includes(wordOf(row));
}

const wordOf = ({ command }: Pick<CommandRow, 'command'>): string => [command].flat()[0]?.split(' ')[0] ?? '';

/** yargs' words for an unknown flag, with the nearest known one. */
function improved(message: string, args: readonly string[]): string {
  const line = message.replaceAll('\n', ' ');
  const without = /^Not enough arguments following: (.+)/.exec(line)?.[1];
  if (without !== undefined) return `--${without}: expected a value after it`;
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(line)?.[1];
  if (unknown === undefined) return line;
  if (args.includes(unknown)) {
    if (args[0] === 'exec' || args[0] === 'explore')
      return `${args[0]}: give the command after --, as in: ${args[0]} -- ${unknown}`;
    return `unknown command ${JSON.stringify(unknown)}${suggestion(unknown, [...COMMANDS.map(wordOf), CONFORMANCE.word])}`;
  }
  return `unknown flag --${unknown}${suggestion(unknown, FLAG_NAMES.map(kebab), (name) => `--${name}`)}`;
}

/** Switches that were given a value (`--fsync=1`). yargs reads anything but `true` as false. */
export const withSwitches = (args: readonly string[]): string[] =>
  args.map((arg) => {
    const [, flag = '', value] = /^--([a-z][a-z0-9-]*)=(.*)$/s.exec(arg) ?? [];
    const name = FLAG_NAMES.find((each) => kebab(each) === flag);
    if (value === undefined || name === undefined || FLAGS[name].kind !== 'switch') return arg;
    return parsed(`--${flag}`, FLAGS[name] as Flag<unknown>, value) === true ? `--${flag}` : `--no-${flag}`;
  });

/**
 * Runs the command that `words` name; `rest` is what follows `--`. Resolves with its exit status.
 *
 * @throws UsageError for unknown flags and commands
 */
export async function runCommand(words: readonly string[], rest: string[], io: Io): Promise<number> {
  const { args: own, all } = askedForAll(words);
  let status = 0;
  const parser = yargs()
    .scriptName('intern-emulator')
    .usage('$0 [command] [flags]')
    .locale('en')
    .parserConfiguration({ 'camel-case-expansion': false, 'greedy-arrays': false, 'parse-numbers': false })
    .strict()
    .version(VERSION)
    .help()
    .alias('help', 'h')
    .wrap(Math.min(120, process.stdout.columns ?? 100))
    .epilogue('Each flag of serve and exec may also be given as INTERN_EMULATOR_<FLAG>, or in a config file.')
    .exitProcess(false)
    .fail((message, error) => {
      // Its own errors come with a message and an error; those of a handler come with the error alone.
      throw message ? new UsageError(improved(message, own)) : error;
    });
  for (const row of COMMANDS) {
    const used = isMeant(row, own) ? (await row.load()).default : undefined;
    parser.command(
      row.command,
      row.describe,
      (builder) => withFlags(builder, used?.options() ?? {}, all),
      async (argv) => {
        if (used) status = await used.run({ argv, rest, io });
      },
    );
  }
  parser.command(CONFORMANCE.command, CONFORMANCE.describe);
  await parser.parseAsync(withSwitches(own));
  return status;
}
