import { failed } from '../answers.js';
import type { Way } from '../world.js';
import { as } from './common.js';

const OAUTH = 'Only an OAuth-token caller (from the OIDC login) may read it.';
const NO_STORE = 'The response carries `Cache-Control: no-store`.';
const accepted = () => Response.json({ ok: true });

export const daemon: readonly Way[] = [
  {
    name: 'daemon-by-api-key',
    quote: OAUTH,
    wrong: (world) =>
      world.asked('daemon', (call) => (call.who === 'api_key' ? as(call, world, 'oauth_token') : undefined)),
  },
  {
    name: 'daemon-api-key-401',
    quote: 'API keys get 403 with reason `personal_identity_required`.',
    wrong: ({ later }) =>
      later('daemon', ({ status }, { who }) =>
        status === 403 && who === 'peer_api_key' ? failed(401, 'Invalid or missing API key') : undefined,
      ),
  },
  {
    name: 'daemon-stored-on-second-read',
    quote: NO_STORE,
    wrong: ({ head }) => {
      const read = new Set<string>();
      return head('daemon', (headers, { id, who }, { ok }) => {
        if (!ok) return;
        if (read.has(`${who} ${id}`)) headers.delete('cache-control');
        read.add(`${who} ${id}`);
      });
    },
  },
  {
    name: 'daemon-token-by-caller',
    quote:
      'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.',
    wrong: ({ hit }) => {
      const kept = new Map<string, { readonly id: string; readonly response: Response }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'daemon' || !response.ok) return response;
        const first = kept.get(call.who);
        if (first === undefined) kept.set(call.who, { id: call.id, response: response.clone() });
        if (first === undefined || first.id === call.id) return response;
        hit();
        return first.response.clone();
      };
    },
  },
  {
    name: 'daemon-asks-for-vault-grant',
    quote: "get_intern_daemon and its alias | OAuth token from the terminal client's OIDC login.",
    wrong: ({ later }) =>
      later('daemon daemon-alias', ({ ok }, { who }) =>
        ok && who === 'oauth_interns_only_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  {
    name: 'daemon-alias-moved',
    quote: 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    wrong: ({ later, baseUrl }) =>
      later('daemon-alias', ({ ok }, { id }) =>
        ok ? new Response(null, { status: 308, headers: { location: `${baseUrl}/interns/${id}/daemon` } }) : undefined,
      ),
  },
  {
    name: 'daemon-alias-by-api-key',
    quote: 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    wrong: (world) =>
      world.asked('daemon-alias', (call) =>
        call.who.endsWith('api_key') ? as(call, world, 'oauth_token') : undefined,
      ),
  },
  {
    name: 'daemon-origin-with-a-path',
    quote: 'Returns the origin and the daemon token',
    wrong: ({ ok }) =>
      ok('daemon', (body) => {
        for (const [name, value] of Object.entries(body))
          if (typeof value === 'string' && /^(https?|wss?):\/\/[^/]+$/.test(value)) body[name] = `${value}/daemon`;
      }),
  },
  {
    name: 'daemon-403-names-scope',
    quote: '403 with reason `personal_identity_required` for `get_intern_daemon` called with an API key.',
    wrong: ({ error }) =>
      error('daemon', 403, (said) => {
        if (said.metadata !== undefined) said.metadata.reason = 'insufficient_scope';
      }),
  },
  {
    name: 'proof-taken-twice',
    quote: 'The intern accepts it once.',
    daemons: ({ hit }) => {
      return async (_, next) => {
        const response = await next();
        if (response.status !== 401 || !(await response.clone().text()).includes('nonce_reused')) return response;
        hit();
        return accepted();
      };
    },
  },
  {
    name: 'proof-nonces-last-only',
    quote: 'The single-use id to which the v2 proof is bound.',
    daemons: ({ hit }) => {
      let latest = '';
      return async ({ request }, next) => {
        const nonce = [...request.headers].find(([name]) => name.endsWith('-invoke-nonce'))?.[1] ?? '';
        const response = await next();
        const again = nonce !== '' && nonce !== latest && response.status === 401;
        if (nonce !== '' && response.ok) latest = nonce;
        if (!again || !(await response.clone().text()).includes('nonce_reused')) return response;
        hit();
        return accepted();
      };
    },
  },
  {
    name: 'proof-of-any-age',
    quote: 'The daemon refuses proofs older than its window.',
    daemons: ({ hit, setting: { host } }) => {
      return async ({ request }, next) => {
        const response = await next();
        const at = Number([...request.headers].find(([name]) => name.endsWith('-invoke-timestamp'))?.[1]);
        if (response.status !== 401 || !(host.now() / 1000 - at > 20)) return response;
        if (/mismatch|wrong_intern|nonce/.test(await response.clone().text())) return response;
        hit();
        return accepted();
      };
    },
  },
  {
    name: 'proofs-of-one-second-clash',
    quote: 'The intern accepts it once.',
    daemons: ({ hit }) => {
      const taken = new Map<string, string>();
      return async ({ request }, next) => {
        const named = (end: string) => [...request.headers].find(([name]) => name.endsWith(end))?.[1] ?? '';
        const nonce = named('-invoke-nonce');
        const at = named('-invoke-timestamp');
        const other = taken.get(at);
        if (nonce !== '' && other !== undefined && other !== nonce) {
          hit();
          return failed(401, 'Proof was used', 'nonce_reused');
        }
        const response = await next();
        if (nonce !== '' && response.ok) taken.set(at, nonce);
        return response;
      };
    },
  },
];
