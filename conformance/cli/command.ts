import type { Argv } from 'yargs';
import yargs from 'yargs';
import { suggestion } from '../../emulator/contract/nearest.js';
import { visible } from '../../emulator/contract/visible.js';
import { MergeError } from '../engine/merge.js';
import { KIT_VERSION } from '../engine/version.js';
import { UsageError } from '../framework/usage.js';
import { COMMANDS, type CommandRow, meant } from './commands.js';
import { askedForAll, withFlags } from './help.js';
import type { Io } from './io.js';

/** What the help says of words that only lead to other commands. */
const FAMILIES: Readonly<Record<string, string>> = { report: 'work with JSON reports' };

/** Flags under their names in snake case, without yargs' own spellings. */
function given(args: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value !== undefined && !/[A-Z$]/.test(name) && name !== '_') found[name.replaceAll('-', '_')] = value;
  }
  return found;
}

/** yargs' words for what it cannot take, with the nearest command or flag that there is. */
function improved(message: string, args: readonly string[]): string {
  const row = meant(args);
  if (/^Not enough non-option/.test(message) && row?.missing !== undefined) return row.missing;
  const without = /^Not enough arguments following: (.+)/.exec(message)?.[1];
  if (without !== undefined) return `--${without}: expected a value after it`;
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(message)?.[1];
  if (unknown === undefined) return message;
  if (args.includes(unknown)) {
    const [first = unknown, second] = args.filter((arg) => !arg.startsWith('-'));
    const family = first in FAMILIES;
    const commands = COMMANDS.flatMap(({ words: [one, two] }) => (family ? one === first && two : one) || []);
    const known = family && commands.includes(second ?? '');
    if (known) return `${first} ${second}: ${JSON.stringify(unknown)} is one word more than it takes`;
    // A misspelt command is taken for the address of a target: the word after it is the first that is in the way.
    const typed = family ? (second ?? unknown) : suggestion(first, commands) === '' ? unknown : first;
    return `${family ? `${first}: ` : ''}unknown command ${JSON.stringify(typed)}${suggestion(typed, commands)}`;
  }
  return `unknown flag --${unknown}${suggestion(unknown, Object.keys(row?.flags ?? {}), (flag) => `--${flag}`)}`;
}

/**
 * The command line of the kit: a run, `report merge`, `report diff`, `report trend`, `replay`, `drift`,
 * `client`, `cleanup`. Answers the exit code: 0 conforms, 1
 * does not, 2 called wrongly, 3 incomplete. `name` is how it was called.
 */
export async function conformance(words: readonly string[], io: Io, name = 'intern-conformance'): Promise<number> {
  let exit = 0;
  // What stands after `--` is the command of an adapter, and none of ours to parse.
  const dashes = words.indexOf('--');
  const { args, all } = askedForAll(dashes === -1 ? words : words.slice(0, dashes));
  const adapter = dashes === -1 ? [] : words.slice(dashes + 1);
  if (adapter.length > 0 && args[0] !== 'client' && args[0] !== 'replay') {
    io.err(
      `${name}: only client and replay take a command after --${suggestion(args[0] ?? '', ['client', 'replay'])}\n`,
    );
    return 2;
  }

  const added = (argv: Argv, row: CommandRow, word = '$0') =>
    argv.command(
      `${word} ${row.takes}`.trim(),
      row.describe as string,
      (inner) => {
        for (const [positional, options] of Object.entries(row.positionals)) inner.positional(positional, options);
        return withFlags(inner, row.flags, all);
      },
      async (found) => {
        exit = await row.run({ found: given(found), adapter, io });
      },
    );

  const parser = yargs([...args])
    .scriptName(name)
    .usage(
      '$0 [url]\n\nTells whether a deployment keeps the interface. Without a URL: the emulator, on a virtual clock.',
    );
  for (const row of COMMANDS) if (row.words.length < 2) added(parser, row, row.words[0]);
  for (const [family, describe] of Object.entries(FAMILIES)) {
    const members = COMMANDS.filter(({ words: [first, second] }) => first === family && second !== undefined);
    parser.command(family, describe, (argv) => {
      for (const row of members) added(argv, row, row.words[1]);
      return argv.demandCommand(1, `${family}: expected ${members.map((row) => row.words[1]).join(' or ')}`);
    });
  }
  parser
    .parserConfiguration({
      'duplicate-arguments-array': true,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .strict()
    .version(KIT_VERSION)
    .help()
    .locale('en')
    .wrap(Math.min(110, io.width))
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new UsageError(message);
    });
  try {
    let printed = '';
    await parser.parseAsync([...args], {}, (_error, _found, output) => {
      printed = output;
    });
    if (printed !== '') io.out(`${printed}\n`);
    return exit;
  } catch (error) {
    if (
      error instanceof UsageError ||
      error instanceof MergeError ||
      (error instanceof Error && error.name === 'YError')
    ) {
      io.err(`${name}: ${visible(improved(error.message, args)).replace(/\s*\n\s*/g, ' ')}\n`);
      return 2;
    }
    io.err(`${name}: ${visible(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
    return 3;
  }
}
