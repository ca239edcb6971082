import { AUTH } from './auth.js';
import { BASE } from './base.js';
import { BODIES } from './bodies.js';
import { CHAT } from './chat.js';
import { CREATE } from './create.js';
import { INVOKE } from './invoke.js';
import { LIFECYCLE } from './lifecycle.js';
import { LISTS } from './lists.js';
import { QUESTIONS } from './questions.js';
import { RECORDS } from './records.js';
import type { AnyRule } from './rule.js';
import { SCIM } from './scim.js';
import { PROOFS } from './signing.js';
import { VAULTS } from './vault.js';

/** The rules and refusals of all areas, in the order of the requirements. */
export const ALL: readonly AnyRule[] = [
  ...BASE,
  ...AUTH,
  ...LISTS,
  ...CREATE,
  ...RECORDS,
  ...BODIES,
  ...LIFECYCLE,
  ...CHAT,
  ...QUESTIONS,
  ...INVOKE,
  ...PROOFS,
  ...SCIM,
  ...VAULTS,
];
