import { quoteOf, requirement, sentenceOf } from '../requirements/index.js';
import type { CheckResult } from '../run/results.js';

/** What a check stands on. */
export interface Clause {
  readonly sentence: string;
  readonly where: string;
  /** The interface's own words, where it states the requirement. */
  readonly quote?: string;
}

/** The sentence that a check stands on, and where that stands: of the ledger, or its own. */
export function clauseOf(check: CheckResult): Clause {
  if (check.clause !== undefined) return check.clause;
  const row = requirement(check.requirement);
  const quote = check.level === 'S' ? quoteOf(row.id) : undefined;
  return { sentence: sentenceOf(row, check.level), where: row.where, ...(quote === undefined ? {} : { quote }) };
}
