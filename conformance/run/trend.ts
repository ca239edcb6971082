import { isFailure } from './baseline.js';
import { hasVerdict, headOf, type RunHead } from './diff.js';
import type { CheckResult, Results } from './results.js';

/** A check over the runs of a folder. */
export interface TrendRow {
  readonly id: string;
  /** Its last result. */
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
