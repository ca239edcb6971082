import type { Rule } from './rule.js';

/** What a target has to have for the answers that rules of these names are held against. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/outside-the-programme$|^AUTH-5\//, 'outsider_api_key'],
  [/management-key|^(AUTH-6|SCIM-\d+)\//, 'management_key'],
  [/^(AUTH-[78]|DAEMON-\d+|SIGN-\d+)\//, 'oauth_token'],
  [/^AUTH-4\//, 'own_key'],
  [/^BASE-4\//, 'regional_host'],
];

/** What a target has to have before an answer comes that the rule is held against, as far as that is known. */
export const needOf = ({ id }: Pick<Rule, 'id'>): string | undefined => NEEDS.find(([ids]) => ids.test(id))?.[1];
