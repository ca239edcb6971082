import { decidedBy } from '../requirements/views.js';
import type { BaselineResult, CheckResult, FailOn, KnownAs, KnownFailure } from './results.js';

/** Whether a result is a failure, known or not. */
export const isFailure = ({ verdict, once }: Pick<CheckResult, 'verdict' | 'once'>, failOn: FailOn = 'fail'): boolean =>
  verdict === 'fail' || (verdict === 'warn' && (failOn === 'once' || (failOn === 'warn' && once !== true)));

/** Whether a result counts against the target: a failure that is neither known nor of a later set of checks. */
export const countsAgainst = (
  row: Pick<CheckResult, 'verdict' | 'known' | 'new' | 'once'>,
  failOn: FailOn = 'fail',
): boolean => isFailure(row, failOn) && row.known !== true && row.new !== true;

const DAY = 86_400_000;
const hasExpired = ({ expires }: KnownFailure, now: number): boolean =>
  expires !== undefined && now >= Date.parse(expires) + DAY;

/** A baseline as runs are given it. An id alone is an entry too. */
export type Baseline = readonly (string | KnownFailure)[];

const entriesOf = (baseline: Baseline): KnownFailure[] =>
  baseline.map((one) => (typeof one === 'string' ? { id: one } : one));

/** Says of a result what a baseline knows of it. `now` is in ms since the epoch: an entry may have expired. */
export function asKnown(row: CheckResult, baseline: Baseline | undefined, now: number, failOn?: FailOn): CheckResult {
  const entry = entriesOf(baseline ?? []).find(({ id }) => decidedBy(id).includes(row.id));
  if (entry === undefined) return row;
  const { id: _, flaky, ...words } = entry;
  const failed = isFailure(row, failOn);
  if (!failed && flaky !== true) return row;
  const expired = hasExpired(entry, now);
  const decided = row.verdict !== 'skip' && row.verdict !== 'error';
  const knownAs: KnownAs = {
    ...words,
    ...(flaky === true ? { flaky: { failed: failed ? 1 : 0, of: decided ? 1 : 0 } } : {}),
    ...(expired ? { expired } : {}),
  };
  return { ...row, knownAs, ...(failed && !expired ? { known: true } : {}) };
}

/** Says of a result that its check is newer than the set that the target is held to. */
export const asNew = (row: CheckResult, set: ReadonlySet<string> | undefined): CheckResult =>
  set === undefined || set.has(row.id) ? row : { ...row, new: true };

/**
 * The state of a baseline after a run. An entry is stale where its unit does not exist, or ran and did not fail; one that may
 * pass, or whose day is over, only where its unit does not exist.
 */
export function evaluateBaseline(
  baseline: Baseline,
  rows: readonly CheckResult[],
  options: { readonly now: number; readonly failOn?: FailOn | undefined; exists(id: string): boolean },
): BaselineResult {
  const { exists, failOn, now } = options;
  const held = entriesOf(baseline).filter((entry) => !hasExpired(entry, now) || !exists(entry.id));
  const rowsOf = (id: string) => rows.filter((row) => decidedBy(id).includes(row.id));
  const known = held.filter(({ id }) => rowsOf(id).length > 0 || !exists(id));
  const passes = (id: string) => {
    const decided = rowsOf(id).filter(({ verdict }) => ['pass', 'pass-alternative', 'warn', 'fail'].includes(verdict));
    // A check that has become rules judged all of an answer.
    const situations = new Set(decided.flatMap((row) => (row.id === id ? [] : (row.situations ?? []))));
    return (
      decided.length > 0 &&
      !decided.some((row) => isFailure(row, failOn)) &&
      !rows.some((row) => isFailure(row, failOn) && row.brokenIn?.some((one) => situations.has(one)) === true)
    );
  };
  const stale = known.filter(({ id, flaky }) => !exists(id) || (flaky !== true && passes(id)));
  return { known: known.map(({ id }) => id), stale: stale.map(({ id }) => id) };
}
