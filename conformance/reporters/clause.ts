import { type RequirementId, requirement, sentenceOf } from '../requirements/index.js';
import type { CheckResult } from '../run/results.js';

/** The sentence that a check stands on, and where that stands: of the ledger, or its own. */
export function clauseOf(check: CheckResult): { readonly sentence: string; readonly where: string } {
  if (check.clause !== undefined) return check.clause;
  const row = requirement(check.requirement as RequirementId);
  return { sentence: sentenceOf(row, check.level), where: row.where };
}
