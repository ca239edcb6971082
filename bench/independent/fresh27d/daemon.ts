import { failed } from '../answers.js';
import type { Json } from '../call.js';
import { type Area, by, edited, recordOf } from './form.js';

const ORIGIN =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';
const CALLER =
  'Only an OAuth-token caller (from the OIDC login) may read it. API keys get 403 with reason `personal_identity_required`.';
const ALIAS = 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.';

const tokensOf = (body: Json) => Object.keys(body).filter((key) => /token/i.test(key) && typeof body[key] === 'string');

export const daemon: Area = {
  'origin-with-a-path': {
    quote: ORIGIN,
    wrong: ({ ok }) =>
      ok('daemon daemon-alias', (body) => {
        if (typeof body.origin === 'string') body.origin = `${body.origin.replace(/\/$/, '')}/v1`;
      }),
  },
  'origin-without-scheme': {
    quote: ORIGIN,
    wrong: ({ ok }) =>
      ok('daemon', (body) => {
        if (typeof body.origin === 'string') body.origin = body.origin.replace(/^[a-z]+:\/\//, '');
      }),
  },
  'token-shown-once': {
    quote: ORIGIN,
    wrong: (world) => {
      const shown = new Set<string>();
      return world.ok('daemon', (body, { id }) => {
        if (shown.has(id)) for (const key of tokensOf(body)) body[key] = '********';
        shown.add(id);
      });
    },
  },
  'origin-of-another-intern': {
    quote: ORIGIN,
    wrong: (world) => {
      let first: unknown;
      return world.ok('daemon daemon-alias', (body) => {
        first ??= body.origin;
        body.origin = first;
      });
    },
  },
  'token-lost-in-the-alias': {
    quote: ALIAS,
    wrong: ({ ok }) =>
      ok('daemon-alias', (body) => {
        for (const key of tokensOf(body)) delete body[key];
      }),
  },
  'daemon-api-key-401': {
    quote: CALLER,
    wrong: ({ later }) =>
      later('daemon', (response) =>
        response.status === 403 ? failed(401, 'Invalid or missing API key', 'unauthorized') : undefined,
      ),
  },
  'daemon-peer-key-served': {
    quote: CALLER,
    wrong: (world) => async (call, next) => {
      if (call.op !== 'daemon' || call.who !== 'peer_api_key') return next();
      const response = await next(by(call, world, 'oauth_token'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'daemon-alias-key-served': {
    quote: ALIAS,
    wrong: (world) => async (call, next) => {
      if (call.op !== 'daemon-alias' || call.who !== 'api_key') return next();
      const response = await next(by(call, world, 'oauth_token'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'daemon-key-served-after-a-person-read-it': {
    quote: CALLER,
    wrong: (world) => {
      const last = new Map<string, { at: number; body: unknown }>();
      const { host } = world.setting;
      return world.later('daemon', async (response, { id }) => {
        if (response.ok) last.set(id, { at: host.now(), body: await recordOf(response) });
        const known = last.get(id);
        return response.status === 403 && known && host.now() - known.at < 60_000
          ? Response.json(known.body, { headers: { 'cache-control': 'no-store' } })
          : undefined;
      });
    },
  },
  'daemon-alias-gone': {
    quote: ALIAS,
    wrong: ({ later }) =>
      later('daemon-alias', (response) =>
        response.ok ? failed(410, 'This path has been removed', 'gone') : undefined,
      ),
  },
  'daemon-interns-only-grant-403': {
    quote: "get_intern_daemon and its alias: OAuth token from the terminal client's OIDC login.",
    wrong: ({ later }) =>
      later('daemon', (response, { who }) =>
        response.ok && who === 'oauth_interns_only_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  'daemon-kept-by-caches-the-second-time': {
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (world) => {
      const read = new Set<string>();
      return world.head('daemon', (headers, { id, who }, response) => {
        if (!response.ok) return;
        if (read.has(`${who} ${id}`)) headers.set('cache-control', 'private, max-age=30');
        read.add(`${who} ${id}`);
      });
    },
  },
  'daemon-reason-in-upper-case': {
    quote: CALLER,
    wrong: ({ error }) =>
      error('daemon daemon-alias', 403, ({ metadata }) => {
        if (metadata && typeof metadata.reason === 'string') metadata.reason = metadata.reason.toUpperCase();
      }),
  },
  'daemon-old-origin-after-resume': {
    quote: ORIGIN,
    wrong: (world) => {
      const old = new Map<string, Json>();
      const suspended = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.add(call.id);
        if (call.op !== 'daemon' || !response.ok) return response;
        const known = old.get(call.id);
        if (!suspended.has(call.id) || known === undefined) {
          old.set(call.id, await recordOf(response));
          return response;
        }
        return edited(response, (body) => {
          if (body.origin === known.origin) return;
          world.hit();
          body.origin = known.origin;
        });
      };
    },
  },
};
