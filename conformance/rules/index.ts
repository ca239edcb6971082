import type { PublicKey } from '../framework/target.js';
import { accessRules } from './access.js';
import { CHATS } from './chats.js';
import { ERRORS } from './errors.js';
import { LISTS } from './lists.js';
import { RECORDS } from './records.js';
import { ACCEPTED_RULES, REFUSAL_RULES } from './refusals.js';
import type { Rule } from './rule.js';
import { VAULT } from './vault.js';

export type { Rule, Seen } from './rule.js';
export { seenBy } from './rule.js';

/** Every rule, area by area. `publicKeys`: those that proofs of the target are verified with. */
export const rulesFor = (publicKeys: readonly PublicKey[] = []): readonly Rule[] => [
  ...REFUSAL_RULES,
  ...ACCEPTED_RULES,
  ...RECORDS,
  ...LISTS,
  ...ERRORS,
  ...CHATS,
  ...accessRules(publicKeys),
  ...VAULT,
];
