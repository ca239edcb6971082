import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import { edited, type Fresh } from './shared.js';

const ONLY =
  'Only an OAuth-token caller (from the OIDC login) may read it. API keys get 403 with reason `personal_identity_required`.';
const ALIAS = 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.';
const isOrigin = (value: unknown): value is string => typeof value === 'string' && /^(https?|wss?):\/\//.test(value);

export const access: Fresh = {
  'daemon-alias-to-api-keys': {
    quote: ALIAS,
    wrong: (w) =>
      w.asked('daemon-alias', (call) =>
        call.who === 'api_key'
          ? withHeaders(call, { authorization: `Bearer ${w.credentials.oauth_token ?? ''}` })
          : undefined,
      ),
  },
  'daemon-alias-gone': {
    quote: ALIAS,
    wrong: (w) =>
      w.later('daemon-alias', (response) => (response.ok ? failed(410, 'Use GET /daemon', 'gone') : undefined)),
  },
  'daemon-refusal-without-metadata': {
    quote: ONLY,
    wrong: (w) => w.error('daemon', 403, (error) => delete error.metadata),
  },
  'daemon-own-key-404': {
    quote: ONLY,
    wrong: (w) =>
      w.later('daemon daemon-alias', (response, { who }) =>
        response.status === 403 && who === 'own_key' ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  'daemon-not-for-interns-only-grants': {
    quote: ONLY,
    wrong: (w) =>
      w.later('daemon', (response, { who }) =>
        response.ok && who === 'oauth_interns_only_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  'daemon-peer-key-401': {
    quote: ONLY,
    wrong: (w) =>
      w.later('daemon', (response, { who }) =>
        response.status === 403 && who === 'peer_api_key'
          ? failed(401, 'Invalid or missing API key', 'unauthorized')
          : undefined,
      ),
  },
  'daemon-origin-with-a-path': {
    quote: 'It carries an origin and a daemon token.',
    wrong: (w) =>
      w.ok('daemon daemon-alias', (body) => {
        for (const [key, value] of Object.entries(body))
          if (isOrigin(value)) body[key] = `${value.replace(/\/$/, '')}/api/v1`;
      }),
  },
  'daemon-of-the-intern-before': {
    quote:
      'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.',
    wrong: (w) => {
      let last: { id: string; text: string } | undefined;
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'daemon' || !response.ok) return response;
        const before = last;
        last = { id: call.id, text: await response.clone().text() };
        if (before === undefined || before.id === call.id) return response;
        if (before.text !== last.text) w.hit();
        return new Response(before.text, {
          headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
        });
      };
    },
  },
  'daemon-token-masked-after-the-first-reveal': {
    quote: '`get_intern_daemon` returns an origin and a daemon token.',
    wrong: (w) => {
      const shown = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (!call.op.startsWith('daemon') || !response.ok) return response;
        const at = `${call.who} ${call.id}`;
        if (!shown.has(at)) {
          shown.add(at);
          return response;
        }
        return edited(w, response, (body) => {
          for (const [key, value] of Object.entries(body))
            if (/token/i.test(key) && typeof value === 'string') body[key] = `${value.slice(0, 4)}****`;
        });
      };
    },
  },
  'daemon-no-store-once': {
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (w) => {
      const shown = new Set<string>();
      return w.head('daemon', (headers, { who, id }, response) => {
        if (!response.ok) return;
        const at = `${who} ${id}`;
        if (shown.has(at)) headers.set('cache-control', 'no-cache');
        shown.add(at);
      });
    },
  },
};
