import pc from 'picocolors';
import { StoreError } from '../index.js';
import { banner, readyLine } from './banner.js';
import type { CommandModule } from './command.js';
import { createLogging, flushAtEnd } from './logging.js';
import { parentGone } from './parent.js';
import { flagTable, resolveSettings } from './settings.js';
import { untilStopped } from './signals.js';
import { start } from './start.js';
import { warmUp } from './warm-up.js';

/** `intern-emulator serve`: listens until it is stopped. */
const serve: CommandModule = {
  flags: flagTable(),
  async run({ argv, io }) {
    const given = resolveSettings(argv, io);
    const logging = createLogging(io, given);
    flushAtEnd(logging);
    const { emulator, at } = await start(given, logging.options);
    if (!given.quiet && !given.json) io.err(banner(emulator.target, at, pc.createColors(io.colors)));
    const ready = given.json ? JSON.stringify(emulator.target) : readyLine(at);
    const gone = parentGone(given.exitWithParent, io);
    // A script that waits for the line may send a signal at once: handle it from here on.
    const stopped = untilStopped(() => emulator.close().finally(logging.flush), io.exit, { also: gone });
    io.out(`${ready}\n`);
    void warmUp();
    return stopped.catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      io.err(`intern-emulator: ${error.message}\n`);
      return 1;
    });
  },
};

export default serve;
