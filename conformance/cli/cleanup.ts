import { existsSync, rmSync } from 'node:fs';
import { ownCommand } from '../../emulator/contract/pasted.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { visible } from '../../emulator/contract/visible.js';
import { connect } from '../drivers/connect.js';
import { hindranceText } from '../report/words/stop.js';
import { takeAway } from '../run/cleaning.js';
import { createLedger, readLedger } from '../run/ledger.js';
import { createEnding } from '../run/limits.js';
import { settingsOf } from '../run/options.js';
import { createSession } from '../run/session.js';
import { agreed, ledgerFile } from './engine.js';
import type { Io } from './io.js';
import type { Settings } from './settings.js';

/** Deletes the leftovers of an earlier run by its ledger. Exit status 0 when nothing is left, else 3 and one line. */
export async function cleanupCommand(run: string, settings: Settings, io: Io): Promise<number> {
  const file = existsSync(run) ? run : ledgerFile(settings.ledgerDir, run);
  if (!existsSync(file))
    throw new UsageError(`there is no ledger of a run ${run}: neither ${run} nor ${file} is there`);
  const left = readLedger(file);
  const url = settings.url ?? left.url;
  if (settings.url === undefined) await agreed({ file, url, naming: `--url ${url}` }, settings, io);
  const { host, signal } = io;
  const connected = await connect({
    settings: { ...settings, url, readOnly: true },
    host,
    tag: left.run,
    look: true,
    env: io.env,
    signal,
  });
  const { driver, close } = connected;
  try {
    const { timeout, rate, maxTime } = settings;
    const runSettings = settingsOf({ driver, host, timeout, rate, cleanupTime: maxTime });
    const base = {
      driver,
      host,
      tag: left.run,
      settings: runSettings,
      ending: createEnding(host, { limits: runSettings.limits }),
      ledger: createLedger(file, left.entries),
      signal,
    };
    const session = createSession(base);
    session.cleaning();
    const before = session.own.open().length;
    const result = await takeAway({ ...base, session }, { before, signal });
    const again = `run the same command again: ${ownCommand('intern-conformance', ['cleanup', left.run, '--url', url])}`;
    if (result.failed.length > 0) {
      const reasons = [...new Set(result.failed.map(({ because }) => hindranceText(because)))].join('; ');
      const ids = result.failed.map(({ id }) => id).join(', ');
      io.err(visible(`${result.failed.length} interns of run ${left.run} are left (${reasons}): ${ids}; ${again}\n`));
      return 3;
    }
    if (result.unsearched !== undefined) {
      const why = hindranceText(result.unsearched);
      io.err(visible(`the interns of run ${left.run} could not be searched for: ${why}; ${again}\n`));
      return 3;
    }
    io.out(`nothing of run ${left.run} is left at ${url}\n`);
    rmSync(file);
    return 0;
  } finally {
    await close();
  }
}
