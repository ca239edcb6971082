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

/** The needs of a target for the answers that rules of these names are held against. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/outside-the-programme$|^AUTH-5\//, 'outsider_api_key'],
  [/management-key|^(AUTH-6|SCIM-\d+)\//, 'management_key'],
  [/^(AUTH-[78]|DAEMON-\d+|SIGN-\d+)\//, 'oauth_token'],
  [/^AUTH-4\//, 'own_key'],
  [/^BASE-4\//, 'regional_host'],
  // Elsewhere others may take an intern away.
  [/^LIFE-1\/found$/, 'control'],
];

/** The needs of a target for an answer that the rule is held against, as far as they are known. */
export const needOf = ({ id }: Pick<Rule, 'id'>): string | undefined => NEEDS.find(([ids]) => ids.test(id))?.[1];
