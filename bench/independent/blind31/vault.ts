import { failed } from '../answers.js';
import type { Way } from '../world.js';
import { bodyOf, isMember, rowsOf, seen, tokenOf, withJson } from './helpers.js';

export const vault: readonly Way[] = [
  {
    // The first boot makes it.
    name: 'an intern that never booted has no vault yet',
    quote: 'Creating it also creates its private vault.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      const of = /\/vault\/interns\/([^/]+)\//.exec(call.url.pathname)?.[1];
      if (of === undefined || !response.ok || !isMember(call)) return response;
      const record = await seen(world, call, of);
      if (record?.status !== 'stopped' || record.hostname !== null) return response;
      world.hit();
      return failed(404, 'Intern not found', 'not_found');
    },
  },
  {
    name: 'the vault of an intern shows the secrets of its workspace too',
    quote: 'Creating it also creates its private vault.',
    wrong: (world) =>
      world.later('vault-list', async (response, call) => {
        if (!response.ok || !isMember(call) || call.url.search !== '') return undefined;
        const shared = rowsOf(await bodyOf(await world.ask('GET', '/vault/secrets', { as: tokenOf(call) })));
        const body = await bodyOf(response);
        const own = rowsOf(body);
        const more = shared.filter(({ name }) => !own.some((secret) => secret.name === name));
        if (more.length === 0) return undefined;
        const data = [...own, ...more].sort((one, other) => (String(one.name) < String(other.name) ? -1 : 1));
        return withJson(response, { ...body, data });
      }),
  },
  {
    // Vaults are found by the name of their intern, and stay.
    name: 'an intern of the same name inherits the vault of a deleted one',
    quote: 'Starts safe teardown of the intern, its runtime and its private vault.',
    factories: (usual, hit) => ({
      createInterns(deps) {
        const interns = usual.createInterns({ ...deps, dropVault: () => {} });
        const left = new Map<string, string>();
        const keyOf = ({ creator, record }: Parameters<typeof interns.put>[0]) =>
          [creator, record.workspace_id, record.name].join('\n');
        return {
          ...interns,
          put(row, record, change) {
            const old = record?.vault_id == null ? undefined : left.get(keyOf(row));
            if (old === undefined) return interns.put(row, record, change);
            left.delete(keyOf(row));
            if ([...deps.store.collection('secrets').values()].some((secret) => secret.vault === old)) hit();
            return interns.put(row, { ...record, vault_id: old }, change);
          },
          remove(row) {
            if (row.record.vault_id !== null) left.set(keyOf(row), row.record.vault_id);
            interns.remove(row);
          },
        };
      },
    }),
  },
];
