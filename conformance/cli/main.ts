import { createInterface } from 'node:readline/promises';
import { FileInvalid } from '../../emulator/contract/file.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { visible } from '../../emulator/contract/visible.js';
import { systemHost } from '../probe/time.js';
import { joinLines } from '../report/stream-text.js';
import { MergeError } from '../run/merge.js';
import { SelectionError } from '../run/select.js';
import { KIT_VERSION } from '../run/verdict.js';
import { COMMON, readArguments } from './arguments.js';
import { COMMANDS, type KitCommand } from './commands.js';
import type { Io } from './io.js';
import { cutAtDashes, listed, type Program, runTable, usageOf } from './table.js';

/** Errors of the caller, which say in one line what to change. Any other error is a mistake of ours. */
const CALLED_WRONGLY = [UsageError, SelectionError, FileInvalid, MergeError];

const ANY_FLAG = Object.assign({}, ...COMMANDS.map(({ flags }) => flags), COMMON);

/** The row of a command line: the first whose words it begins with. */
function meant(args: readonly string[]): KitCommand {
  const { words } = readArguments(args, ANY_FLAG, false);
  const row = COMMANDS.find((each) => each.words.every((word, at) => words[at] === word));
  if (row === undefined) throw new Error('the table has no command without words');
  return row;
}

/** The commands whose words are those of a row and one more. */
const membersOf = ({ words }: KitCommand): KitCommand[] =>
  COMMANDS.filter(
    (each) => each.words.length === words.length + 1 && words.every((word, at) => each.words[at] === word),
  );

/** Flags under their names in snake case. */
const snaked = (flags: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(flags).map(([name, value]) => [name.replaceAll('-', '_'), value]));

/** Refuses a superfluous word, with the nearest known command. */
function refuse(row: KitCommand, extra: string, [first = '']: readonly string[]): never {
  const name = row.words.join(' ');
  const members = membersOf(row).flatMap(({ words }) => words.at(-1) ?? []);
  if (name !== '' && members.length === 0)
    throw new UsageError(`${name}: ${JSON.stringify(extra)} is one word more than it takes`);
  // A misspelt command counts as the address of a target, so the word after it is the superfluous one.
  const typed = name !== '' || suggestion(first, members) === '' ? extra : first;
  const source = name === '' ? '' : `${name}: `;
  throw new UsageError(`${source}unknown command ${JSON.stringify(typed)}${suggestion(typed, members)}`);
}

const program = (name: string, { width }: Io): Program<KitCommand, Io> => ({
  version: KIT_VERSION,
  width: Math.min(110, width),
  meant,
  load: ({ flags, run }) => ({ flags, run: (call) => run({ ...call, argv: snaked(call.argv) }) }),
  page: (row) => ({
    usage: usageOf(name, row),
    describe: row.describe,
    commands: listed(name, membersOf(row)),
    positionals: Object.entries(row.positionals ?? {}),
  }),
  refuse,
});

/**
 * The command line of the kit: a run, `report merge`, `report diff`, `report trend`, `replay`, `drift`,
 * `client`, `cleanup`. Answers the exit code: 0 conforms, 1 does not, 2 called wrongly, 3 incomplete, 70 a mistake of the kit.
 * `name` is how it was called.
 */
export async function conformance(words: readonly string[], io: Io, name = 'intern-conformance'): Promise<number> {
  try {
    const { own, rest } = cutAtDashes(words, ['client', 'replay'], { first: true });
    return await runTable(program(name, io), own, rest, io);
  } catch (error) {
    if (error instanceof Error && CALLED_WRONGLY.some((kind) => error instanceof kind)) {
      io.err(`${name}: ${joinLines(error.message)}\n`);
      return 2;
    }
    io.err(`${name}: ${visible(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
    return io.signal.aborted ? 3 : 70;
  }
}

/**
 * Runs the kit as a process, with its streams and signals. The first Ctrl-C ends the run and cleans up, a
 * second one leaves at once, unless a command claims it. Returns the exit code.
 */
export async function main(
  args: readonly string[],
  { name, gone }: { readonly name?: string } & Pick<Io, 'gone'> = {},
): Promise<number> {
  const over = new AbortController();
  const again = new AbortController();
  let isClaimed = false;
  let asked = 0;
  const interrupt = () => {
    const now = systemHost.now();
    // npm and shells pass one Ctrl-C on twice.
    if (over.signal.aborted && now - asked <= 150) return;
    asked = now;
    if (over.signal.aborted && (!isClaimed || again.signal.aborted)) process.exit(130);
    if (over.signal.aborted) return again.abort();
    const under = isClaimed ? 'ending; press Ctrl-C again to report' : 'cleaning up; press Ctrl-C again to leave';
    process.stderr.write(`\n${under} at once\n`);
    over.abort(new Error('interrupted'));
  };
  const ask = async (question: string): Promise<string> => {
    // Not in raw mode, in which Ctrl-C is an ordinary key.
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    try {
      return await lines.question(question, { signal: over.signal });
    } finally {
      lines.close();
    }
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await conformance(
      args,
      {
        out: (text) => void process.stdout.write(text),
        err: (text) => void process.stderr.write(text),
        colour: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
        live: process.stderr.isTTY === true,
        ask: process.stdin.isTTY === true && process.stderr.isTTY === true ? ask : undefined,
        width: process.stderr.columns ?? 100,
        env: process.env,
        signal: over.signal,
        again() {
          isClaimed = true;
          return again.signal;
        },
        gone,
        host: systemHost,
      },
      name,
    );
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
