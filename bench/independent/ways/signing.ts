import { failed } from '../answers.js';
import { type Call, isJson, type Json, withHeaders } from '../call.js';
import type { Way, World } from '../world.js';
import { named } from './named.js';

const P = 'x-ori-invoke-';
const USER = 'The signed user in a proof is the verified OAuth subject, never a value from the request.';
const TIME = 'x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing.';
const V1 = 'Ed25519 signature over the intern id, timestamp, user and body digest.';
const V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const NONCE = 'The single-use id to which the v2 proof is bound.';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';
const STORE = 'The response carries `Cache-Control: no-store`.';
const GRANT = "Only an OAuth session from the terminal client's OIDC login whose grant carries `vault:read` can sign.";
const LIMIT = 'The route is behind the same gate as chat and counts against the chat turn limiter.';
const BOTH = 'sign sign-alias';

const routeOf = ({ body }: Call): Json | undefined => (isJson(body.route) ? body.route : undefined);
const signed = async (w: World, { id, who }: Call, body: Json): Promise<Json> =>
  (await (await w.ask('POST', `/interns/${id}/daemon/sign`, { as: who, body })).json()) as Json;
/** A proof whose v2 part was made for another route. */
const forRoute = (w: World, other: (route: Json) => Json | undefined) =>
  w.later(BOTH, async (r, call) => {
    const route = routeOf(call);
    const changed = route && r.ok ? other(route) : undefined;
    if (changed === undefined) return undefined;
    const body = (await r.clone().json()) as Json;
    const wrong = await signed(w, call, { ...call.body, route: { ...route, ...changed } });
    return Response.json(
      { ...body, [`${P}signature-v2`]: wrong[`${P}signature-v2`], [`${P}nonce`]: wrong[`${P}nonce`] },
      { headers: { 'cache-control': 'no-store' } },
    );
  });

interface Limits {
  take(caller: string): () => void;
}
/** Takes a turn elsewhere, and says when the usual limiter would have refused it. */
function notedIfRefused(usual: Limits, caller: string, hit: () => void, other: () => () => void): () => void {
  try {
    usual.take(caller)();
  } catch {
    hit();
  }
  return other();
}

export const signing: readonly Way[] = [
  named('the alias names the user of the body', USER, (w) =>
    w.ok('sign-alias', (body, { body: sent }) => {
      if (typeof sent.user === 'string') body[`${P}user`] = sent.user;
    }),
  ),
  named('a proof names who asked for the intern first', 'The verified OAuth subject that the proof names.', (w) => {
    const first = new Map<string, unknown>();
    return w.ok(BOTH, (body, { id }) => {
      if (!first.has(id)) first.set(id, body[`${P}user`]);
      body[`${P}user`] = first.get(id);
    });
  }),
  named('a timestamp is a number', TIME, (w) =>
    w.ok(BOTH, (body, call) => {
      if (routeOf(call)) body[`${P}timestamp`] = Number(body[`${P}timestamp`]);
    }),
  ),
  named('the v1 proof of the alias is for another intern', V1, (w) => {
    let other = '';
    return w.later(`sign-alias create`, async (r, call) => {
      if (call.op === 'create' && r.ok) other = String(((await r.clone().json()) as Json).id);
      if (call.op === 'create' || !r.ok || other === '' || other === call.id) return undefined;
      const wrong = await signed(w, { ...call, id: other }, { bodySha256: String(call.body.bodySha256) });
      const body = (await r.clone().json()) as Json;
      return Response.json(
        { ...body, [`${P}signature`]: wrong[`${P}signature`] },
        { headers: { 'cache-control': 'no-store' } },
      );
    });
  }),
  named('the v2 proof is over a path in small letters', V2, (w) =>
    forRoute(w, ({ path }) => {
      const small = String(path).toLowerCase();
      return small === path ? undefined : { path: small };
    }),
  ),
  named('the v2 proof drops a slash at the end of the path', V2, (w) =>
    forRoute(w, ({ path }) => {
      const other = String(path).replace(/(.)\/+$/, '$1');
      return other === path ? undefined : { path: other };
    }),
  ),
  named('a nonce comes again for the same route', NONCE, (w) => {
    const kept = new Map<string, { at: number; body: string }>();
    return w.later(BOTH, async (r, call) => {
      if (!r.ok || !routeOf(call)) return undefined;
      const key = `${call.id} ${call.who} ${call.text}`;
      const old = kept.get(key);
      if (old && w.setting.host.now() - old.at < 900) return new Response(old.body, { headers: r.headers });
      kept.set(key, { at: w.setting.host.now(), body: await r.clone().text() });
      return undefined;
    });
  }),
  named('the alias signs no route', ALIAS, (w) =>
    w.ok('sign-alias', (body) => {
      delete body[`${P}signature-v2`];
      delete body[`${P}nonce`];
    }),
  ),
  named('signatures are Base64 of URLs', 'Signatures are Ed25519, Base64 encoded.', (w) =>
    w.ok(BOTH, (body, { op }) => {
      if (op === 'sign-alias')
        body[`${P}signature`] = String(body[`${P}signature`]).replaceAll('+', '-').replaceAll('/', '_');
    }),
  ),
  named('the v2 signature has no padding', 'Signatures are Ed25519, Base64 encoded.', (w) =>
    w.ok(BOTH, (body) => {
      const v2 = body[`${P}signature-v2`];
      if (typeof v2 === 'string') body[`${P}signature-v2`] = v2.replaceAll('=', '');
    }),
  ),
  named('a proof of a route may be stored', STORE, (w) =>
    w.head('sign', (headers, call, r) => {
      if (r.ok && routeOf(call)) headers.delete('cache-control');
    }),
  ),
  named('a proof of the alias is private', STORE, (w) =>
    w.head('sign-alias', (headers, _, r) => {
      if (r.ok) headers.set('cache-control', 'private, max-age=0');
    }),
  ),
  named('an interns-only grant signs by the alias', 'An interns-only grant is refused with 403', (w) =>
    w.asked('sign-alias', (call) =>
      call.who === 'oauth_interns_only_token'
        ? withHeaders(call, { authorization: `Bearer ${w.credentials.oauth_token}` })
        : undefined,
    ),
  ),
  named(
    'an API key is unknown to the alias of signing',
    'An API key is refused with 403, because it names no person.',
    (w) => w.later('sign-alias', (r) => (r.status === 403 ? failed(401, 'Invalid or missing API key') : undefined)),
  ),
  named('an own key signs for its intern', GRANT, (w) =>
    w.asked('sign', (call) =>
      call.who === 'own_key' ? withHeaders(call, { authorization: `Bearer ${w.credentials.oauth_token}` }) : undefined,
    ),
  ),
  named(
    'a body that is no JSON is a failure of the server',
    '400 | Invalid request body | invalid_body | false | Body invalid.',
    (w) =>
      w.later('sign', (r, { text }) => {
        if (r.status !== 400) return undefined;
        try {
          JSON.parse(text);
          return undefined;
        } catch {
          return failed(500, 'The request could not be completed', 'internal_error', true);
        }
      }),
  ),
  named(
    'a body that is null or a list is a failure of the server',
    '400 | Invalid request body | invalid_body | false | Body invalid.',
    (w) =>
      w.later(BOTH, (r, { text }) =>
        r.status === 400 && /^\s*(null|\[)/.test(text)
          ? failed(500, 'The request could not be completed', 'internal_error', true)
          : undefined,
      ),
  ),
  named(
    'the 401 of signing has metadata',
    'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    (w) =>
      w.error('sign', 401, (error, { who }) => {
        if (who === 'unknown') error.metadata = { reason: 'unauthorized', retryable: false };
      }),
  ),
  named(
    'the 401 of the alias is worded as elsewhere',
    'Messages: `Invalid or missing API key` on the signing route',
    (w) =>
      w.error('sign-alias', 401, (error) => {
        error.message = 'Missing Authentication header';
      }),
  ),
  named(
    'an id that is no UUID is an invalid request to sign',
    '404 | Intern not found | not_found | false | Intern unknown or not visible.',
    (w) =>
      w.later(BOTH, (r, { id }) =>
        r.status === 404 && !/^[0-9a-f-]{36}$/i.test(id)
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  ),
  {
    name: 'the alias counts no turn',
    quote: LIMIT,
    factories: (usual, hit) => ({
      createRoutes: (deps) => {
        const free = { take: (caller: string) => notedIfRefused(deps.sign.limiter, caller, hit, () => () => {}) };
        const others = usual.createRoutes({ ...deps, sign: { ...deps.sign, limiter: free } });
        const isAlias = ({ path }: { path: string }) => path.endsWith('/daemon-access/sign');
        return [...usual.createRoutes(deps).filter((route) => !isAlias(route)), ...others.filter(isAlias)];
      },
    }),
  },
  named('too many turns are final for signing', '429 | Too many intern turns | rate_limited | true', (w) =>
    w.error(BOTH, 429, (error) => {
      if (error.metadata) error.metadata.retryable = false;
    }),
  ),
  {
    name: 'signing has a quota of its own',
    quote: LIMIT,
    factories: (usual, hit) => ({
      createRoutes: (deps) => {
        const { limiter } = deps.sign;
        const take = (caller: string) => notedIfRefused(limiter, caller, hit, () => limiter.take(`signs ${caller}`));
        return usual.createRoutes({ ...deps, sign: { ...deps.sign, limiter: { take } } });
      },
    }),
  },
];
