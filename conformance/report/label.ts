import { countsAgainst, isFailure } from '../run/baseline.js';
import type { CheckResult, Results, Verdict } from '../run/results.js';

/** The words for verdicts and levels. */
export const VERDICTS = { pass: 'conforms', fail: 'does not conform', incomplete: 'incomplete' } as const;
export const LEVELS = { S: 'stated', P: 'published', C: 'chosen' } as const;

/** The label of a result in a report: its verdict, or why a failure does not count. */
export type Label = Verdict | 'known' | 'new';

/** Known failures, and those of checks that are newer than the set a target is held to, do not count against it. */
export const labelOf = (check: CheckResult): Label => {
  if (check.known === true) return 'known';
  return check.new === true && (isFailure(check) || check.verdict === 'warn') ? 'new' : check.verdict;
};

/** Whether a result fails the run that it is of. */
export const failsRun = (check: CheckResult, { options }: Pick<Results, 'options'>): boolean =>
  countsAgainst(check, options.failOn);

/** How many results have each label. */
export function labels(checks: readonly CheckResult[]): Readonly<Record<Label, number>> {
  const counts = { pass: 0, 'pass-alternative': 0, fail: 0, warn: 0, skip: 0, error: 0, known: 0, new: 0 };
  for (const check of checks) counts[labelOf(check)]++;
  return counts;
}
