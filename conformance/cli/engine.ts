import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ownCommand } from '../../emulator/contract/pasted.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { visible } from '../../emulator/contract/visible.js';
import { baseAddress, connect } from '../drivers/connect.js';
import type { Driver } from '../drivers/driver.js';
import type { Host } from '../probe/time.js';
import { REPORTERS } from '../report/index.js';
import { progress } from '../report/tty.js';
import type { Results } from '../run/results.js';
import type { RunnerOptions } from '../run/runner.js';
import type { EngineOptions } from '../run/units.js';
import { deliver, folder, makeFolders, refuseLink } from './destinations.js';
import { readBaseline, writeBaseline } from './files.js';
import type { Io } from './io.js';
import type { Settings } from './settings.js';

export const ledgerFile = (dir: string, run: string): string => join(dir, `${run}.jsonl`);

/** The command line that repeats a run, to which a finding adds its own flags. */
export function commandOf(
  { url, config, again }: Pick<Settings, 'url' | 'config' | 'again'>,
  before: readonly string[] = [],
): string {
  const words = [...before, ...(url === undefined ? [] : [url]), ...(config === undefined ? [] : ['--config', config])];
  return ownCommand('intern-conformance', [...words, ...again]);
}

/**
 * Runs the units of a command line, writes its reports and its baseline, and returns the exit code. Its folders are made first.
 *
 * @param work gets the options of every run, whatever its units are
 */
export async function concluded(
  settings: Settings,
  io: Io,
  work: (options: EngineOptions) => Promise<Results>,
  /** Receives a line for each finding at once. Default: standard error. */
  finding?: (text: string) => void,
): Promise<number> {
  const { baseline: file, updateBaseline } = settings;
  const { failOn, levels, maxRequests, maxTime, minCoverage, only, shard, skip } = settings;
  makeFolders(settings);
  const known = file === undefined ? undefined : readBaseline(file, updateBaseline);
  const results = await work({
    ...{ failOn, levels, maxRequests, maxTime, minCoverage, only, shard, skip },
    signal: io.signal,
    baseline: updateBaseline ? undefined : known,
    events: progress(io.err, { colour: io.colour, live: io.live, width: io.width, finding }),
  });
  deliver(settings.reports, (kind, looks) => REPORTERS[kind](results, looks), io);
  if (!updateBaseline || file === undefined) return results.exit;
  writeBaseline(file, known ?? [], results);
  io.err(`baseline written to ${file}\n`);
  return results.exit === 1 ? 0 : results.exit;
}

/** Connects to the target during `work`. `look`: requests may be sent. */
export async function connected<T>(
  settings: Settings,
  io: Io,
  work: (driver: Driver, run: { readonly tag: string; readonly began: number }) => Promise<T>,
  { look = true } = {},
): Promise<T> {
  const { host } = io;
  const run = { tag: host.tag(4), began: host.now() };
  const until = settings.maxTime === undefined ? undefined : run.began + settings.maxTime;
  const { driver, close } = await connect({
    settings,
    host,
    tag: run.tag,
    look,
    until,
    env: io.env,
    signal: io.signal,
  });
  try {
    return await work(driver, run);
  } finally {
    await close();
  }
}

/** Runs at the target of a command line. The ledger stays while leftovers need a clean-up. */
export const atTarget = (
  settings: Settings,
  io: Io,
  work: (target: Omit<RunnerOptions, 'checks'> & { readonly host: Host; readonly tag: string }) => Promise<Results>,
): Promise<Results> =>
  connected(settings, io, async (driver, { tag, began }) => {
    const { bootTimeout, concurrency, rate, readOnly, timeout, url } = settings;
    const ledgerPath = url === undefined ? undefined : ledgerFile(settings.ledgerDir, tag);
    if (ledgerPath !== undefined) {
      refuseLink(`--ledger-dir ${settings.ledgerDir}`, settings.ledgerDir);
      folder(`--ledger-dir ${settings.ledgerDir}`, settings.ledgerDir);
    }
    const results = await work({
      bootTimeout,
      concurrency,
      rate,
      timeout,
      ledgerPath,
      driver,
      readOnly,
      tag,
      began,
      command: commandOf(settings),
      signal: io.signal,
      host: io.host,
    });
    if (ledgerPath !== undefined && results.cleanup.failed.length === 0 && existsSync(ledgerPath)) rmSync(ledgerPath);
    return results;
  });

/**
 * Allows credentials for an address from a file only if the user names it, too: a file may come
 * from anywhere, and name any address. `naming` are the words of a command line that names it.
 *
 * @throws UsageError where the user has not
 */
export async function agreed(
  { file, url, naming }: { readonly file: string; readonly url: string; readonly naming: string },
  { credentials, controlToken }: Pick<Settings, 'credentials' | 'controlToken'>,
  io: Io,
): Promise<void> {
  if (Object.keys(credentials).length === 0 && controlToken === undefined) return;
  const { INTERN_BASE_URL: named } = io.env;
  if (named !== undefined && baseAddress(named) === baseAddress(url)) return;
  const only = `only ${file} names the address ${url}`;
  if (io.ask === undefined) throw new UsageError(visible(`${only}; to send credentials there, name it too: ${naming}`));
  const said = await io.ask(visible(`Send credentials to ${url}? Only ${file} names that address. [y/N] `));
  if (!/^\s*y(es)?\s*$/i.test(said)) throw new UsageError(visible(`${only}, and nothing was sent there`));
}
