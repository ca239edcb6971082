import { Semaphore } from 'async-mutex';
import type { Check } from '../framework/check.js';
import type { Finding } from '../framework/finding.js';
import { createRandom, hash } from '../framework/random.js';
import type { Incomplete, Stop } from '../framework/stop.js';
import { CREDENTIAL_NAMES } from '../probe/request.js';
import { assemble } from './assemble.js';
import { asKnown } from './baseline.js';
import { tidy } from './cleaning.js';
import { recorded } from './finding.js';
import { type CheckRun, runAlone, runBeside } from './judge.js';
import { createLane } from './lane.js';
import { createObstacles } from './obstacles.js';
import { openRun } from './open.js';
import type { RunnerOptions } from './options.js';
import { ALONE, byValue } from './order.js';
import { createPool, dropShared, keepFewer, takeBack } from './pool.js';
import type { CheckResult, Results } from './results.js';
import type { RunContext } from './run-context.js';
import { select } from './select.js';

export type { RunnerOptions } from './options.js';

/** Checks in a row that lose the target before the rest is given up. */
const LOST_IN_A_ROW = 5;

/** ms after which a check at work beside others keeps exclusive ones waiting, and no others: they go before. */
const HOLDS_UP = 4_000;

/** A run in steps, for those who do checks one by one. */
export interface Run {
  readonly checks: readonly Check[];
  /** Looks at the target and makes it ready. Undefined where checks can be done, else why not. */
  begin(): Promise<Stop | undefined>;
  /** How many of them may be done at a time. */
  readonly concurrency: number;
  /**
   * Does one check. One that cannot be done any more is a skip. `lane` is below {@link Run.concurrency}, and does one at a
   * time.
   */
  check(check: Check, lane?: number): Promise<CheckResult>;
  /** Cleans up and evaluates. */
  finish(): Promise<Results>;
}

/**
 * Selects checks and prepares to do them. Prints nothing.
 *
 * @throws SelectionError for a pattern that means nothing
 */
export function createRun(options: RunnerOptions): Run {
  const { events = {} } = options;
  const opened = openRun(options);
  const { driver, host, putBackFailed, session, settings, signal } = opened;
  const pool = createPool();
  const obstacles = createObstacles(settings.blocking);
  const lanes = Array.from(
    { length: settings.concurrency },
    (): RunContext => ({ ...opened, pool, obstacles, lane: createLane(session.madeBy) }),
  );
  const chosen = select(options.checks, options);
  const selected =
    driver.control === undefined ? byValue(chosen, createRandom(hash(`${settings.seed} order`))) : chosen;
  const concurrency = Math.max(1, Math.min(settings.concurrency, selected.length));
  const target: Results['target'] = {
    kind: driver.target.kind,
    url: driver.target.address ?? driver.target.baseUrl,
    ...(driver.remote ? {} : { inProcess: true as const }),
    profile: driver.target.profile.name,
    published: driver.target.profile.published,
  };
  const results: CheckResult[] = [];
  /** As many places as lanes: a check takes one, or all of them. */
  const floor = new Semaphore(concurrency);
  /** Since when each lane is at work beside others. */
  const busySince = new Map<RunContext, number>();
  let started = 0;
  let lost = 0;

  /** Keeps of what a check was handed what can serve others, and takes away the rest. */
  const settle = async (run: RunContext, { verdict }: CheckResult) => {
    const { lane } = run;
    const shared = pool.shared.get(lane);
    // What a breach, or a stream that was left, made of the shared intern is not known.
    const held = verdict === 'pass' || verdict === 'skip';
    if (!held || (shared !== undefined && session.lately(shared.id))) dropShared(pool, lane);
    if (driver.control === undefined && held) {
      const settled = [...lane.made].filter((id) => !session.lately(id));
      takeBack(pool, settled, session.conditions);
      keepFewer(pool, session.learnt.mayKeep);
    }
    await tidy(run).catch((error) => (signal.aborted ? undefined : putBackFailed(error)));
  };
  const conclude = async (lane: RunContext, done: CheckRun): Promise<CheckResult> => {
    // What ended the run is reported once, also where lanes met it at the same time.
    const ended = done.stopped === undefined ? undefined : opened.stopped;
    const result = ended
      ? withheld(done.result, ended)
      : asKnown(done.result, options.baseline, host.now(), options.failOn);
    results.push(result);
    events.checkEnd?.(result, { index: results.length - 1, of: selected.length });
    if (done.stopped !== undefined) opened.stop(done.stopped);
    // What other lanes have begun would only do more of what it is stopped for.
    if (done.stopped !== undefined && result.finding !== undefined) opened.end(done.stopped);
    if (done.lost) lost++;
    else if (result.verdict !== 'skip') lost = 0;
    if (lost >= LOST_IN_A_ROW) opened.stop({ kind: 'silent', checks: lost });
    await settle(lane, result);
    return result;
  };
  /** A check that cannot be done any more. */
  const leftOut = (check: Check): CheckResult | undefined => {
    if (signal.aborted) opened.stop({ kind: 'interrupted' });
    if (opened.stopped === undefined) return undefined;
    const result = recorded(notRun(check, opened.stopped), session.redactor);
    results.push(result);
    return result;
  };
  const beside = (lane: RunContext, check: Check) => {
    const kept = [...busySince.values()].some((since) => host.now() - since > HOLDS_UP);
    return floor.runExclusive(
      async () => {
        const left = leftOut(check);
        if (left !== undefined) return left;
        busySince.set(lane, host.now());
        const done = await runBeside(lane, check).finally(() => busySince.delete(lane));
        if (done.result !== undefined) return conclude(lane, done);
        // It may be what went wrong.
        dropShared(pool, lane.lane);
        return done;
      },
      1,
      kept ? 1 : 0,
    );
  };
  const alone = (lane: RunContext, check: Check, before?: Finding) =>
    floor.runExclusive(
      async () => leftOut(check) ?? (await conclude(lane, await runAlone(lane, check, before))),
      concurrency,
    );

  return {
    checks: selected,
    concurrency,
    async begin() {
      const why = await opened.begin(selected.length > 0);
      if (why === undefined) events.start?.({ checks: selected.length, target });
      return why;
    },

    async check(check, at = 0) {
      const { scarce } = session.learnt;
      const lane = lanes[scarce && at < concurrency ? 0 : at];
      if (lane === undefined) throw new RangeError(`lane: expected less than ${concurrency}, got ${at}`);
      if (opened.stopped === undefined) events.checkStart?.({ id: check.id, index: started++, of: selected.length });
      const together = concurrency > 1 && !ALONE.has(check.id) && !scarce;
      const done = together ? await beside(lane, check) : {};
      return 'verdict' in done ? done : alone(lane, check, done.found);
    },

    async finish() {
      events.cleanup?.();
      const cleanup = await opened.close(obstacles);
      const place = new Map(selected.map(({ id }, index) => [id, index]));
      results.sort((one, other) => (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0));
      const all = options.checks;
      return assemble(results, {
        tag: opened.tag,
        began: opened.began,
        now: host.now(),
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
        requests: session.client.sent,
        cleanup,
        stopped: opened.stopped,
        others: CREDENTIAL_NAMES.flatMap((credential): Incomplete[] => {
          const how = session.unusable(credential);
          return how === undefined ? [] : [{ kind: 'unusable', credential, how }];
        }),
        minCoverage: options.minCoverage,
        failOn: options.failOn,
        asked: pool.asked,
        ledger: true,
        baseline: options.baseline,
        exists: (id) => all.some((check) => check.id === id),
        clean: (data) => recorded(data, session.redactor),
      });
    },
  };
}

/**
 * Selects checks, does them against a target, cleans up, and answers what came of it.
 *
 * @throws SelectionError for a pattern that means nothing
 */
export async function run(options: RunnerOptions): Promise<Results> {
  const steps = createRun(options);
  await steps.begin();
  const waiting = steps.checks.values();
  const lane = async (_: unknown, at: number) => {
    for (const check of waiting) await steps.check(check, at);
  };
  await Promise.all(Array.from({ length: steps.concurrency }, lane));
  return steps.finish();
}

const withheld = ({ finding: _, ...rest }: CheckResult, stop: Stop): CheckResult => ({
  ...rest,
  verdict: 'skip',
  skip: { kind: 'stopped', because: { kind: 'over', stop } },
});

const notRun = (check: Check, stop: Stop): CheckResult => ({
  id: check.id,
  requirement: check.requirement,
  level: check.level,
  title: check.title,
  verdict: 'skip',
  duration: 0,
  requests: 0,
  properties: [],
  skip: { kind: 'stopped', because: { kind: 'over', stop } },
});
