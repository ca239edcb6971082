import { failed } from '../answers.js';
import { isJson, type Json } from '../call.js';
import { bodyOf, edited, type Fresh, now } from './shared.js';

const V1 = 'x-ori-invoke-signature';
const V2 = 'x-ori-invoke-signature-v2';
const TIME = 'x-ori-invoke-timestamp';
const USER = 'x-ori-invoke-user';
const NONCE = 'x-ori-invoke-nonce';
const KEYS =
  'The response is a JSON object whose keys are the header names that the terminal client copies onto the daemon request.';
const OVER = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';

const routeOf = (body: Json): Json | undefined => (isJson(body.route) ? body.route : undefined);

export const signing: Fresh = {
  'sign-time-in-milliseconds': {
    quote: '| x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing.',
    wrong: (w) =>
      w.ok('sign sign-alias', (body) => {
        if (typeof body[TIME] === 'string') body[TIME] = `${body[TIME]}000`;
      }),
  },
  'sign-time-of-the-minute': {
    quote: '| x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing.',
    wrong: (w) =>
      w.ok('sign', (body) => {
        if (typeof body[TIME] === 'string') body[TIME] = String(Number(body[TIME]) - (Number(body[TIME]) % 60));
      }),
  },
  'sign-time-in-iso-on-alias': {
    quote: ALIAS,
    wrong: (w) =>
      w.ok('sign-alias', (body) => {
        if (typeof body[TIME] === 'string') body[TIME] = new Date(Number(body[TIME]) * 1000).toISOString();
      }),
  },
  'sign-route-replaces-first-proof': {
    quote: '| x-svc-invoke-signature | string, Base64 | always |',
    wrong: (w) =>
      w.ok('sign', (body) => {
        if (V2 in body) delete body[V1];
      }),
  },
  'sign-both-proofs-alike': {
    quote: OVER,
    wrong: (w) =>
      w.ok('sign', (body) => {
        if (V2 in body) body[V2] = body[V1];
      }),
  },
  'sign-nonces-in-rotation': {
    quote: 'The single-use id to which the v2 proof is bound.',
    wrong: (w) => {
      const pool: unknown[] = [];
      let turn = 0;
      return w.ok('sign', (body) => {
        if (!(NONCE in body)) return;
        if (pool.length < 4) pool.push(body[NONCE]);
        else body[NONCE] = pool[turn++ % 4];
      });
    },
  },
  'sign-always-post': {
    quote: OVER,
    wrong: (w) =>
      w.asked('sign sign-alias', ({ body }) => {
        const route = routeOf(body);
        return typeof route?.method === 'string' && route.method !== 'POST'
          ? { ...body, route: { ...route, method: 'POST' } }
          : undefined;
      }),
  },
  'sign-path-without-query': {
    quote: OVER,
    wrong: (w) =>
      w.asked('sign sign-alias', ({ body }) => {
        const route = routeOf(body);
        return typeof route?.path === 'string' && route.path.includes('?')
          ? { ...body, route: { ...route, path: route.path.split('?')[0] } }
          : undefined;
      }),
  },
  'sign-for-the-intern-before': {
    quote: 'Ed25519 signature over the intern id, timestamp, user and body digest.',
    wrong: (w) => {
      const last = new Map<string, string>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'sign' || !response.ok) return response;
        const before = last.get(call.who);
        last.set(call.who, call.id);
        if (before === undefined || before === call.id) return response;
        const other = await w.ask('POST', `/interns/${before}/daemon/sign`, { as: call.who, body: call.body });
        if (!other.ok) return response;
        w.hit();
        return other;
      };
    },
  },
  'sign-user-of-the-latest-caller-on-the-intern': {
    quote: 'The signed user in a proof is the verified OAuth subject, never a value from the request.',
    wrong: (w) => {
      const last = new Map<string, unknown>();
      return w.ok('sign sign-alias', (body, { id }) => {
        const before = last.get(id);
        last.set(id, body[USER]);
        if (before !== undefined) body[USER] = before;
      });
    },
  },
  'sign-user-from-query': {
    quote: 'It is never taken from the request.',
    wrong: (w) =>
      w.ok('sign sign-alias', (body, { url }) => {
        const user = url.searchParams.get('user') ?? url.searchParams.get('sub');
        if (user !== null) body[USER] = user;
      }),
  },
  'sign-names-capitalised': {
    quote: KEYS,
    wrong: (w) =>
      w.ok('sign', (body) => {
        for (const [key, value] of Object.entries(body)) {
          delete body[key];
          body[key.replace(/(^|-)[a-z]/g, (one) => one.toUpperCase())] = value;
        }
      }),
  },
  'sign-expiry-besides': {
    quote: KEYS,
    wrong: (w) =>
      w.ok('sign', (body) => {
        if (V1 in body) body.expires_in = 60;
      }),
  },
  'sign-wrapped-on-alias': {
    quote: ALIAS,
    wrong: (w) =>
      w.ok('sign-alias', (body) => {
        const headers = { ...body };
        for (const key of Object.keys(body)) delete body[key];
        body.headers = headers;
      }),
  },
  'sign-alias-cacheable': {
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (w) =>
      w.head('sign-alias', (headers, _, response) => {
        if (response.ok) headers.delete('cache-control');
      }),
  },
  'sign-digest-trimmed': {
    quote: 'Must match `^[0-9a-f]{64}$`.',
    wrong: (w) =>
      w.asked('sign', ({ body }) =>
        typeof body.bodySha256 === 'string' && /^\s+|[ \t]+$/.test(body.bodySha256)
          ? { ...body, bodySha256: body.bodySha256.trim() }
          : undefined,
      ),
  },
  'sign-digest-padded': {
    quote: '| bodySha256 length | exactly 64 lower-case hex characters | Signing body. |',
    wrong: (w) =>
      w.asked('sign sign-alias', ({ body }) =>
        typeof body.bodySha256 === 'string' && /^[0-9a-f]{60,63}$/.test(body.bodySha256)
          ? { ...body, bodySha256: body.bodySha256.padStart(64, '0') }
          : undefined,
      ),
  },
  'sign-digest-of-nothing-by-default': {
    quote: '| bodySha256 | string | yes |',
    wrong: (w) =>
      w.asked('sign', ({ body, text }) =>
        text.trim().startsWith('{') && body.bodySha256 === undefined
          ? { ...body, bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }
          : undefined,
      ),
  },
  'sign-api-key-401': {
    quote: 'An API key is refused with 403, because it names no person.',
    wrong: (w) =>
      w.later('sign', (response, { who }) =>
        response.status === 403 && who.endsWith('api_key') ? failed(401, 'Invalid or missing API key') : undefined,
      ),
  },
  'sign-own-key-404': {
    quote: 'An API key is refused with 403, because it names no person.',
    wrong: (w) =>
      w.later('sign sign-alias', (response, { who }) =>
        response.status === 403 && who === 'own_key' ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  'sign-interns-only-after-full-grant': {
    quote: "An interns-only grant is refused with 403, because a proof releases that user's personal connections.",
    wrong: (w) => {
      const signed = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'sign') return response;
        if (response.ok && call.who === 'oauth_token') signed.add(call.id);
        if (response.status !== 403 || call.who !== 'oauth_interns_only_token' || !signed.has(call.id)) return response;
        const other = await w.ask('POST', `/interns/${call.id}/daemon/sign`, { as: 'oauth_token', body: call.body });
        if (!other.ok) return response;
        w.hit();
        return other;
      };
    },
  },
  'sign-unknown-token-worded-otherwise': {
    quote: '| 401 | Invalid or missing API key | (no metadata) | (none) | Missing or invalid credential. |',
    wrong: (w) =>
      w.error('sign', 401, (error, { who }) => {
        if (who === 'unknown') error.message = 'Token expired or unknown';
      }),
  },
  'sign-invalid-body-retryable': {
    quote: '| 400 | Invalid request body | invalid_body | false | Body invalid. |',
    wrong: (w) =>
      w.error('sign', 400, (error) => {
        if (error.metadata) error.metadata.retryable = true;
      }),
  },
  'sign-bad-json-worded-otherwise': {
    quote: '| 400 | Invalid request body | invalid_body | false | Body invalid. |',
    wrong: (w) =>
      w.error('sign sign-alias', 400, (error, { text }) => {
        if (!text.trim().startsWith('{') || !text.trim().endsWith('}')) error.message = 'Unexpected token in JSON';
      }),
  },
  'sign-hidden-worded-otherwise': {
    quote: '| 404 | Intern not found | not_found | false | Intern unknown or not visible. |',
    wrong: (w) => {
      return w.later('sign', async (response, { id }) => {
        if (response.status !== 404) return undefined;
        const there = (await w.ask('GET', `/interns/${id}`, { as: 'foreign_api_key' })).ok;
        return there ? failed(404, 'Intern not found in this workspace', 'not_found') : undefined;
      });
    },
  },
  'sign-wrong-type-400': {
    quote:
      '| 415 | Request body must be sent as application/json | unsupported_media_type | false | Wrong media type. |',
    wrong: (w) =>
      w.later('sign', (response) =>
        response.status === 415 ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  'sign-large-retryable': {
    quote: '| 413 | Request body exceeds 1048576 bytes | payload_too_large | false | Body above the cap. |',
    wrong: (w) =>
      w.error('sign sign-alias', 413, (error) => {
        if (error.metadata) error.metadata.retryable = true;
      }),
  },
  'sign-limited-reason': {
    quote: '| 429 | Too many intern turns | rate_limited | true | Chat turn limiter exceeded. |',
    wrong: (w) =>
      w.error('sign sign-alias', 429, (error) => {
        if (error.metadata) error.metadata.reason = 'too_many_requests';
      }),
  },
  'sign-alias-answers-from-the-main-route': {
    quote: 'The single-use id to which the v2 proof is bound.',
    wrong: (w) => {
      const kept = new Map<string, { at: number; body: Json }>();
      return async (call, next) => {
        const response = await next();
        if (!response.ok || (call.op !== 'sign' && call.op !== 'sign-alias')) return response;
        const key = `${call.who} ${call.id} ${call.text}`;
        const before = kept.get(key);
        if (call.op === 'sign') kept.set(key, { at: now(w), body: await bodyOf(response) });
        if (call.op === 'sign' || before === undefined || now(w) - before.at > 30_000) return response;
        return edited(w, response, (body) => Object.assign(body, before.body));
      };
    },
  },
  'daemon-nonce-remembered-ten-seconds': {
    quote: 'The intern accepts it once.',
    daemons: (w) => {
      const first = new Map<string, number>();
      return async (call, next) => {
        const response = await next();
        const nonce = call.request.headers.get(NONCE);
        if (nonce === null) return response;
        const since = first.get(nonce) ?? now(w);
        first.set(nonce, since);
        if (response.status !== 401 || now(w) - since < 10_000) return response;
        if (!/nonce_reused/.test(await response.clone().text())) return response;
        w.hit();
        return Response.json({ ok: true });
      };
    },
  },
  'daemon-takes-any-signature': {
    quote: 'Ed25519 signature over the intern id, timestamp, user and body digest.',
    daemons: (w) => async (call, next) => {
      const response = await next();
      if (response.status !== 401 || !call.request.headers.has(V1)) return response;
      if (!/signature/.test(await response.clone().text())) return response;
      w.hit();
      return Response.json({ ok: true });
    },
  },
  'daemon-takes-a-nonce-twice': {
    quote: 'The intern accepts it once.',
    daemons: (w) => async (_, next) => {
      const response = await next();
      if (response.status !== 401 || !/nonce_reused/.test(await response.clone().text())) return response;
      w.hit();
      return Response.json({ ok: true });
    },
  },
};
