import { checks as allChecks } from '../checks/index.js';
import type { Check } from '../framework/check.js';
import { createRandom, hash } from '../framework/random.js';
import { systemHost } from '../framework/time.js';
import { CREDENTIAL_NAMES } from '../probe/request.js';
import { createLedger } from '../safety/ledger.js';
import { takeAway, tidy } from './cleaning.js';
import { createObstacles } from './obstacles.js';
import { type RunnerOptions, settingsOf } from './options.js';
import { byValue } from './order.js';
import { createPool, takeBack } from './pool.js';
import { preflight } from './preflight.js';
import type { CheckResult, Results } from './results.js';
import type { RunBase } from './run-base.js';
import { runCheck } from './run-check.js';
import type { RunContext } from './run-context.js';
import { select } from './select.js';
import { createSession } from './session.js';
import { Stopped } from './stopped.js';
import { count, coverage, evaluate, matrix } from './verdict.js';
import { KIT_VERSION } from './version.js';

export type { RunnerOptions } from './options.js';

/** Checks in a row that lose the target before the rest is given up. */
const LOST_IN_A_ROW = 5;

/** A run in steps, for those who do checks one by one. */
export interface Run {
  readonly checks: readonly Check[];
  /** Looks at the target and makes it ready. Undefined where checks can be done, else why not. */
  begin(): Promise<string | undefined>;
  /** Does one check. One that cannot be done any more is a skip. */
  check(check: Check): Promise<CheckResult>;
  /** Cleans up and evaluates. */
  finish(): Promise<Results>;
}

/** What belongs to one run. `end` ends it. */
function contextOf(options: RunnerOptions): { run: RunContext; end(why: string): void } {
  const host = options.host ?? systemHost;
  const over = new AbortController();
  const base: RunBase = {
    driver: options.driver,
    host,
    tag: options.tag ?? host.tag(4),
    settings: settingsOf(options),
    ledger: createLedger(options.ledgerPath),
    signal: over.signal,
  };
  const parts = {
    session: createSession(base),
    pool: createPool(),
    obstacles: createObstacles(base.settings.blocking),
  };
  return { run: { ...base, ...parts }, end: (why) => over.abort(new Stopped(why)) };
}

/**
 * Selects checks and prepares to do them. Prints nothing.
 *
 * @throws SelectionError for a pattern that means nothing
 */
export function createRun(options: RunnerOptions): Run {
  const { events = {} } = options;
  const { run, end } = contextOf(options);
  const { driver, host, ledger, pool, session, settings, signal } = run;
  const { client } = session;
  const chosen = select(options.checks ?? allChecks, options);
  const selected =
    driver.control === undefined ? byValue(chosen, createRandom(hash(`${settings.seed} order`))) : chosen;
  const began = host.now();
  const target: Results['target'] = {
    kind: driver.target.kind,
    url: driver.target.address ?? driver.target.baseUrl,
    ...(driver.remote ? {} : { inProcess: true as const }),
    profile: driver.target.profile.name,
    published: driver.target.profile.published,
  };
  const results: CheckResult[] = [];
  const interrupted = () => end('interrupted');
  let stopped: string | undefined;
  let stopTimer = () => {};
  let lost = 0;
  const putBackFailed = (error: unknown) => {
    stopped ??= `the target could not be put back: ${error instanceof Error ? error.message : error}`;
  };

  return {
    checks: selected,
    async begin() {
      const at = new Date(began).toISOString();
      ledger.write({ event: 'run', run: run.tag, url: driver.target.baseUrl, prefix: session.prefix, at });
      if (options.signal?.aborted) interrupted();
      options.signal?.addEventListener('abort', interrupted, { once: true });
      if (options.maxTime !== undefined) {
        const { maxTime } = options;
        stopTimer = host.later(maxTime, () => {
          stopped = `the time of ${maxTime / 1000} s is up`;
          end(stopped);
        });
      }
      if (selected.length > 0 && !signal.aborted) {
        const why = await preflight(session.running, driver.control !== undefined);
        stopped ??= why;
      }
      if (stopped === undefined) events.start?.({ checks: selected.length, target });
      if (stopped === undefined && !signal.aborted) await driver.begin();
      return stopped;
    },

    async check(check) {
      const index = results.length;
      if (signal.aborted) stopped ??= 'interrupted';
      if (stopped !== undefined) {
        const result = notRun(check, stopped);
        results.push(result);
        return result;
      }
      events.checkStart?.({ id: check.id, index, of: selected.length });
      const done = await runCheck(run, check);
      const known = options.baseline?.includes(check.id) === true && done.result.verdict === 'fail';
      const result = known ? { ...done.result, known } : done.result;
      results.push(result);
      events.checkEnd?.(result, { index, of: selected.length });
      stopped ??= done.stopped;
      if (done.lost) lost++;
      else if (result.verdict !== 'skip') lost = 0;
      if (lost >= LOST_IN_A_ROW) stopped ??= `the target gave no answer in ${lost} checks in a row`;
      // What a breach, or a stream that was left, made of the shared intern is not known.
      const { shared } = pool;
      const told = result.verdict === 'pass' || result.verdict === 'skip';
      if (!told || (shared !== undefined && session.lately(shared.id))) pool.shared = undefined;
      if (driver.control === undefined && told && session.full === undefined) {
        const settled = [...session.made].filter((id) => !session.lately(id));
        takeBack(pool, settled, session.conditions);
      }
      await tidy(run).catch((error) => (signal.aborted ? undefined : putBackFailed(error)));
      return result;
    },

    async finish() {
      stopTimer();
      options.signal?.removeEventListener('abort', interrupted);
      events.cleanup?.();
      session.cleaning();
      await client.closeAll();
      await client.idle();
      const cleanup = await takeAway(run);
      await driver.end().catch(putBackFailed);
      const baseline = options.baseline?.filter((id) => selected.some((check) => check.id === id));
      const stale = baseline?.filter((id) =>
        results.some((one) => one.id === id && (one.verdict === 'pass' || one.verdict === 'warn')),
      );
      return {
        format: 'intern-conformance',
        version: 1,
        kit: KIT_VERSION,
        run: run.tag,
        started: new Date(began).toISOString(),
        duration: Math.round(host.now() - began),
        target,
        options: {
          seed: settings.seed,
          runs: settings.runs,
          only: options.only ?? [],
          skip: options.skip ?? [],
          levels: options.levels ?? ['S', 'P', 'C'],
          readOnly: settings.readOnly,
          slow: driver.slow,
          ...(options.shard === undefined ? {} : { shard: options.shard }),
        },
        ...evaluate(results, {
          cleanup,
          unusable: CREDENTIAL_NAMES.flatMap((name) => session.unusable(name) ?? []),
          ...(stopped === undefined ? {} : { stopped }),
          ...(stale === undefined ? {} : { stale }),
          ...(options.minCoverage === undefined ? {} : { minCoverage: options.minCoverage }),
        }),
        counts: count(results),
        coverage: coverage(results, pool.asked),
        requests: client.sent,
        checks: results,
        requirements: matrix(results),
        cleanup,
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

const notRun = (check: Check, why: string): CheckResult => ({
  id: check.id,
  requirement: check.requirement,
  level: check.level,
  title: check.title,
  verdict: 'skip',
  duration: 0,
  requests: 0,
  properties: [],
  skip: { need: 'target', why, kind: 'stopped' },
});
