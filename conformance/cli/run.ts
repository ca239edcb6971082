import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checks } from '../checks/index.js';
import { connect } from '../drivers/connect.js';
import type { Results } from '../engine/results.js';
import { type RunnerOptions, runChecks as run } from '../engine/runner.js';
import { SelectionError, select } from '../engine/select.js';
import { UsageError } from '../framework/usage.js';
import type { Host } from '../probe/time.js';
import { REPORTERS } from '../reporters/index.js';
import { markdown } from '../reporters/markdown.js';
import { progress } from '../reporters/tty.js';
import { readBaseline, writeBaseline } from './baseline.js';
import { folder, makeFolders, writeTo } from './folders.js';
import { plan } from './plan.js';
import { saveFindings } from './save.js';
import type { Settings } from './settings.js';

/** Where a call of the kit writes, and what it learns of its surroundings. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
  /** Whether `err` is a terminal whose line can be overwritten. */
  readonly live: boolean;
  /** Asks the person at the terminal, if there is one. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  readonly width: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the run early; it still cleans up. */
  readonly signal: AbortSignal;
  readonly host: Host;
}

/** File of the ledger of a run. */
export const ledgerFile = (dir: string, run: string): string => join(dir, `${run}.jsonl`);

/** Writes each report to its destination. */
export function deliver(results: Results, settings: Pick<Settings, 'reports'>, io: Io): void {
  for (const { kind, file } of settings.reports) {
    const text = REPORTERS[kind](results, { colour: io.colour && file === undefined });
    if (kind === 'github' && io.env.GITHUB_STEP_SUMMARY) appendFileSync(io.env.GITHUB_STEP_SUMMARY, markdown(results));
    if (file === undefined) {
      io.out(text);
      continue;
    }
    writeTo(`--report ${kind}=${file}`, file, text);
  }
}

/** The command that calls the kit like this again, without what a finding adds to it. */
export function commandOf({ url, config, again }: Pick<Settings, 'url' | 'config' | 'again'>): string {
  const quoted = (text: string) => (/^[\w:/.@%[\]=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
  const words = [...(url === undefined ? [] : [url]), ...(config === undefined ? [] : ['--config', config]), ...again];
  return ['intern-conformance', ...words.map(quoted)].join(' ');
}

/** Does checks against a target as a call of the kit asks for: its limits, its ledger, its way to be stopped. */
export async function runChecks(
  settings: Settings,
  io: Io,
  more: Omit<RunnerOptions, 'checks'> & { readonly tag: string },
): Promise<Results> {
  const ledger = settings.url === undefined ? undefined : ledgerFile(settings.ledgerDir, more.tag);
  if (ledger !== undefined) folder(`--ledger-dir ${settings.ledgerDir}`, settings.ledgerDir);
  const results = await run({
    checks,
    readOnly: settings.readOnly,
    ...(settings.rate === undefined ? {} : { rate: settings.rate }),
    ...(settings.concurrency === undefined ? {} : { concurrency: settings.concurrency }),
    ...(settings.maxRequests === undefined ? {} : { maxRequests: settings.maxRequests }),
    ...(settings.maxTime === undefined ? {} : { maxTime: settings.maxTime }),
    ...(settings.timeout === undefined ? {} : { timeout: settings.timeout }),
    ...(settings.bootTimeout === undefined ? {} : { bootTimeout: settings.bootTimeout }),
    ...(settings.failOn === undefined ? {} : { failOn: settings.failOn }),
    ...(ledger === undefined ? {} : { ledgerPath: ledger }),
    command: commandOf(settings),
    signal: io.signal,
    host: io.host,
    ...more,
  });
  // Nothing is left that a later clean-up would need it for.
  if (ledger !== undefined && results.cleanup.failed.length === 0 && existsSync(ledger)) rmSync(ledger);
  return results;
}

/** Does a run as requested and returns its exit code. */
export async function runCommand(settings: Settings, io: Io): Promise<number> {
  const { host } = io;
  const tag = host.tag(4);
  const known = settings.baseline === undefined ? undefined : readBaseline(settings.baseline, settings.updateBaseline);
  const selection = {
    only: settings.only,
    skip: settings.skip,
    ...(settings.levels === undefined ? {} : { levels: settings.levels }),
    ...(settings.shard === undefined ? {} : { shard: settings.shard }),
  };
  try {
    select(checks, selection);
  } catch (error) {
    if (error instanceof SelectionError) throw new UsageError(error.message);
    throw error;
  }
  if (!settings.plan) makeFolders(settings);
  const { driver, close } = await connect({
    settings,
    host,
    tag,
    look: !settings.plan,
    env: io.env,
    signal: io.signal,
  });
  try {
    if (settings.plan) {
      io.out(await plan({ settings, driver, checks: select(checks, selection), host }));
      return 0;
    }
    const results = await runChecks(settings, io, {
      driver,
      tag,
      ...selection,
      ...(settings.seed === undefined ? {} : { seed: settings.seed }),
      ...(settings.path === undefined ? {} : { path: settings.path }),
      ...(settings.runs === undefined ? {} : { runs: settings.runs }),
      ...(settings.minCoverage === undefined ? {} : { minCoverage: settings.minCoverage }),
      ...(known === undefined || settings.updateBaseline ? {} : { baseline: known }),
      events: progress(io.err, { colour: io.colour, live: io.live, width: io.width }),
    });
    if (settings.save !== undefined) saveFindings(settings.save, results);
    deliver(results, settings, io);
    if (settings.updateBaseline && settings.baseline !== undefined) {
      writeBaseline(settings.baseline, known ?? [], results);
      io.err(`baseline written to ${settings.baseline}\n`);
      return results.exit === 1 ? 0 : results.exit;
    }
    return results.exit;
  } finally {
    await close();
  }
}
