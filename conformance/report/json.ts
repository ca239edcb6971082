import { FileInvalid, jsonIn } from '../../emulator/contract/file.js';
import { given } from '../../emulator/contract/given.js';
import { visibleJson } from '../../emulator/contract/visible.js';
import type { CheckResult, FindingResult, Results } from '../run/results.js';
import { reportSchema } from './report-form.js';
import { type Headline, headlineOf, type NotChecked, notChecked } from './words/coverage.js';
import { type FindingText, findingText } from './words/finding.js';
import { type SkipText, skipWords } from './words/skip.js';
import { hindranceText, incompleteText } from './words/stop.js';

/** A finding, with its data also in words. */
type ReportedFinding = FindingResult & FindingText;

/** The result of a check, with its data also in words. */
type ReportedCheck = CheckResult & {
  readonly finding?: ReportedFinding;
  readonly note?: ReportedFinding;
  readonly skip?: NonNullable<CheckResult['skip']> & SkipText;
};

/** Results as data, with words beside it: the JSON report. */
export interface Report extends Results {
  readonly checks: readonly ReportedCheck[];
  /** Why it is incomplete, in sentences. */
  readonly reasons: readonly string[];
  readonly cleanup: Results['cleanup'] & {
    readonly failed: readonly (Results['cleanup']['failed'][number] & { readonly why: string })[];
    /** Why leftovers could not be searched for. */
    readonly notSearched?: string;
  };
  readonly coverage: Results['coverage'] & {
    /** The reasons why the rest has no verdict, the largest group first. */
    readonly not: readonly NotChecked[];
    /** The headline of every report, counted against the checks that can be asked of this target. Older kits wrote none. */
    readonly headline?: Headline;
  };
}

const worded = (finding: FindingResult): ReportedFinding => ({ ...findingText(finding), ...finding });

/** The result of a check, with words. */
export function reportedCheck({ finding, note, skip, ...check }: CheckResult): ReportedCheck {
  return {
    ...check,
    ...given({
      finding: finding && worded(finding),
      note: note && worded(note),
      skip: skip && { ...skipWords(skip), ...skip },
    }),
  };
}

function reportedCleanup({ failed, ...cleanup }: Results['cleanup']): Report['cleanup'] {
  const { unsearched } = cleanup;
  return {
    ...cleanup,
    failed: failed.map((left) => ({ ...left, why: hindranceText(left.because) })),
    ...given({ notSearched: unsearched && hindranceText(unsearched) }),
  };
}

/** Results, with words. */
export const reportOf = (results: Results): Report => ({
  ...results,
  reasons: results.incomplete.map(incompleteText),
  checks: results.checks.map(reportedCheck),
  cleanup: reportedCleanup(results.cleanup),
  coverage: { ...results.coverage, not: notChecked(results.checks), headline: headlineOf(results) },
});

/** Everything, for machines and for `report merge`. A text of a target cannot act as a command to GitHub Actions. */
export const json = (results: Results): string => `${visibleJson(reportOf(results), 2)}\n`;

/**
 * Reads a report that {@link json}, or another program, wrote.
 *
 * @throws FileInvalid: one line that says what is wrong
 */
export function readResults(text: string, from: string): Report {
  const results = jsonIn(text, from, reportSchema) as unknown as Report;
  try {
    // Findings and reasons of skips have many forms. The kit has words for each that it writes.
    return reportOf(results);
  } catch {
    throw new FileInvalid(`${from}:`, 'holds a finding, or a reason, that this kit does not write');
  }
}
