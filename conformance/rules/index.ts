import { ACCEPTED_RULES } from './accepted.js';
import { ALL } from './areas.js';
import { REFUSAL_RULES } from './refusals.js';
import { byOperation, type Rule } from './rule.js';

export type { Breach, Rule, Seen } from './rule.js';
export { byOperation, foundBy, seenBy } from './rule.js';

/** Every rule: of refusals, of accepted requests, and area by area. */
export const RULES: readonly Rule[] = [...REFUSAL_RULES, ...ACCEPTED_RULES, ...ALL.filter((row) => 'judge' in row)];

/** The rules that are held against an exchange. */
export const rulesFor = byOperation(RULES);
