import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bearer, bodyOf, personal, saying, seen } from './service.js';

const RUNNING =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';

export const daemons: readonly Way[] = [
  {
    name: 'daemon-alias-may-be-stored',
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (w) => w.head('daemon-alias', (headers, _, { ok }) => ok && headers.set('cache-control', 'private')),
  },
  {
    name: 'daemon-of-suspended-remembered',
    quote: RUNNING,
    wrong: (w) => {
      const known = new Map<string, Response>();
      return async (call, next) => {
        const response = await next();
        if (!call.op.startsWith('daemon') || !call.who.includes('oauth')) return response;
        if (response.ok) known.set(call.id, response.clone());
        const before = known.get(call.id);
        if (response.status !== 409 || !before) return response;
        w.hit();
        return before.clone();
      };
    },
  },
  {
    name: 'daemon-token-of-the-first-asked-for',
    quote: RUNNING,
    wrong: (w) => {
      let first: { id: string; token: unknown } | undefined;
      return w.ok('daemon daemon-alias', (body, { id }) => {
        first ??= { id, token: body.token };
        if (first.id !== id) body.token = first.token;
      });
    },
  },
  {
    name: 'daemon-open-to-own-key',
    quote: 'API keys get 403 with reason `personal_identity_required`.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (!call.op.startsWith('daemon') || call.who !== 'own_key' || response.status !== 403) return response;
      w.hit();
      return next(withHeaders(call, { authorization: bearer(w, 'oauth_token') }));
    },
  },
  {
    name: 'daemon-wants-vault-grant',
    quote: 'Only an OAuth-token caller (from the OIDC login) may read it.',
    wrong: (w) =>
      w.later('daemon', ({ ok }, { who }) => (ok && who === 'oauth_interns_only_token' ? personal() : undefined)),
  },
  {
    name: 'daemon-origin-ends-in-slash',
    quote: 'It carries an origin and a daemon token.',
    wrong: (w) =>
      w.ok('daemon daemon-alias', (body) => {
        body.origin = `${String(body.origin)}/`;
      }),
  },
  {
    name: 'daemon-token-before-resume',
    quote: RUNNING,
    wrong: (w) => {
      const old = new Map<string, unknown>();
      const asleep = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) asleep.add(call.id);
        if (!call.op.startsWith('daemon') || !response.ok || !(await seen(w, call.id, call.who))) return response;
        const body = await bodyOf(response);
        const before = old.get(call.id);
        if (before === undefined || !asleep.has(call.id)) old.set(call.id, body.token);
        if (before === undefined || before === body.token) return response;
        w.hit();
        return saying(response, { ...body, token: before });
      };
    },
  },
];
