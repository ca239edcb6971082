import type { Check } from '../framework/check.js';
import type { Rule } from './rule.js';

/** A check that sends nothing: its rule judges every exchange of the run, and reports when all else is done. */
interface RuleCheck extends Check {
  readonly rule: Rule;
}

/** A rule as a check of a run. */
export const checkOf = (rule: Rule): RuleCheck => ({
  id: rule.id,
  requirement: rule.requirement,
  level: rule.level,
  title: rule.says,
  needs: [],
  rule,
  run: async () => {},
});

/** The rule of a check; undefined where the check sends requests of its own. */
export const ruleOf = (check: Check): Rule | undefined => ('rule' in check ? (check as RuleCheck).rule : undefined);
