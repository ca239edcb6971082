import { UsageError } from '../../conformance/cli/arguments.js';
import { cutAtDashes, runTable } from '../../conformance/cli/table.js';
import { owed } from '../clock/owed.js';
import { FileInvalid } from '../contract/file.js';
import type { Io } from './command.js';
import { CONFORMANCE } from './commands.js';
import { parentGone } from './parent.js';
import { PROGRAM } from './program.js';

/** The command line. Resolves with the exit status. A misuse prints one line on standard error and gives status 2. */
export const main = (args: readonly string[], io: Io): Promise<number> => owed(run(args, io));

async function run(args: readonly string[], io: Io): Promise<number> {
  if (args[0] === CONFORMANCE.words[0]) {
    return (await CONFORMANCE.load()).main(args.slice(1), {
      name: `intern-emulator ${CONFORMANCE.words[0]}`,
      gone: () => parentGone(undefined, io, ''),
    });
  }
  try {
    const { own, rest } = cutAtDashes(args, ['exec', 'explore']);
    return await runTable(PROGRAM, own, rest, io);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof FileInvalid)) throw error;
    io.err(`intern-emulator: ${error.message}\n`);
    return 2;
  }
}
