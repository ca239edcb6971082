import { failed } from '../answers.js';
import { isJson } from '../call.js';
import type { Way, World } from '../world.js';
import { bodyOf, namesOf, seen, withJson } from './helpers.js';

const RUNNING =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';
const ONCE = 'The intern accepts it once.';

/** The nonce and the signature of a request to a daemon. */
function proofOf(world: World, { headers }: Request): string {
  const { signatureV2, nonce } = namesOf(world);
  return `${headers.get(nonce)} ${headers.get(signatureV2)}`;
}

/** Whether a daemon refused a proof since its nonce was used before. */
async function usedBefore(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const { error } = await bodyOf(response);
  return isJson(error) && isJson(error.metadata) && error.metadata.reason === 'nonce_reused';
}

export const daemon: readonly Way[] = [
  {
    // It is its own daemon, after all.
    name: "an intern's own key reveals the token of its daemon",
    quote: 'API keys get 403 with reason `personal_identity_required`.',
    wrong: (world) =>
      world.later('daemon daemon-alias', async ({ status }, { who, url }) => {
        if (who !== 'own_key' || status !== 403) return undefined;
        const path = url.pathname.slice(new URL(world.baseUrl).pathname.length);
        const revealed = await world.ask('GET', path, { as: 'oauth_token' });
        return revealed.ok ? revealed : undefined;
      }),
  },
  {
    // A token that was revealed is kept.
    name: 'a suspended intern still reveals the token of its last boot',
    quote: RUNNING,
    wrong: (world) => {
      const revealed = new Map<string, string>();
      return world.later('daemon daemon-alias', async (response, call) => {
        const key = `${call.who} ${call.id}`;
        if (response.ok) revealed.set(key, await response.clone().text());
        const kept = revealed.get(key);
        if (response.status !== 409 || kept === undefined) return undefined;
        if ((await seen(world, call))?.status !== 'stopped') return undefined;
        const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
        return new Response(kept, { headers });
      });
    },
  },
  {
    // The alias has a cache of its own, and resuming does not clear it.
    name: 'the alias reveals the token that was revealed first, whatever boots there were since',
    quote: 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    wrong: (world) => {
      const first = new Map<string, unknown>();
      return world.later('daemon daemon-alias', async (response, { op, id }) => {
        if (!response.ok) return undefined;
        const body = await bodyOf(response);
        const known = first.get(id);
        if (known === undefined) first.set(id, body.token);
        if (known === undefined || known === body.token || op !== 'daemon-alias') return undefined;
        return withJson(response, { ...body, token: known });
      });
    },
  },
  {
    name: 'the alias lets its answer be stored for a minute',
    quote: 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    wrong: (world) =>
      world.head('daemon-alias', (headers, _, { ok }) => ok && headers.set('cache-control', 'private, max-age=60')),
  },
  {
    // Both kinds of proof are asked for the same grant.
    name: 'an OAuth token without vault:read is refused the daemon token',
    quote: 'Only an OAuth-token caller (from the OIDC login) may read it.',
    wrong: (world) =>
      world.later('daemon daemon-alias', ({ ok }, { who }) =>
        ok && who === 'oauth_interns_only_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  {
    // Somebody thought of clients that send again.
    name: 'a daemon takes a v2 proof any number of times within a second',
    quote: ONCE,
    daemons: (world) => {
      const accepted = new Map<string, { text: string; at: number }>();
      const { now } = world.setting.host;
      return async ({ request }, next) => {
        const response = await next();
        const proof = proofOf(world, request);
        if (response.ok) accepted.set(proof, { text: await response.clone().text(), at: now() });
        const before = accepted.get(proof);
        if (before === undefined || before.at + 1_000 < now() || !(await usedBefore(response))) return response;
        world.hit();
        return new Response(before.text, { headers: { 'content-type': 'application/json' } });
      };
    },
  },
  {
    // The used nonces are in the memory of the runtime.
    name: 'a resumed intern has forgotten which nonces were used',
    quote: ONCE,
    daemons: (world) => {
      const accepted = new Map<string, { text: string; token: string | null }>();
      return async ({ request }, next) => {
        const response = await next();
        const token = request.headers.get('authorization');
        const proof = proofOf(world, request);
        const before = accepted.get(proof);
        if (response.ok) accepted.set(proof, { text: await response.clone().text(), token });
        if (before === undefined || before.token === token || !(await usedBefore(response))) return response;
        world.hit();
        accepted.set(proof, { ...before, token });
        return new Response(before.text, { headers: { 'content-type': 'application/json' } });
      };
    },
  },
];
