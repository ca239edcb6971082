import { checks as allChecks } from '../checks/index.js';
import type { Driver } from '../drivers/driver.js';
import type { Check } from '../framework/check.js';
import { createRandom, hash } from '../framework/random.js';
import { type Host, systemHost } from '../framework/time.js';
import { type CleanupResult, cleanUp, removeIntern } from '../safety/cleanup.js';
import { createLedger } from '../safety/ledger.js';
import { createPool, kept, takeBack } from './interns.js';
import { preflight } from './preflight.js';
import type { CheckResult, Results, RunEvents } from './results.js';
import { runCheck } from './run-check.js';
import { type Selection, select } from './select.js';
import { createSession } from './session.js';
import { SHARPNESS } from './sharpness.js';
import { count, judge, matrix } from './verdict.js';
import { KIT_VERSION } from './version.js';

export interface RunnerOptions extends Selection {
  readonly driver: Driver;
  readonly checks?: readonly Check[];
  /** Runs of each property. Default 100 with a control interface, 1 without. */
  readonly runs?: number;
  /** Seed of everything generated. Default: another one each run. */
  readonly seed?: string;
  /** Where a property goes on: its name and the path that a finding told. */
  readonly path?: { readonly name: string; readonly path: string };
  readonly readOnly?: boolean;
  /** Requests per second; 0 is no limit. Default 5 without a control interface, else none. */
  readonly rate?: number;
  readonly maxRequests?: number;
  /** ms of real time for the whole run, clean-up not counted. */
  readonly maxTime?: number;
  /** ms until the head of an answer has to be there. Default 10,000. */
  readonly timeout?: number;
  /** ms within which an intern has to come up where no clock can be moved. Default 120,000. */
  readonly bootTimeout?: number;
  /** Candidates that the shrinking of one property may try. Default 300 with a control interface, 20 without. */
  readonly shrinkBudget?: number;
  /** 4 characters that tell the names of this run from others; part of the run's id. */
  readonly tag?: string;
  /** Keeps the ledger of created interns. Default: in memory only. */
  readonly ledgerPath?: string;
  /** Ids of checks that are known to fail. */
  readonly baseline?: readonly string[];
  /** How the kit was called. */
  readonly command?: string;
  readonly events?: RunEvents;
  /** Ends the run early; what was made is still cleaned up. */
  readonly signal?: AbortSignal;
  readonly host?: Host;
}

/** Checks in a row that lose the target before the rest is given up. */
const LOST_IN_A_ROW = 5;

/** A run in steps, for those who do checks one by one. */
export interface Run {
  readonly checks: readonly Check[];
  /** Looks at the target and makes it ready. Undefined where checks can be done, else why not. */
  begin(): Promise<string | undefined>;
  /** Does one check. One that cannot be done any more is a skip. */
  check(check: Check): Promise<CheckResult>;
  /** Cleans up and judges. */
  finish(): Promise<Results>;
}

/**
 * Selects checks and prepares to do them. Prints nothing.
 *
 * @throws SelectionError for a pattern that means nothing
 */
export function createRun(options: RunnerOptions): Run {
  const host = options.host ?? systemHost;
  const { driver, events = {} } = options;
  const controlled = driver.control !== undefined;
  const seed = options.seed ?? host.tag(8);
  const chosen = select(options.checks ?? allChecks, options);
  // A deployment counts turns per minute: those that take some are mixed with those that take none.
  const selected = controlled ? chosen : shuffled(chosen, createRandom(hash(`${seed} order`)));
  const tag = options.tag ?? host.tag(4);
  const runs = options.runs ?? (controlled ? 100 : 1);
  const began = host.now();
  const ledger = createLedger(options.ledgerPath);
  const over = new AbortController();
  const end = () => over.abort(new Error('interrupted'));

  const session = createSession({
    driver,
    host,
    ledger,
    tag,
    readOnly: options.readOnly === true,
    timeout: options.timeout ?? 10_000,
    rate: options.rate ?? (controlled ? 0 : 5),
    ...(options.maxRequests === undefined ? {} : { maxRequests: options.maxRequests }),
    signal: over.signal,
  });
  const { client } = session;
  const pool = createPool();
  const target: Results['target'] = {
    kind: driver.target.kind,
    url: driver.target.baseUrl,
    profile: driver.target.profile.name,
    published: driver.target.profile.published,
  };
  const results: CheckResult[] = [];
  const closeOnEnd = () => void client.closeAll();
  let stopped: string | undefined;
  let stopTimer = () => {};
  let lost = 0;
  const putBackFailed = (error: unknown) => {
    stopped ??= `the target could not be put back: ${error instanceof Error ? error.message : error}`;
  };

  const tidy = async () => {
    await client.closeAll();
    await driver.restore();
    if (over.signal.aborted) return;
    const keep = kept(pool);
    const made = ledger.open().filter((entry) => session.made.has(entry.id) && !keep.has(entry.id));
    session.made.clear();
    for (const entry of made) {
      const failed = await removeIntern((send) => client.send(send), entry);
      if (failed === undefined) ledger.write({ event: driver.clock === undefined ? 'deleting' : 'gone', id: entry.id });
    }
    if (made.length > 0) await driver.clock?.advance(2_000);
  };

  const takeAway = async (): Promise<CleanupResult> => {
    if (ledger.creators().length === 0) return { created: 0, deleted: 0, failed: [] };
    return cleanUp({
      ledger,
      prefix: session.prefix,
      send: (send) => client.send(send),
      created: session.created(),
      async pause(round) {
        if (driver.clock !== undefined) {
          if (round > 3) return false;
          await driver.clock.advance(5_000);
          return true;
        }
        if (round > 12) return false;
        await host.sleep(500 * (round + 1));
        return true;
      },
    });
  };

  return {
    checks: selected,
    async begin() {
      ledger.write({
        event: 'run',
        run: tag,
        url: target.url,
        prefix: session.prefix,
        at: new Date(began).toISOString(),
      });
      if (options.signal?.aborted) end();
      options.signal?.addEventListener('abort', end, { once: true });
      over.signal.addEventListener('abort', closeOnEnd, { once: true });
      if (options.maxTime !== undefined) {
        const { maxTime } = options;
        stopTimer = host.later(maxTime, () => {
          stopped = `the time of ${maxTime / 1000} s is up`;
          over.abort(new Error(stopped));
        });
      }
      events.start?.({ checks: selected.length, target });
      if (selected.length > 0 && !over.signal.aborted) stopped = await preflight(client);
      if (stopped === undefined && !over.signal.aborted) await driver.begin();
      return stopped;
    },

    async check(check) {
      const index = results.length;
      if (over.signal.aborted) stopped ??= 'interrupted';
      if (stopped !== undefined) {
        const result = notRun(check, stopped);
        results.push(result);
        return result;
      }
      events.checkStart?.({ id: check.id, index, of: selected.length });
      const cutBefore = client.cutShort;
      const done = await runCheck(check, {
        driver,
        session,
        host,
        pool,
        seed,
        runs,
        shrinkBudget: options.shrinkBudget ?? (controlled ? 300 : 20),
        bootTimeout: options.bootTimeout ?? 120_000,
        streamTimeout: Math.max(options.timeout ?? 10_000, controlled ? 0 : 30_000),
        checkTimeout: 120_000 + driver.slow * 4 + (controlled ? 0 : 180_000),
        ...(options.path === undefined ? {} : { replay: options.path }),
        command: options.command ?? 'intern-conformance',
        signal: over.signal,
      });
      const known = options.baseline?.includes(check.id) === true && done.result.verdict === 'fail';
      const result = known ? { ...done.result, known } : done.result;
      results.push(result);
      events.checkEnd?.(result, { index, of: selected.length });
      stopped ??= done.stopped;
      if (done.lost) lost++;
      else if (result.verdict !== 'skip') lost = 0;
      if (lost >= LOST_IN_A_ROW) stopped ??= `the target gave no answer in ${lost} checks in a row`;
      // What a breach left of the shared intern is not known.
      const passed = result.verdict === 'pass' || result.verdict === 'skip';
      if (!passed) pool.shared = undefined;
      await client.closeAll();
      takeBack(pool, session.touched, passed && client.cutShort === cutBefore);
      await tidy().catch(putBackFailed);
      return result;
    },

    async finish() {
      stopTimer();
      options.signal?.removeEventListener('abort', end);
      over.signal.removeEventListener('abort', closeOnEnd);
      events.cleanup?.();
      session.cleaning();
      await client.closeAll();
      await client.idle();
      const cleanup = await takeAway();
      await driver.end().catch(putBackFailed);
      const baseline = options.baseline?.filter((id) => selected.some((check) => check.id === id));
      const stale = baseline?.filter((id) =>
        results.some((one) => one.id === id && (one.verdict === 'pass' || one.verdict === 'warn')),
      );
      return {
        format: 'intern-conformance',
        version: 1,
        kit: KIT_VERSION,
        run: tag,
        started: new Date(began).toISOString(),
        duration: Math.round(host.now() - began),
        target,
        options: {
          seed,
          runs,
          only: options.only ?? [],
          skip: options.skip ?? [],
          levels: options.levels ?? ['S', 'P', 'C'],
          readOnly: options.readOnly === true,
          slow: driver.slow,
          ...(options.shard === undefined ? {} : { shard: options.shard }),
        },
        ...judge(results, {
          cleanup,
          ...(stopped === undefined ? {} : { stopped }),
          ...(stale === undefined ? {} : { stale }),
        }),
        counts: count(results),
        requests: client.sent,
        checks: results,
        requirements: matrix(results),
        cleanup,
        sharpness: SHARPNESS,
        ...(baseline === undefined ? {} : { baseline: { known: baseline, stale: stale ?? [] } }),
      };
    },
  };
}

/**
 * Selects checks, does them one after another against a target, cleans up, and answers what came of it.
 *
 * @throws SelectionError for a pattern that means nothing
 */
export async function run(options: RunnerOptions): Promise<Results> {
  const steps = createRun(options);
  await steps.begin();
  for (const check of steps.checks) await steps.check(check);
  return steps.finish();
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}

const notRun = (check: Check, why: string): CheckResult => ({
  id: check.id,
  requirement: check.requirement,
  level: check.level,
  title: check.title,
  verdict: 'skip',
  duration: 0,
  requests: 0,
  properties: [],
  skip: { need: 'target', why },
});
