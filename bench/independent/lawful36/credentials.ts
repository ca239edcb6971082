import { failed } from '../answers.js';
import { peeked } from '../lawful35/helpers.js';
import type { Way } from '../world.js';
import { isOfInterns } from './helpers.js';

export const shortKey: Way = {
  name: 'the own key of an intern is replaced after it was used ten times',
  lawful: true,
  quote: 'How keys and tokens are issued, and their lifetimes: not shown.',
  wrong(world) {
    let calls = 0;
    return world.instead('*', (call) => {
      if (call.who !== 'own_key' || call.regional || !isOfInterns(call)) return undefined;
      calls += 1;
      if (calls <= 10) return undefined;
      const headers = /^(sign|daemon)/.test(call.op) ? { 'cache-control': 'no-store' } : {};
      return failed(401, 'Invalid or missing API key', undefined, false, headers);
    });
  },
};

export const namedKey: Way = {
  name: 'a signature says which key it was made with',
  lawful: true,
  quote: 'The response is a JSON object whose keys are the header names that the terminal client copies.',
  wrong: (world) =>
    world.ok('sign sign-alias', (body) => {
      const name = Object.keys(body).find((key) => key.endsWith('-signature'));
      if (name !== undefined) body[name.replace(/signature$/, 'key-id')] = 'k-2026-11';
    }),
};

export const credentials: readonly Way[] = [
  shortKey,
  namedKey,
  {
    name: 'an administrator deletes the mapping after three reads',
    lawful: true,
    quote: '404 | Resource not found | Mapping unknown.',
    wrong(world) {
      let reads = 0;
      const id = world.target.scim_mapping_id;
      return world.later('scim', async (response, call) => {
        if (!response.ok || call.id.toLowerCase() !== id?.toLowerCase()) return undefined;
        reads += 1;
        if (reads === 3)
          await world.ask('DELETE', `/scim/group-mappings/${id}?keep_members=true`, { as: 'management_key' });
        return reads === 3 ? response : undefined;
      });
    },
  },
  {
    name: 'writes to vaults are disabled',
    lawful: true,
    quote: 'Writes are 503 while vault writes are disabled for the caller.',
    wrong(world) {
      let set: Promise<unknown> | undefined;
      return async (_call, next) => {
        set ??= world.emulator.fetch(
          new Request(`${world.target.control_url}/settings`, {
            method: 'PUT',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ vault_writes: 'off' }),
          }),
        );
        await set;
        const response = await next();
        if (response.status === 503 && (await peeked(response)).error !== undefined) world.hit();
        return response;
      };
    },
  },
];
