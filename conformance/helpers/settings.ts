import { isDeepStrictEqual } from 'node:util';
import type { Intern } from '../../emulator/contract/intern.js';
import { fail, gist } from '../framework/assert.js';

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
