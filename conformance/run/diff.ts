import { decidedBy } from '../requirements/views.js';
import type { CheckResult, Results } from './results.js';
import { countsAgainst, isFailure } from './verdict.js';

/** A check in an older and a newer report. */
export interface CheckChange {
  readonly id: string;
  readonly was?: CheckResult;
  readonly is?: CheckResult;
}

/** A run without its checks, for the head of a comparison. */
const runHeadOf = (results: Results) => {
  const { kit, run, started, target, options, verdict, incomplete, coverage, requests, duration } = results;
  return { kit, run, started, target, options, verdict, incomplete, coverage, requests, duration };
};
export type RunHead = Readonly<ReturnType<typeof runHeadOf>>;

/** The differences between two runs (KIT-11). */
export interface Diff {
  readonly old: RunHead;
  readonly now: RunHead;
  /** Checks that count against the target only in the newer report. */
  readonly broken: readonly CheckChange[];
  /** Checks that failed only in the older report. */
  readonly mended: readonly CheckChange[];
  /** Checks that only the newer report has. */
  readonly new: readonly CheckChange[];
  /** Checks that only the older report has. */
  readonly gone: readonly CheckChange[];
  /** Checks with a verdict only in the older report. */
  readonly unchecked: readonly CheckChange[];
}

export const hasVerdict = ({ verdict }: CheckResult): boolean => verdict !== 'skip' && verdict !== 'error';

/** Whether a check may fail or pass: its verdict means nothing. */
const isFlaky = ({ knownAs }: CheckResult): boolean => knownAs?.flaky !== undefined;

/**
 * Compares two runs check by check. The options of each decide what counts as a failure. Rules may have taken over a check of the
 * older report: it then has the worst of their verdicts.
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
    old: runHeadOf(old),
    now: runHeadOf(now),
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
  /** The first run that has the check. */
  readonly firstSeen: number;
  /** The run in which the failure that still lasts was first seen. */
  readonly failingSince?: number;
  /** The number of runs in which it failed, of those in which it had a verdict. */
  readonly failed: number;
  readonly of: number;
}

/** Many runs (KIT-11). */
export interface Trend {
  /** The runs, the oldest first. */
  readonly runs: readonly RunHead[];
  /** All checks of the runs, by id. */
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

/** Puts runs in the order of time, with the verdicts of each check. */
export function trend(reports: readonly Results[]): Trend {
  const runs = [...reports].sort((one, other) => Date.parse(one.started) - Date.parse(other.started));
  const byRun = runs.map(({ checks }) => new Map(checks.map((check) => [check.id, check])));
  const ids = [...new Set(byRun.flatMap((checks) => [...checks.keys()]))].sort();
  return {
    runs: runs.map(runHeadOf),
    checks: ids.flatMap((id) =>
      rowOf(
        id,
        runs,
        byRun.map((checks) => checks.get(id)),
      ),
    ),
  };
}
