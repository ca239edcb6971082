import { existsSync, rmSync } from 'node:fs';
import { connect } from '../drivers/connect.js';
import { createSession } from '../run/session.js';
import { UsageError } from '../run/usage.js';
import { cleanUp } from '../safety/cleanup.js';
import { createLedger, readLedger } from '../safety/ledger.js';
import { type Io, ledgerFile } from './run.js';
import type { Settings } from './settings.js';

/** Takes away what an earlier run left behind, by its ledger. Exit code 0 when nothing is left, else 3. */
export async function cleanupCommand(run: string, settings: Settings, io: Io): Promise<number> {
  const file = existsSync(run) ? run : ledgerFile(settings.ledgerDir, run);
  if (!existsSync(file))
    throw new UsageError(`there is no ledger of a run ${run}: neither ${run} nor ${file} is there`);
  const left = readLedger(file);
  const url = settings.url ?? left.url;
  const { driver, close } = await connect({ settings: { ...settings, url }, host: io.host, tag: left.run, look: true });
  try {
    const ledger = createLedger(file);
    for (const as of left.creators) ledger.write({ event: 'creating', name: '', as });
    for (const made of left.made) ledger.write({ event: 'created', ...made });
    const session = createSession({
      driver,
      host: io.host,
      ledger,
      tag: left.run,
      readOnly: false,
      timeout: settings.timeout ?? 10_000,
      rate: settings.rate ?? (driver.control === undefined ? 5 : 0),
      signal: io.signal,
    });
    const before = ledger.open().length;
    const result = await cleanUp({
      ledger,
      prefix: left.prefix,
      send: (send) => session.client.send(send),
      created: before,
      async pause(round) {
        if (round > 12) return false;
        await (driver.clock?.advance(5_000) ?? io.host.sleep(500 * (round + 1)));
        return true;
      },
    });
    for (const one of result.failed) io.err(`left behind: ${one.id} ${one.name} (${one.why})\n`);
    if (result.notSearched !== undefined) io.err(`could not search for more: ${result.notSearched}\n`);
    if (result.failed.length > 0 || result.notSearched !== undefined) return 3;
    io.out(`nothing of run ${left.run} is left at ${url}\n`);
    rmSync(file);
    return 0;
  } finally {
    await close();
  }
}
