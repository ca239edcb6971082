import yargs from 'yargs';
import { VERSION } from '../version.js';
import type { Io } from './command.js';
import { COMMANDS, CONFORMANCE, type CommandRow } from './commands.js';
import { FLAG_NAMES, kebab } from './flags.js';
import { suggestion, UsageError } from './usage.js';

/** Where in the arguments the command of `exec` begins. */
const partedAt = (args: readonly string[]) => {
  const at = args.indexOf('--');
  return at === -1 ? args.length : at;
};

/** Whether a row of the table may be the command that is meant. Only those are loaded, before yargs looks at the flags. */
function isMeant(row: CommandRow, args: readonly string[]): boolean {
  const isDefault = typeof row.command !== 'string';
  return isDefault ? !COMMANDS.some((other) => other !== row && wordOf(other) === args[0]) : args.includes(wordOf(row));
}

const wordOf = ({ command }: Pick<CommandRow, 'command'>): string => [command].flat()[0]?.split(' ')[0] ?? '';

/** yargs' words for a flag that is not there, with the nearest that is. */
function improved(message: string, args: readonly string[]): string {
  const line = message.replaceAll('\n', ' ');
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(line)?.[1];
  if (unknown === undefined) return line;
  if (args.includes(unknown)) {
    return `there is no command ${JSON.stringify(unknown)}${suggestion(unknown, [...COMMANDS.map(wordOf), CONFORMANCE.word])}`;
  }
  return `there is no flag --${unknown}${suggestion(unknown, FLAG_NAMES.map(kebab), (name) => `--${name}`)}`;
}

/**
 * The command line. Resolves with the exit status: 2, after one line on standard error, for a use that it does not
 * understand.
 */
export async function main(args: readonly string[], io: Io): Promise<number> {
  if (args[0] === CONFORMANCE.word) {
    return (await CONFORMANCE.load()).main(args.slice(1), `intern-emulator ${CONFORMANCE.word}`);
  }
  const cut = partedAt(args);
  const own = args.slice(0, cut);
  const rest = args.slice(cut + 1);
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
      // Its own errors come with a message and an error, those of a handler with the error alone.
      throw message ? new UsageError(improved(message, own)) : error;
    });
  for (const row of COMMANDS) {
    const used = isMeant(row, own) ? (await row.load()).default : undefined;
    parser.command(
      row.command,
      row.describe,
      (builder) => builder.options(used?.options() ?? {}),
      async (argv) => {
        if (used) status = await used.run({ argv, rest, io });
      },
    );
  }
  parser.command(CONFORMANCE.command, CONFORMANCE.describe);
  try {
    if (rest.length > 0 && !own.includes('exec')) throw new UsageError('only exec takes a command after --');
    await parser.parseAsync([...own]);
    return status;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr(`intern-emulator: ${error.message}\n`);
    return 2;
  }
}
