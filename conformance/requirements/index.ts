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

const ROWS = { ...BASE, ...AUTH, ...LIFECYCLE, ...CHAT, ...INVOKE, ...SIGNING, ...SCIM, ...VAULT, ...EMULATOR };

/** Ids of requirements. A check that names another one does not compile. */
export type RequirementId = keyof typeof ROWS;

/** The row of an id. */
export const requirement = (id: RequirementId): Requirement & { readonly id: RequirementId } => ({ id, ...ROWS[id] });

/** Every requirement, in the order of the contract. */
export const REQUIREMENTS = (Object.keys(ROWS) as RequirementId[]).map(requirement);

/** The interface's own sentence for a stated requirement; undefined where it states none. */
export const quoteOf = (id: string): string | undefined => (QUOTES as Readonly<Record<string, string>>)[id];
