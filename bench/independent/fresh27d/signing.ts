import { failed } from '../answers.js';
import { type Call, isJson, type Json, withBody } from '../call.js';
import { type Area, by, bytesOf, CAP, recordOf, seen, shrunk, typeOf } from './form.js';

const V1 = 'x-ori-invoke-signature';
const V2 = 'x-ori-invoke-signature-v2';
const NONCE = 'x-ori-invoke-nonce';
const TIME = 'x-ori-invoke-timestamp';
const USER = 'x-ori-invoke-user';
const BOTH = 'sign sign-alias';
const OVER = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const GRANT =
  "Only an OAuth session from the terminal client's OIDC login whose grant carries `vault:read` can sign. An API key is refused with 403, because it names no person.";

const routeOf = ({ body }: Call): Json | undefined => (isJson(body.route) ? body.route : undefined);
/** The same request for a route that is changed. */
function rerouted(call: Call, change: (path: string, method: string) => Json): Json | undefined {
  const route = routeOf(call);
  if (route === undefined || typeof route.path !== 'string' || typeof route.method !== 'string') return undefined;
  const changed = { ...route, ...change(route.path, route.method) };
  return JSON.stringify(changed) === JSON.stringify(route) ? undefined : { ...call.body, route: changed };
}

export const signing: Area = {
  'time-in-milliseconds': {
    quote: 'x-svc-invoke-timestamp: string, Unix seconds: Time of signing.',
    wrong: ({ ok }) =>
      ok(BOTH, (body) => {
        if (typeof body[TIME] === 'string') body[TIME] = `${body[TIME]}000`;
      }),
  },
  'proof-kept-for-a-minute': {
    quote: 'Time of signing. The daemon refuses proofs older than its window.',
    wrong: (world) => {
      const kept = new Map<string, { at: number; body: Json }>();
      const { host } = world.setting;
      return world.later('sign', async (response, call) => {
        const key = `${call.who} ${call.id} ${String(call.body.bodySha256)}`;
        if (!response.ok || routeOf(call) !== undefined) return undefined;
        const known = kept.get(key);
        if (known && host.now() - known.at >= 1000 && host.now() - known.at < 60_000)
          return Response.json(known.body, { headers: { 'cache-control': 'no-store' } });
        kept.set(key, { at: host.now(), body: await recordOf(response) });
        return undefined;
      });
    },
  },
  'time-of-the-first-proof': {
    quote: 'Time of signing.',
    wrong: (world) => {
      let first: unknown;
      return world.ok(BOTH, (body) => {
        if (typeof body[TIME] !== 'string') return;
        first ??= body[TIME];
        body[TIME] = first;
      });
    },
  },
  'route-without-v1': {
    quote: 'x-svc-invoke-signature: string, Base64: always.',
    wrong: ({ ok }) =>
      ok('sign', (body) => {
        if (V2 in body) delete body[V1];
      }),
  },
  'v2-is-v1-again': {
    quote: OVER,
    wrong: ({ ok }) =>
      ok(BOTH, (body) => {
        if (V2 in body) body[V2] = body[V1];
      }),
  },
  'v2-without-route-null': {
    quote: 'x-svc-invoke-signature-v2: only when the request named a route.',
    wrong: ({ ok }) =>
      ok(BOTH, (body) => {
        if (V2 in body || !(V1 in body)) return;
        body[V2] = null;
        body[NONCE] = null;
      }),
  },
  'nonce-shared-by-callers': {
    quote: 'The single-use id to which the v2 proof is bound.',
    wrong: (world) => {
      const first = new Map<string, { who: string; nonce: unknown }>();
      return world.ok('sign', (body, { id, who }) => {
        if (!(NONCE in body)) return;
        const known = first.get(id);
        if (known && known.who !== who) body[NONCE] = known.nonce;
        else first.set(id, { who, nonce: body[NONCE] });
      });
    },
  },
  'nonce-cut-short': {
    quote: 'The single-use id to which the v2 proof is bound.',
    wrong: ({ ok }) =>
      ok('sign', (body) => {
        if (typeof body[NONCE] === 'string') body[NONCE] = body[NONCE].slice(0, 8);
      }),
  },
  'user-with-a-prefix': {
    quote: 'The verified OAuth subject that the proof names.',
    wrong: ({ ok }) =>
      ok(BOTH, (body) => {
        if (typeof body[USER] === 'string') body[USER] = `user:${body[USER]}`;
      }),
  },
  'user-of-the-query': {
    quote: 'The signed user in a proof is the verified OAuth subject, never a value from the request.',
    wrong: ({ ok }) =>
      ok(BOTH, (body, { url, request }) => {
        const named = url.searchParams.get('user') ?? request.headers.get('x-forwarded-user');
        if (named !== null && USER in body) body[USER] = named;
      }),
  },
  'user-of-the-route': {
    quote: 'The signed user in a proof is the verified OAuth subject, never a value from the request.',
    wrong: ({ ok }) =>
      ok(BOTH, (body, call) => {
        const named = call.body.user ?? call.body.subject ?? call.body.user_id ?? routeOf(call)?.user;
        if (typeof named === 'string' && USER in body) body[USER] = named;
      }),
  },
  'method-signed-in-lower-case': {
    quote: OVER,
    wrong: ({ asked }) => asked(BOTH, (call) => rerouted(call, (_, method) => ({ method: method.toLowerCase() }))),
  },
  'method-other-than-get-signed-as-post': {
    quote: OVER,
    wrong: ({ asked }) =>
      asked(BOTH, (call) => rerouted(call, (_, method) => ({ method: method === 'GET' ? 'GET' : 'POST' }))),
  },
  'path-signed-without-double-slashes': {
    quote: OVER,
    wrong: ({ asked }) => asked(BOTH, (call) => rerouted(call, (path) => ({ path: path.replaceAll(/\/{2,}/g, '/') }))),
  },
  'path-signed-with-spaces-for-plus': {
    quote: OVER,
    wrong: ({ asked }) => asked(BOTH, (call) => rerouted(call, (path) => ({ path: path.replaceAll('+', '%20') }))),
  },
  'path-signed-decoded': {
    quote: OVER,
    wrong: ({ asked }) =>
      asked(BOTH, (call) =>
        rerouted(call, (path) => ({
          path: path.replaceAll(/%(?:2[dD]|5[fF]|7[eE]|[46][1-9a-fA-F])/g, decodeURIComponent),
        })),
      ),
  },
  'digest-of-63-filled-up': {
    quote: 'Must match `^[0-9a-f]{64}$`.',
    wrong: ({ asked }) =>
      asked('sign', ({ body }) =>
        typeof body.bodySha256 === 'string' && /^[0-9a-f]{1,63}$/.test(body.bodySha256)
          ? { ...body, bodySha256: body.bodySha256.padStart(64, '0') }
          : undefined,
      ),
  },
  'digest-with-spaces-around': {
    quote: 'Must match `^[0-9a-f]{64}$`.',
    wrong: ({ asked }) =>
      asked(BOTH, ({ body }) =>
        typeof body.bodySha256 === 'string' && /^(?: +[0-9a-f]{64} *|[0-9a-f]{64} +)$/.test(body.bodySha256)
          ? { ...body, bodySha256: body.bodySha256.trim() }
          : undefined,
      ),
  },
  'digest-of-any-letters': {
    quote: 'Must match `^[0-9a-f]{64}$`.',
    wrong: ({ asked }) =>
      asked('sign', ({ body }) =>
        typeof body.bodySha256 === 'string' && /^[0-9a-z]{64}$/.test(body.bodySha256) && /[g-z]/.test(body.bodySha256)
          ? { ...body, bodySha256: body.bodySha256.replaceAll(/[g-z]/g, 'f') }
          : undefined,
      ),
  },
  'digest-of-nothing-when-missing': {
    quote: 'bodySha256: string: required: yes.',
    wrong: ({ asked }) =>
      asked(BOTH, ({ body, text }) =>
        text !== '' && routeOf({ body } as Call) !== undefined && body.bodySha256 === undefined
          ? { ...body, bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }
          : undefined,
      ),
  },
  'sign-alias-kept-by-caches': {
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: ({ head }) =>
      head('sign-alias', (headers, _, response) => {
        if (response.ok) headers.set('cache-control', 'no-cache');
      }),
  },
  'sign-by-key': {
    quote: GRANT,
    wrong: (world) => async (call, next) => {
      if (call.op !== 'sign' || call.who !== 'api_key') return next();
      const response = await next(by(call, world, 'oauth_token'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'sign-by-interns-only-grant-without-route': {
    quote: "An interns-only grant is refused with 403, because a proof releases that user's personal connections.",
    wrong: (world) => async (call, next) => {
      if (call.op !== 'sign' || call.who !== 'oauth_interns_only_token' || routeOf(call) !== undefined) return next();
      const response = await next(by(call, world, 'oauth_token'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'sign-suspended-404': {
    quote: '404: Intern not found: not_found: Intern unknown or not visible.',
    wrong: (world) =>
      world.later(BOTH, async (response, { id }) =>
        response.ok && (await seen(world, id)).status === 'stopped'
          ? failed(404, 'Intern not found', 'not_found')
          : undefined,
      ),
  },
  'sign-key-403-reason-other': {
    quote: '403: Personal connections require the OIDC login: personal_identity_required: false.',
    wrong: ({ error }) =>
      error('sign', 403, (problem, { who }) => {
        if (who === 'own_key' || who === 'peer_api_key') problem.message = 'Forbidden';
      }),
  },
  'sign-429-without-metadata': {
    quote: '429: Too many intern turns: rate_limited: true: Chat turn limiter exceeded.',
    wrong: ({ error }) =>
      error(BOTH, 429, (problem) => {
        delete problem.metadata;
      }),
  },
  'sign-413-retryable': {
    quote: '413: Request body exceeds 1048576 bytes: payload_too_large: false: Body above the cap.',
    wrong: ({ error }) =>
      error('sign', 413, ({ metadata }) => {
        if (metadata) metadata.retryable = true;
      }),
  },
  'sign-large-body-read': {
    quote: '413: Request body exceeds 1048576 bytes: payload_too_large: false: Body above the cap.',
    wrong: (world) =>
      world.later('sign-alias', (response, { text, id, who }) =>
        response.status === 413
          ? world.ask('POST', `/interns/${id}/daemon-access/sign`, { as: who, body: shrunk(text) || '{}' })
          : undefined,
      ),
  },
  'sign-cap-counts-from-a-million': {
    quote: 'Request body size: 1048576 bytes: create, update, delete, signing; larger gives 413.',
    wrong: ({ later }) =>
      later(BOTH, (response, { text }) =>
        response.status < 401 && bytesOf(text) > 1_000_000 && bytesOf(text) <= CAP
          ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
          : undefined,
      ),
  },
  'sign-400-reason-validation': {
    quote: '400: Invalid request body: invalid_body: false: Body invalid.',
    wrong: ({ error }) =>
      error('sign', 400, ({ metadata }, { body }) => {
        if (metadata && 'bodySha256' in body) metadata.reason = 'validation_error';
      }),
  },
  'sign-415-as-400': {
    quote: '415: Request body must be sent as application/json: unsupported_media_type: false: Wrong media type.',
    wrong: ({ later }) =>
      later(BOTH, (response, call) =>
        response.status === 415 && typeOf(call) !== ''
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  'sign-404-retryable': {
    quote: '404: Intern not found: not_found: false: Intern unknown or not visible.',
    wrong: ({ error }) =>
      error('sign-alias', 404, ({ metadata }) => {
        if (metadata) metadata.retryable = true;
      }),
  },
  'sign-401-metadata-empty': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: ({ error }) =>
      error('sign', 401, (problem) => {
        problem.metadata = {};
      }),
  },
  'daemon-takes-old-proofs': {
    quote: 'The daemon refuses proofs older than its window.',
    daemons: (world) => async (_, next) => {
      const response = await next();
      if (response.status !== 401 || !/stale|expired|too_old|window|timestamp/.test(await response.clone().text()))
        return response;
      world.hit();
      return Response.json({ ok: true });
    },
  },
  'daemon-takes-a-nonce-again': {
    quote: 'The intern accepts it once.',
    daemons: (world) => async (_, next) => {
      const response = await next();
      if (response.status !== 401 || !/nonce|replay|reused|spent/.test(await response.clone().text())) return response;
      world.hit();
      return Response.json({ ok: true });
    },
  },
  'daemon-takes-other-bodies-by-v1': {
    quote: 'Ed25519 signature over the intern id, timestamp, user and body digest.',
    daemons:
      (world) =>
      async ({ request }, next) => {
        const response = await next();
        const newer = [...request.headers.keys()].some((name) => name.endsWith('-v2'));
        if (newer || response.status !== 401 || !/digest/.test(await response.clone().text())) return response;
        world.hit();
        return Response.json({ ok: true });
      },
  },
  'each-fourth-route-forgotten': {
    quote: 'When present, the response also carries the v2 signature and the nonce.',
    wrong: (world) => {
      const signed = new Map<string, number>();
      return world.asked(BOTH, (call) => {
        if (routeOf(call) === undefined) return undefined;
        const count = (signed.get(call.id) ?? 0) + 1;
        signed.set(call.id, count);
        const { route: _, ...rest } = call.body;
        return count % 4 === 0 ? withBody(call, rest) : undefined;
      });
    },
  },
};
