import { AUTH } from './auth.js';
import { BASE } from './base.js';
import { CHAT } from './chat.js';
import { EMULATOR } from './emulator.js';
import { INVOKE } from './invoke.js';
import { LIFECYCLE } from './lifecycle.js';
import { QUOTES } from './quotes.js';
import type { Requirement } from './requirement.js';
import { SCIM } from './scim.js';
import { SIGNING } from './signing.js';
import { VAULT } from './vault.js';

export { type Level, type Requirement, sentenceOf, speaksAt } from './requirement.js';

/** Every requirement, in the order of the contract. */
export const REQUIREMENTS = [
  ...BASE,
  ...AUTH,
  ...LIFECYCLE,
  ...CHAT,
  ...INVOKE,
  ...SIGNING,
  ...SCIM,
  ...VAULT,
  ...EMULATOR,
] as const;

/** Ids of requirements. A check that names another one does not compile. */
export type RequirementId = (typeof REQUIREMENTS)[number]['id'];

/** The interface's own sentence for a stated requirement; undefined where it states none. */
export const quoteOf = (id: string): string | undefined => (QUOTES as Readonly<Record<string, string>>)[id];

/** The row of an id. */
export function requirement(id: RequirementId): Requirement {
  const row = REQUIREMENTS.find((entry) => entry.id === id);
  if (row === undefined) throw new Error(`no requirement ${id} in the ledger`);
  return row;
}
