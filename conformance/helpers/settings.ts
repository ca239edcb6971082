import { isDeepStrictEqual } from 'node:util';
import type { Intern } from '../../emulator/contract/intern.js';
import { fail, gist } from '../framework/assert.js';
import type { Ctx } from '../framework/context.js';

/** What of a record stays as it is while nobody changes it. */
const STAYS = [
  'id',
  'name',
  'description',
  'instructions',
  'model',
  'status',
  'workspace_id',
  'vault_id',
  'attached_vault_id',
  'created_at',
] as const;

/**
 * What two reads of an intern that nobody changed agree in: the whole record on an emulator; elsewhere what is known to
 * stay, for a record may tell more than the interface says.
 */
export function settings({ target }: Pick<Ctx, 'target'>, record: Intern): Record<string, unknown> {
  if (target.kind === 'emulator') return { ...record };
  return Object.fromEntries(STAYS.map((key) => [key, record[key]]));
}

/** An update leaves what it does not name (UPDATE-1). `now` is what is read after it, `was` what was there before. */
export function untouched(now: unknown, was: unknown, key: string, when: string): void {
  if (isDeepStrictEqual(now, was)) return;
  fail('a setting that an update did not name', 'left as it was', gist('changed', { [key]: { now, was }, when }));
}

/** Each intern has a vault of its own (CREATE-2). */
export function ownVault(one: Pick<Intern, 'id' | 'vault_id'>, other: Pick<Intern, 'id' | 'vault_id'>): void {
  if (typeof one.vault_id !== 'string' || one.vault_id !== other.vault_id) return;
  const both = { interns: [one.id, other.id], vault_id: one.vault_id };
  fail('vault_id of an intern', 'one that no other intern has', gist('one that another has', both));
}
