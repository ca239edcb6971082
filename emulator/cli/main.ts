import { UsageError } from '../../conformance/cli/arguments.js';
import { owed } from '../clock/owed.js';
import { FileInvalid } from '../contract/file.js';
import { suggestion } from '../contract/nearest.js';
import type { Io } from './command.js';
import { CONFORMANCE } from './commands.js';
import { parentGone } from './parent.js';
import { runCommand } from './parse.js';

/** The command line. Resolves with the exit status. A misuse prints one line on standard error and gives status 2. */
export const main = (args: readonly string[], io: Io): Promise<number> => owed(run(args, io));

async function run(args: readonly string[], io: Io): Promise<number> {
  if (args[0] === CONFORMANCE.word) {
    return (await CONFORMANCE.load()).main(args.slice(1), {
      name: `intern-emulator ${CONFORMANCE.word}`,
      gone: () => parentGone(undefined, io, ''),
    });
  }
  try {
    const cut = args.includes('--') ? args.indexOf('--') : args.length;
    const own = args.slice(0, cut);
    const rest = args.slice(cut + 1);
    if (rest.length > 0 && !own.some((word) => word === 'exec' || word === 'explore'))
      throw new UsageError(
        `only exec and explore take a command after --${suggestion(own[0] ?? '', ['exec', 'explore'])}`,
      );
    return await runCommand(own, rest, io);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof FileInvalid)) throw error;
    io.stderr(`intern-emulator: ${error.message}\n`);
    return 2;
  }
}
