import { existsSync, rmSync } from 'node:fs';
import { connect } from '../drivers/connect.js';
import { visible } from '../reporters/stream-text.js';
import { takeAway } from '../run/cleaning.js';
import { settingsOf } from '../run/options.js';
import { createSession } from '../run/session.js';
import { UsageError } from '../run/usage.js';
import { createLedger, readLedger } from '../safety/ledger.js';
import { type Io, ledgerFile } from './run.js';
import type { Settings } from './settings.js';

/** Takes away what an earlier run left behind, by its ledger. Exit status 0 when nothing is left, else 3 and one line. */
export async function cleanupCommand(run: string, settings: Settings, io: Io): Promise<number> {
  const file = existsSync(run) ? run : ledgerFile(settings.ledgerDir, run);
  if (!existsSync(file))
    throw new UsageError(`there is no ledger of a run ${run}: neither ${run} nor ${file} is there`);
  const left = readLedger(file);
  const url = settings.url ?? left.url;
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
    const ledger = createLedger(file);
    for (const as of left.creators) ledger.write({ event: 'creating', name: '', as });
    for (const made of left.made) ledger.write({ event: 'created', ...made });
    const { timeout, rate, maxTime } = settings;
    const base = {
      driver,
      host,
      tag: left.run,
      settings: settingsOf({
        driver,
        host,
        ...(timeout === undefined ? {} : { timeout }),
        ...(rate === undefined ? {} : { rate }),
        ...(maxTime === undefined ? {} : { cleanupTime: maxTime }),
      }),
      ledger,
      signal,
    };
    const session = createSession(base);
    session.cleaning();
    const before = ledger.open().length;
    const result = await takeAway({ ...base, session }, { created: before, signal });
    const again = `run the same command again: intern-conformance cleanup ${left.run}`;
    if (result.failed.length > 0) {
      const reasons = [...new Set(result.failed.map(({ why }) => why))].join('; ');
      const ids = result.failed.map(({ id }) => id).join(', ');
      io.err(visible(`${result.failed.length} interns of run ${left.run} are left (${reasons}): ${ids}; ${again}\n`));
      return 3;
    }
    if (result.notSearched !== undefined) {
      io.err(visible(`the interns of run ${left.run} could not be searched for: ${result.notSearched}; ${again}\n`));
      return 3;
    }
    io.out(`nothing of run ${left.run} is left at ${url}\n`);
    rmSync(file);
    return 0;
  } finally {
    await close();
  }
}
