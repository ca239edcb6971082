import { failed } from '../answers.js';
import { type Part, remade } from './parts.js';

const isKey = (who: string) => who.endsWith('api_key') || who === 'own_key';

export const daemon: Part = {
  'daemon-api-key-404': {
    quote: 'API keys get 403 with reason `personal_identity_required`.',
    wrong: (w) =>
      w.later('daemon', (response, { who }) =>
        response.status === 403 && isKey(who) ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  'daemon-own-key-other-reason': {
    quote: 'API keys get 403 with reason `personal_identity_required`.',
    wrong: (w) =>
      w.error('daemon', 403, (error, { who }) => {
        if (who === 'own_key' && error.metadata) error.metadata.reason = 'insufficient_scope';
      }),
  },
  'daemon-403-no-retryable': {
    quote: 'metadata: { reason: <string>, retryable: <boolean> }',
    wrong: (w) =>
      w.error('daemon daemon-alias', 403, (error) => {
        delete error.metadata?.retryable;
      }),
  },
  'daemon-revealed-to-keys': {
    quote: 'Only an OAuth-token caller (from the OIDC login) may read it.',
    // An answer once given to a person is given to any caller.
    wrong: (w) => {
      const kept = new Map<string, string>();
      return w.later('daemon', async (response, { id, who }) => {
        if (response.ok) kept.set(id, await response.clone().text());
        const last = kept.get(id);
        return response.status === 403 && isKey(who) && last !== undefined
          ? new Response(last, {
              status: 200,
              headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
            })
          : undefined;
      });
    },
  },
  'daemon-of-the-intern-before': {
    quote: 'Returns the origin and the daemon token that attach the terminal client in host mode to one visible',
    // The cache's key is the caller alone.
    wrong: (w) => {
      const kept = new Map<string, { readonly id: string; readonly at: number; readonly body: string }>();
      return w.later('daemon', async (response, { id, who }) => {
        if (!response.ok) return undefined;
        const last = kept.get(who);
        const at = w.setting.host.now();
        if (last !== undefined && last.id !== id && at - last.at < 60_000) return remade(response, last.body);
        kept.set(who, { id, at, body: await response.clone().text() });
        return undefined;
      });
    },
  },
  'daemon-origin-with-slash': {
    quote: 'It carries an origin and a daemon token.',
    // An origin has no path.
    wrong: (w) =>
      w.ok('daemon daemon-alias', (body) => {
        if (typeof body.origin === 'string') body.origin += '/';
      }),
  },
  'daemon-origin-without-scheme': {
    quote: 'It carries an origin and a daemon token.',
    wrong: (w) =>
      w.ok('daemon', (body) => {
        if (typeof body.origin === 'string') body.origin = body.origin.replace(/^https?:\/\//, '');
      }),
  },
  'daemon-no-token-for-peers': {
    quote: 'Returns the daemon origin and token.',
    // The second person to ask gets an empty token.
    wrong: (w) => {
      const first = new Map<string, string>();
      return w.ok('daemon', (body, { id, who }) => {
        if (!first.has(id)) first.set(id, who);
        if (first.get(id) !== who) for (const field of Object.keys(body)) if (/token/.test(field)) body[field] = null;
      });
    },
  },
  'daemon-interns-only-403': {
    quote: "get_intern_daemon and its alias | OAuth token from the terminal client's OIDC login.",
    // The scope of signing is asked for here as well.
    wrong: (w) =>
      w.later('daemon', (response, { who }) =>
        response.ok && who === 'oauth_interns_only_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  'daemon-alias-redirects': {
    quote: 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    wrong: (w) =>
      w.instead('daemon-alias', ({ id, who }) =>
        who.startsWith('oauth')
          ? new Response(null, { status: 308, headers: { location: `${w.baseUrl}/interns/${id}/daemon` } })
          : undefined,
      ),
  },
  'daemon-alias-no-token': {
    quote: 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    wrong: (w) =>
      w.ok('daemon-alias', (body) => {
        for (const field of Object.keys(body)) if (/token/.test(field)) delete body[field];
      }),
  },
  'daemon-second-reveal-cacheable': {
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (w) => {
      const revealed = new Set<string>();
      return w.head('daemon', (headers, { id }, response) => {
        if (!response.ok) return;
        if (revealed.has(id)) headers.set('cache-control', 'private, max-age=30');
        revealed.add(id);
      });
    },
  },
};
