import { expect, test } from 'vitest';
import { lacking } from '../model/skip.js';
import type { Ctx } from '../run/context.js';
import { DELETE } from './delete.js';

const check = DELETE.find(({ id }) => id === 'delete/vault-is-gone');

/** Does the check where a create that attaches the vault of a gone intern answers with `made`. */
const done = (gone: object, made: object) => {
  const assume: Ctx['assume'] = (holds, need) => {
    if (!holds) throw lacking({ kind: 'met', need: String(need), got: undefined });
  };
  const api = {
    remove: async () => ({ status: 202 }),
    create: async () => ({ status: 201, json: { id: 'two', name: 'two', status: 'stopped', ...made } }),
  };
  const interns = { stopped: async () => ({ id: 'one', ...gone }), untilGone: async () => {}, body: () => ({}) };
  return check?.run({ api, assume, interns } as unknown as Ctx);
};

test('a record that does not show its vault leaves nothing to attach', async () => {
  await expect(done({}, {})).rejects.toThrow(/a record that shows its vault/);
});

test('the vault of a gone intern is attached to no other', async () => {
  await expect(done({ vault_id: 'v' }, { vault_id: 'w' })).resolves.toBeUndefined();
  await expect(done({ vault_id: 'v' }, { vault_id: 'w', attached_vault_id: 'v' })).rejects.toThrow(/attached_vault_id/);
});
