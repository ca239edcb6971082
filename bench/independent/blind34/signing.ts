import { failed } from '../answers.js';
import { as, jsonIn, recordOf, SECOND, way } from '../blind32/helpers.js';
import { isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { served } from './helpers.js';

const ATTACHES =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';
const RUNNING = '| get_intern_daemon | Intern is visible and running | Returns the daemon origin and token. |';
const ANY_LOGIN = 'Only an OAuth-token caller (from the OIDC login) may read it.';
const ALIAS_READ = 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.';
const UNSTORED = 'The response carries `Cache-Control: no-store`.';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';
const TIME = '| x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing.';
const BASE64 = 'Signatures are Ed25519, Base64 encoded.';
const WITH_V2 = '| x-svc-invoke-nonce | string | present together with the v2 signature |';
const SINGLE = 'The single-use id to which the v2 proof is bound.';
const V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const USER = 'The verified OAuth subject that the proof names. It is never taken from the request.';
const MATCH = 'Must match `^[0-9a-f]{64}$`.';
const GRANT = "An interns-only grant is refused with 403, because a proof releases that user's personal connections.";
const ERRORS = 'Errors: 400, 401, 403, 404, 408, 413, 415, 429, 500.';
const ONCE = 'The intern accepts it once.';
const TURNS = 'The route is behind the same gate as chat and counts against the chat turn limiter.';
const LIMITED = '| 429 | Too many intern turns | rate_limited | true | Chat turn limiter exceeded. |';

const named = (names: Iterable<string>, ending: string): string =>
  [...names].find((name) => name.endsWith(`-invoke-${ending}`)) ?? ending;
const unstored = (body: unknown) => Response.json(body, { headers: { 'cache-control': 'no-store' } });

type Signed = Parameters<ReturnType<Parameters<NonNullable<Way['factories']>>[0]['createProofs']>['signer']['sign']>[0];

/** A service that signs something else. */
const signs = (name: string, quote: string, other: (asked: Signed) => Signed): Way => ({
  name,
  quote,
  factories: (usual, hit) => ({
    createProofs(deps) {
      const proofs = usual.createProofs(deps);
      const sign = (asked: Signed) => {
        const changed = other(asked);
        if (JSON.stringify(changed) !== JSON.stringify(asked)) hit();
        return proofs.signer.sign(changed);
      };
      return { ...proofs, signer: { sign } };
    },
  }),
});
const onPath = (path: (given: string) => string) => (asked: Signed) =>
  asked.route ? { ...asked, route: { ...asked.route, path: path(asked.route.path) } } : asked;

let sentUser: string | undefined;
let aliases = 0;

export const daemon: readonly Way[] = [
  way('daemon-of-the-suspended', RUNNING, (w) => {
    const read = new Map<string, Json>();
    return async (call, next) => {
      const response = await next();
      if (!/^daemon/.test(call.op)) return response;
      const body = await jsonIn(response);
      if (body) read.set(call.id, body);
      const before = read.get(call.id);
      if (response.status !== 409 || !before || (await recordOf(w, call.id, call.who))?.status !== 'stopped')
        return response;
      w.hit();
      return unstored(before);
    };
  }),
  way('daemon-wants-the-vault-grant', ANY_LOGIN, (w) =>
    w.later('daemon', ({ ok }, { who }) =>
      ok && who === 'oauth_interns_only_token'
        ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
        : undefined,
    ),
  ),
  way('daemon-token-of-the-last-intern', ATTACHES, (w) => {
    const kept = new Map<string, { at: number; token: unknown }>();
    return w.ok('daemon', (body, { who }) => {
      const at = w.setting.host.now();
      const before = kept.get(who);
      if (before && at - before.at < 30 * SECOND) body.token = before.token;
      else kept.set(who, { at, token: body.token });
    });
  }),
  way('daemon-alias-redirects', ALIAS_READ, (w) =>
    w.later('daemon-alias', ({ ok }, { url }) =>
      ok ? new Response(null, { status: 308, headers: { location: url.pathname.replace('-access', '') } }) : undefined,
    ),
  ),
  way('daemon-alias-may-be-kept', UNSTORED, (w) =>
    w.head('daemon-alias', (headers, _, { ok }) => {
      if (ok) headers.set('cache-control', 'private, max-age=60');
    }),
  ),
  way('daemon-origin-with-a-path', ATTACHES, (w) =>
    w.ok('daemon daemon-alias', (body, { id }) => {
      body.origin = `${String(body.origin)}/interns/${id}`;
    }),
  ),
  {
    ...(() => {
      const boots = new Map<string, number>();
      const now = (intern: unknown) => boots.get(String(intern)) ?? 0;
      const spent = new Map<string, { boot: number; body: Json }>();
      const counting = way('daemon-forgets-nonces-at-a-boot', ONCE, () => async (call, next) => {
        const response = await next();
        if (call.op === 'provision' && response.ok) boots.set(call.id, now(call.id) + 1);
        return response;
      });
      const daemons: NonNullable<Way['daemons']> = (w) => async (call, next) => {
        const { headers } = call.request;
        const nonce = headers.get(named(headers.keys(), 'nonce'));
        const response = await next();
        if (nonce === null) return response;
        const verified = (await jsonIn(response))?.verified;
        if (isJson(verified)) spent.set(nonce, { boot: now(verified.intern_id), body: { ok: true, verified } });
        const before = spent.get(nonce);
        const intern = isJson(before?.body.verified) ? before.body.verified.intern_id : undefined;
        if (!before || before.boot === now(intern) || !/nonce_reused/.test(await response.clone().text()))
          return response;
        w.hit();
        return Response.json(before.body);
      };
      return { ...counting, daemons };
    })(),
  },
];

export const signing: readonly Way[] = [
  way('sign-kept-by-digest', SINGLE, (w) => {
    const kept = new Map<string, { at: number; proof: string }>();
    return async (call, next) => {
      const response = await next();
      if (call.op !== 'sign' || !response.ok) return response;
      const key = `${call.who} ${call.id} ${call.text}`;
      const before = kept.get(key);
      const at = w.setting.host.now();
      const proof = await response.clone().text();
      if (!before || at - before.at >= 30 * SECOND) kept.set(key, { at, proof });
      else if (before.proof !== proof) {
        w.hit();
        return unstored(JSON.parse(before.proof));
      }
      return response;
    };
  }),
  way('sign-time-as-a-number', TIME, (w) =>
    w.ok('sign sign-alias', (proof) => {
      const time = named(Object.keys(proof), 'timestamp');
      proof[time] = Number(proof[time]);
    }),
  ),
  signs('sign-time-of-the-minute', TIME, (asked) => ({
    ...asked,
    timestamp: asked.timestamp - (asked.timestamp % 60),
  })),
  way('sign-v2-for-addresses', BASE64, (w) =>
    w.ok('sign sign-alias', (proof) => {
      const v2 = named(Object.keys(proof), 'signature-v2');
      if (typeof proof[v2] === 'string') proof[v2] = Buffer.from(proof[v2], 'base64').toString('base64url');
    }),
  ),
  way('sign-nonce-without-a-route', WITH_V2, (w) =>
    w.ok('sign', (proof) => {
      const names = Object.keys(proof);
      const nonce = named(names, 'signature').replace('signature', 'nonce');
      proof[nonce] ??= crypto.randomUUID();
    }),
  ),
  signs(
    'sign-v2-over-the-decoded-path',
    V2,
    onPath((path) => decodeURIComponent(path).replace(/[^\x20-\x7e]/g, '?')),
  ),
  signs(
    'sign-v2-over-a-tidied-path',
    V2,
    onPath((path) => path.replace(/(.)\/+$/, '$1').replace(/\/{2,}/g, '/')),
  ),
  signs(
    'sign-v2-over-a-path-in-lower-case',
    V2,
    onPath((path) => path.toLowerCase()),
  ),
  {
    ...signs('', '', (asked) => (sentUser === undefined ? asked : { ...asked, user: sentUser })),
    ...way('sign-user-of-the-sent-header', USER, () => async (call, next) => {
      const { headers } = call.request;
      const sent = headers.get(named(headers.keys(), 'user')) ?? undefined;
      if (!/^sign/.test(call.op) || sent === undefined) return next();
      sentUser = sent;
      try {
        return await next();
      } finally {
        sentUser = undefined;
      }
    }),
  },
  way('sign-user-kept-by-intern', USER, (w) => {
    const kept = new Map<string, { at: number; who: string }>();
    return async (call, next) => {
      if (call.op !== 'sign' || !/^(peer_)?oauth_token$/.test(call.who)) return next();
      const before = kept.get(call.id);
      const at = w.setting.host.now();
      if (before && at - before.at < 20 * SECOND && before.who !== call.who)
        return served(w, next, as(call, w.credentials[before.who] ?? ''));
      kept.set(call.id, { at, who: call.who });
      return next();
    };
  }),
  way('sign-digest-with-a-line-end', MATCH, (w) => (call, next) => {
    const { bodySha256: digest, ...others } = call.body;
    return /^sign/.test(call.op) && typeof digest === 'string' && /^[0-9a-f]{64}\n$/.test(digest)
      ? served(w, next, withBody(call, { ...others, bodySha256: digest.trim() }))
      : next();
  }),
  way('sign-digest-after-its-kind', MATCH, (w) => (call, next) => {
    const { bodySha256: digest, ...others } = call.body;
    const found = typeof digest === 'string' ? /^.+([0-9a-f]{64})$/.exec(digest)?.[1] : undefined;
    return /^sign/.test(call.op) && found !== undefined
      ? served(w, next, withBody(call, { ...others, bodySha256: found }))
      : next();
  }),
  way(
    'sign-v1-by-any-grant',
    GRANT,
    (w) => (call, next) =>
      call.op === 'sign' && call.who === 'oauth_interns_only_token' && call.body.route === undefined
        ? served(w, next, as(call, w.credentials.oauth_token ?? ''))
        : next(),
  ),
  way(
    'sign-alias-by-any-grant',
    ALIAS,
    (w) => (call, next) =>
      call.op === 'sign-alias' && call.who === 'oauth_interns_only_token'
        ? served(w, next, as(call, w.credentials.oauth_token ?? ''))
        : next(),
  ),
  way('sign-of-the-suspended-refused', ERRORS, (w) =>
    w.later('sign sign-alias', async ({ ok }, { id, who }) =>
      ok && (await recordOf(w, id, who))?.status === 'stopped'
        ? failed(409, 'The intern is not running', 'intern_not_running')
        : undefined,
    ),
  ),
  {
    name: 'sign-by-the-next-key',
    quote: BASE64,
    factories: (usual, hit) => ({
      createProofs(deps) {
        const proofs = usual.createProofs(deps);
        const { signer } = usual.createProofs({ ...deps, signingKey: usual.loadSigningKey({}) });
        let signed = 0;
        const sign = (asked: Signed) => {
          if (signed++ % 4 < 3) return proofs.signer.sign(asked);
          hit();
          return signer.sign(asked);
        };
        return { ...proofs, signer: { sign } };
      },
    }),
  },
  way('sign-alias-knows-no-route', ALIAS, (w) => async (call, next) => {
    const { route, ...others } = call.body;
    return call.op === 'sign-alias' && isJson(route) ? served(w, next, withBody(call, others)) : next();
  }),
  {
    ...way('sign-alias-past-the-limiter', TURNS, () => async (call, next) => {
      if (call.op !== 'sign-alias') return next();
      aliases++;
      try {
        return await next();
      } finally {
        aliases--;
      }
    }),
    factories: (usual, hit) => ({
      createRoutes: (deps) =>
        usual.createRoutes({
          ...deps,
          sign: {
            ...deps.sign,
            limiter: {
              take(id) {
                if (aliases === 0) return deps.sign.limiter.take(id);
                try {
                  deps.sign.limiter.take(id)();
                } catch {
                  hit();
                }
                return () => {};
              },
            },
          },
        }),
    }),
  },
  way('sign-429-may-not-be-retried', LIMITED, (w) =>
    w.error('sign sign-alias', 429, ({ metadata }) => {
      if (metadata) metadata.retryable = false;
    }),
  ),
];
