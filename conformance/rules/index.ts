import { ACCEPTED_RULES } from './accepted.js';
import { ACCESS } from './access.js';
import { CHATS } from './chats.js';
import { ERRORS } from './errors.js';
import { LISTS } from './lists.js';
import { RECORDS } from './records.js';
import { REFUSAL_RULES } from './refusals/index.js';
import { byOperation, type Rule } from './rule.js';
import { VAULT } from './vault.js';

export type { Breach, Rule, Seen } from './rule.js';
export { byOperation, foundBy, seenBy, situationOf } from './rule.js';

/** Every rule, area by area. */
export const RULES: readonly Rule[] = [
  ...REFUSAL_RULES,
  ...ACCEPTED_RULES,
  ...RECORDS,
  ...LISTS,
  ...ERRORS,
  ...CHATS,
  ...ACCESS,
  ...VAULT,
];

/** The rules that are held against an exchange. */
export const rulesFor = byOperation(RULES);
