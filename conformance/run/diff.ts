import { decidedBy } from '../requirements/views.js';
import type { CheckResult, Results } from './results.js';
import { countsAgainst, isFailure } from './verdict.js';

/** A check in two reports: what it came to in the older and in the newer one. */
export interface CheckChange {
  readonly id: string;
  readonly was?: CheckResult;
  readonly is?: CheckResult;
}

/** A run as a comparison names it: without its checks. */
export const headOf = (results: Results) => {
  const { kit, run, started, target, options, verdict, incomplete, coverage, requests, duration } = results;
  return { kit, run, started, target, options, verdict, incomplete, coverage, requests, duration };
};
export type RunHead = Readonly<ReturnType<typeof headOf>>;

/** The differences between two runs (KIT-11). */
export interface Diff {
  readonly old: RunHead;
  readonly now: RunHead;
  /** Counts against the target now, and did not. */
  readonly broken: readonly CheckChange[];
  /** Failed, and holds now. */
  readonly mended: readonly CheckChange[];
  /** Only the newer report has it. */
  readonly new: readonly CheckChange[];
  /** Only the older report has it. */
  readonly gone: readonly CheckChange[];
  /** Came to a verdict in the older report, and comes to none in the newer one. */
  readonly unchecked: readonly CheckChange[];
}

/** Whether a check came to a verdict. */
export const hasVerdict = ({ verdict }: CheckResult): boolean => verdict !== 'skip' && verdict !== 'error';

/** Whether it may fail and may pass: neither says anything. */
const isFlaky = ({ knownAs }: CheckResult): boolean => knownAs?.flaky !== undefined;

/**
 * Compares two runs check by check. The options of each decide what counts as a failure. A check that has become rules is in the
 * newer report the worst of them.
 */
export function diff(old: Results, now: Results): Diff {
  const after = new Map(now.checks.map((check) => [check.id, check]));
  const decided = (id: string) => decidedBy(id).flatMap((one) => after.get(one) ?? []);
  const badness = (row: CheckResult) =>
    countsAgainst(row, now.options.failOn) ? 3 : isFailure(row, now.options.failOn) ? 2 : hasVerdict(row) ? 1 : 0;
  const both = old.checks.flatMap((was) => {
    const [is] = decided(was.id).sort((one, other) => badness(other) - badness(one));
    return is === undefined ? [] : [{ id: was.id, was, is }];
  });
  const before = new Set(old.checks.flatMap(({ id }) => decidedBy(id)));
  const steady = both.filter(({ was, is }) => !isFlaky(was) && !isFlaky(is));
  const failed = new Set(
    steady.filter(({ was }) => countsAgainst(was, old.options.failOn)).flatMap(({ id }) => decidedBy(id)),
  );
  const broken = steady.filter(({ is }) => countsAgainst(is, now.options.failOn) && !failed.has(is.id));
  return {
    old: headOf(old),
    now: headOf(now),
    broken: [...new Map(broken.map(({ was, is }) => [is.id, { id: is.id, was, is }])).values()],
    mended: steady.filter(
      ({ was, is }) => isFailure(was, old.options.failOn) && hasVerdict(is) && !isFailure(is, now.options.failOn),
    ),
    new: now.checks.filter(({ id }) => !before.has(id)).map((is) => ({ id: is.id, is })),
    gone: old.checks.filter(({ id }) => decided(id).length === 0).map((was) => ({ id: was.id, was })),
    unchecked: both.filter(({ was, is }) => hasVerdict(was) && !hasVerdict(is)),
  };
}

/** A check over the runs of a folder. */
export interface TrendRow {
  readonly id: string;
  readonly last: CheckResult;
  /** Its verdict in each run, from the oldest; undefined where a run has no such check. */
  readonly results: readonly (CheckResult | undefined)[];
  /** The first run that has it. */
  readonly firstSeen: number;
  /** The run in which the failure that still lasts was first seen. */
  readonly failingSince?: number;
  /** The runs in which it failed, of those in which it had a verdict. */
  readonly failed: number;
  readonly of: number;
}

/** Many runs (KIT-11). */
export interface Trend {
  /** From the oldest. */
  readonly runs: readonly RunHead[];
  /** Every check of any run, in the order of their ids. */
  readonly checks: readonly TrendRow[];
}

function rowOf(id: string, runs: readonly Results[], results: readonly (CheckResult | undefined)[]): TrendRow[] {
  const last = results.findLast((one) => one !== undefined);
  if (last === undefined) return [];
  const failed = results.map((one, at) => one !== undefined && isFailure(one, runs[at]?.options.failOn));
  const holds = results.findLastIndex((one, at) => one !== undefined && hasVerdict(one) && failed[at] !== true);
  const since = failed.findIndex((fails, at) => fails && at > holds);
  return [
    {
      id,
      last,
      results,
      firstSeen: results.findIndex((one) => one !== undefined),
      ...(since === -1 ? {} : { failingSince: since }),
      failed: failed.filter(Boolean).length,
      of: results.filter((one) => one !== undefined && hasVerdict(one)).length,
    },
  ];
}

/** Puts runs in the order of time, and says of each check what became of it. */
export function trend(reports: readonly Results[]): Trend {
  const runs = [...reports].sort((one, other) => Date.parse(one.started) - Date.parse(other.started));
  const byRun = runs.map(({ checks }) => new Map(checks.map((check) => [check.id, check])));
  const ids = [...new Set(byRun.flatMap((checks) => [...checks.keys()]))].sort();
  return {
    runs: runs.map(headOf),
    checks: ids.flatMap((id) =>
      rowOf(
        id,
        runs,
        byRun.map((checks) => checks.get(id)),
      ),
    ),
  };
}
