import { Refusal } from '../../../emulator/contract/errors.js';
import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';
import { chained } from './helpers.js';

const SLOWER = 45;
const MOST = 12;

const inOrganization = (row: unknown) => {
  if (isJson(row) && typeof row.organization_id === 'string')
    row.organization_id = `org_${row.organization_id.replaceAll('-', '').toUpperCase()}`;
};

export const directory: readonly Way[] = [
  {
    // An organization's id is a string of any form; how long a job takes, and its Location, are chosen.
    name: 'organizations have ids that are no UUIDs, and a sync takes a minute and a half and has no Location',
    lawful: true,
    quote: 'organization_id | string | The owning organization. … C: `Location` of the job on the 202; … (1 s each)',
    factories: (usual) => ({
      createDirectory: (deps) => {
        const timer: typeof deps.clock.timer = (ms, fire, kind) => deps.clock.timer(ms * SLOWER, fire, kind);
        const clock: typeof deps.clock = Object.create(deps.clock, { timer: { value: timer } });
        return usual.createDirectory({ ...deps, clock });
      },
    }),
    wrong: (world) => {
      const ids = world.json('*', (body, { url }) => {
        if (!url.pathname.includes('/scim/')) return;
        for (const row of Array.isArray(body.data) ? (body.data as Json[]) : [body.data]) inOrganization(row);
      });
      const heads = world.head('*', (headers, { url }) => {
        if (url.pathname.endsWith('/scim/sync-jobs')) headers.delete('location');
      });
      return chained(ids, heads);
    },
  },
  {
    // How much a vault holds is chosen, not that there is an end.
    name: 'a vault holds twelve secrets',
    lawful: true,
    quote: 'one more row than a vault holds (C: 1,000) 409',
    factories: (usual, hit) => ({
      createVaults: (deps) => {
        const vaults = usual.createVaults(deps);
        const roomFor = (vault: Parameters<typeof vaults.list>[0], wanted: readonly string[]) => {
          if (deps.settings().vault_writes === 'off') return;
          const held = vaults.list(vault).map(({ name }) => name);
          const more = new Set(wanted.filter((name) => !held.includes(name))).size;
          if (more === 0 || held.length + more <= MOST) return;
          hit();
          throw new Refusal('vault_full');
        };
        return {
          ...vaults,
          put(vault, name, secret) {
            roomFor(vault, [name]);
            return vaults.put(vault, name, secret);
          },
          copy(from, to, wanted) {
            const sources = wanted.map((name) => vaults.get(from, name));
            if (sources.every(({ hosts }) => hosts !== null)) roomFor(to, wanted);
            return vaults.copy(from, to, wanted);
          },
        };
      },
    }),
  },
  {
    // The daemon is another program: what it answers, and for how long it takes a proof, is stated nowhere.
    name: 'signing takes seven seconds, and daemons answer in their own way and take proofs for ten minutes',
    lawful: true,
    quote: 'Length of the proof validity window in the daemon: not shown. … 408 | Operation exceeded 10 seconds.',
    factories: (usual) => ({
      createProofs: (deps) =>
        usual.createProofs({ ...deps, settings: () => ({ ...deps.settings(), proof_window: 600_000 }) }),
    }),
    wrong: (world) => async (call, next) => {
      if (call.op.startsWith('sign') && /oauth/.test(call.who)) {
        await world.setting.host.sleep(7_000);
        world.hit();
      }
      return next();
    },
    daemons: (world) => async (_call, next) => {
      const response = await next();
      world.hit();
      if (response.ok) return Response.json({ accepted: true });
      if (response.status !== 401) return response;
      const { error } = (await response.json()) as { error?: { metadata?: { reason?: string } } };
      const headers = { 'www-authenticate': 'Bearer' };
      if (error?.metadata?.reason === 'token_invalid') return new Response(null, { status: 401, headers });
      return Response.json({ message: 'The proof was not accepted' }, { status: 403 });
    },
  },
];
