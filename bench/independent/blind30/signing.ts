import { failed } from '../answers.js';
import { type Call, isJson, type Json } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { admits, again, way } from './helpers.js';

const V1 = 'Ed25519 signature over the intern id, timestamp, user and body digest.';
const V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const V2_ONLY = 'x-svc-invoke-signature-v2 | string, Base64 | only when the request named a route';
const NONCE = 'present together with the v2 signature | The single-use id to which the v2 proof is bound.';
const TIMESTAMP = 'x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing.';
const USER = 'The verified OAuth subject that the proof names.';
const KEYS = 'The response is a JSON object whose keys are the header names';
const BASE64 = 'Signatures are Ed25519, Base64 encoded.';
const DIGEST = 'Must match `^[0-9a-f]{64}$`.';
const REQUIRED = 'bodySha256 | string | yes';
const NO_STORE = 'The response carries `Cache-Control: no-store`.';
const API_KEY = 'An API key is refused with 403, because it names no person.';
const INTERNS_ONLY = 'An interns-only grant is refused with 403';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';
const METADATA = 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.';
const LOGIN = 'Only an OAuth-token caller (from the OIDC login) may read it.';
const REASON = 'API keys get 403 with reason `personal_identity_required`.';
const DAEMON =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';
const DAEMON_ALIAS = 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.';
const row = (line: string) => `Signing route errors: ${line}`;

const SIGNS = 'sign sign-alias';
/** The name of a header of the proof, by its end. */
const header = (proof: Json, end: string) => Object.keys(proof).find((name) => name.endsWith(`-invoke-${end}`)) ?? end;
const routeOf = ({ body }: Call) => (isJson(body.route) ? body.route : undefined);
const isKey = ({ who }: Call) => /api_key$|^own_key$/.test(who);

/** Signs something else, and gives some of that proof. */
const signsOther = (
  w: World,
  other: (call: Call) => { id?: string; as?: string; body?: Json } | undefined,
  ends: readonly string[],
): Answer =>
  w.later(SIGNS, async (r, call) => {
    const { id = call.id, as = call.who, body = call.body } = (r.ok && other(call)) || { id: '' };
    if (id === '') return undefined;
    const signed = await w.ask('POST', `/interns/${id}/daemon/sign`, { as, body });
    if (!signed.ok) return undefined;
    const [proof, wrong] = (await Promise.all([r.json(), signed.json()])) as [Json, Json];
    for (const end of ends) if (header(wrong, end) in wrong) proof[header(wrong, end)] = wrong[header(wrong, end)];
    return Response.json(proof, { headers: r.headers });
  });
const BOTH = ['signature', 'timestamp', 'signature-v2', 'nonce'];
const otherRoute = (call: Call, change: (path: string) => string) => {
  const route = routeOf(call);
  const path = String(route?.path);
  return route && change(path) !== path
    ? { body: { ...call.body, route: { ...route, path: change(path) } } }
    : undefined;
};

const proofs: readonly Way[] = [
  way('proof-names-another-intern', V1, (w) => {
    const own = w.target.credentials.intern?.id ?? '';
    return signsOther(w, ({ id }) => (own !== '' && id !== own ? { id: own } : undefined), BOTH);
  }),
  way('proof-with-a-route-signs-another-digest-by-v1', V1, (w) =>
    signsOther(w, (call) => (routeOf(call) ? { body: { bodySha256: '0'.repeat(64) } } : undefined), [
      'signature',
      'timestamp',
    ]),
  ),
  way('v2-signs-another-path', V2, (w) => signsOther(w, (call) => otherRoute(call, (path) => `${path}/`), BOTH)),
  way('v2-without-a-route', V2_ONLY, (w) =>
    w.later(SIGNS, (r, call) =>
      r.ok && !routeOf(call)
        ? again(w, call, { body: { ...call.body, route: { method: 'POST', path: '/api/invoke' } } })
        : undefined,
    ),
  ),
  way('nonce-is-that-of-the-proof-before', NONCE, (w) => {
    let before: unknown;
    return w.ok(SIGNS, (proof) => {
      const name = header(proof, 'nonce');
      if (!(name in proof)) return;
      const nonce = proof[name];
      proof[name] = before ?? nonce;
      before = nonce;
    });
  }),
  way('same-request-gives-the-same-v2-proof', NONCE, (w) => {
    const given = new Map<string, string>();
    return w.later(SIGNS, async (r, call) => {
      if (!r.ok || !routeOf(call)) return undefined;
      const key = `${call.id} ${call.who} ${call.text}`;
      const old = given.get(key);
      if (old === undefined) given.set(key, await r.clone().text());
      return old === undefined ? undefined : new Response(old, { headers: r.headers });
    });
  }),
  way('proof-names-the-first-who-signed-for-the-intern', USER, (w) => {
    const first = new Map<string, string>();
    return signsOther(
      w,
      ({ id, who }) => {
        const as = first.get(id) ?? who;
        first.set(id, as);
        return as === who ? undefined : { as };
      },
      [...BOTH, 'user'],
    );
  }),
  way('timestamp-is-in-milliseconds', TIMESTAMP, (w) =>
    w.ok(SIGNS, (proof) => {
      proof[header(proof, 'timestamp')] = `${String(proof[header(proof, 'timestamp')])}000`;
    }),
  ),
  way('timestamp-is-a-number-with-a-route', TIMESTAMP, (w) =>
    w.ok(SIGNS, (proof, call) => {
      if (routeOf(call)) proof[header(proof, 'timestamp')] = Number(proof[header(proof, 'timestamp')]);
    }),
  ),
  way('keys-are-in-capitals', KEYS, (w) =>
    w.later('sign', async (r) => {
      if (!r.ok) return undefined;
      const entries = Object.entries((await r.json()) as Json);
      return Response.json(Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value])), {
        headers: r.headers,
      });
    }),
  ),
  way('v2-is-in-the-alphabet-of-urls', BASE64, (w) =>
    w.ok(SIGNS, (proof) => {
      const v2 = proof[header(proof, 'signature-v2')];
      if (typeof v2 === 'string') proof[header(proof, 'signature-v2')] = v2.replaceAll('+', '-').replaceAll('/', '_');
    }),
  ),
  {
    name: 'daemon-takes-a-v2-proof-twice',
    quote: 'The intern accepts it once.',
    daemons: (w) => {
      const taken = new Map<string, string>();
      return async ({ request }, next) => {
        const [, nonce] = [...request.headers].find(([name]) => name.endsWith('-invoke-nonce')) ?? [];
        const r = await next();
        if (nonce === undefined) return r;
        const old = taken.get(nonce);
        if (r.ok) taken.set(nonce, await r.clone().text());
        if (r.ok || old === undefined) return r;
        w.hit();
        return new Response(old, { status: 200, headers: r.headers });
      };
    },
  },
];

const refusals: readonly Way[] = [
  way('digest-in-capitals-is-signed', DIGEST, (w) =>
    admits(
      w,
      SIGNS,
      { body: (call) => ({ ...call.body, bodySha256: String(call.body.bodySha256).toLowerCase() }) },
      ({ body }, { status }) => status === 400 && /^[0-9A-Fa-f]{64}$/.test(String(body.bodySha256)),
    ),
  ),
  way('digest-may-end-in-a-line-feed', DIGEST, (w) =>
    admits(
      w,
      SIGNS,
      { body: (call) => ({ ...call.body, bodySha256: String(call.body.bodySha256).trim() }) },
      ({ body }, { status }) => status === 400 && /^[0-9a-f]{64}\s+$/.test(String(body.bodySha256)),
    ),
  ),
  way('no-digest-signs-that-of-nothing', REQUIRED, (w) =>
    admits(
      w,
      SIGNS,
      { body: () => ({ bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }) },
      ({ body, text }, { status }) => status === 400 && /^\{/.test(text) && body.bodySha256 === undefined,
    ),
  ),
  way('alias-of-signing-ignores-the-route', ALIAS, (w) =>
    w.asked('sign-alias', (call) => (routeOf(call) ? { bodySha256: call.body.bodySha256 } : undefined)),
  ),
  way('proof-with-a-route-may-be-stored', NO_STORE, (w) =>
    w.head(SIGNS, (headers, call, r) => {
      if (r.ok && routeOf(call)) headers.delete('cache-control');
    }),
  ),
  way('api-key-signs-by-the-alias', API_KEY, (w) =>
    admits(w, 'sign-alias', { as: 'oauth_token' }, (call, { status }) => status === 403 && isKey(call)),
  ),
  way('own-key-is-unauthorized-to-sign', API_KEY, (w) =>
    w.later(SIGNS, (r, { who }) =>
      r.status === 403 && who === 'own_key' ? failed(401, 'Invalid or missing API key') : undefined,
    ),
  ),
  way('interns-only-grant-signs', INTERNS_ONLY, (w) =>
    admits(
      w,
      'sign',
      { as: 'oauth_token' },
      ({ who }, { status }) => status === 403 && who === 'oauth_interns_only_token',
    ),
  ),
  way(
    'interns-only-grant-has-a-reason-of-its-own',
    row('403 | … | personal_identity_required | false | API key used, or grant lacks the needed scope.'),
    (w) =>
      w.error(SIGNS, 403, ({ metadata }, { who }) => {
        if (who === 'oauth_interns_only_token' && metadata) metadata.reason = 'insufficient_scope';
      }),
  ),
  way('unauthorized-signing-has-metadata', METADATA, (w) =>
    w.error('sign', 401, (error) => {
      error.metadata = { reason: 'unauthorized', retryable: false };
    }),
  ),
  way('signing-for-an-unknown-intern-is-worded-by-its-id', row('404 | Intern not found | not_found'), (w) =>
    w.error(SIGNS, 404, (error, { id, who }) => {
      if (who === 'oauth_token') error.message = `Intern ${id} not found`;
    }),
  ),
  way('signing-names-the-field-that-is-missing', row('400 | Invalid request body | invalid_body'), (w) =>
    w.error(SIGNS, 400, (error, { body }) => {
      if (!('bodySha256' in body)) error.message = 'bodySha256 is required';
    }),
  ),
  way('limit-of-signing-is-final', row('429 | Too many intern turns | rate_limited | true'), (w) =>
    w.error(SIGNS, 429, ({ metadata }) => {
      if (metadata) metadata.retryable = false;
    }),
  ),
  way('time-out-of-signing-is-a-gateway-s', row('408 | Operation timed out after 10s | timeout | true'), (w) =>
    w.later(SIGNS, (r) =>
      r.status === 408 ? failed(504, 'Operation timed out after 10s', 'timeout', true) : undefined,
    ),
  ),
];

const access: readonly Way[] = [
  way('daemon-may-be-stored', NO_STORE, (w) =>
    w.head('daemon', (headers, _, r) => {
      if (r.ok) headers.set('cache-control', 'no-cache');
    }),
  ),
  way('api-key-reads-a-daemon-by-the-alias', LOGIN, (w) =>
    admits(w, 'daemon-alias', { as: 'oauth_token' }, (call, { status }) => status === 403 && isKey(call)),
  ),
  way('own-key-reads-its-daemon', LOGIN, (w) =>
    admits(
      w,
      'daemon daemon-alias',
      { as: 'oauth_token' },
      ({ who }, { status }) => status === 403 && who === 'own_key',
    ),
  ),
  way('alias-of-daemon-gives-a-key-no-reason', REASON, (w) =>
    w.error('daemon-alias', 403, (error, call) => {
      if (isKey(call)) delete error.metadata;
    }),
  ),
  way('daemon-is-given-after-suspend', DAEMON, (w) => {
    const last = new Map<string, string>();
    return async (call, next) => {
      const r = await next();
      if (call.op !== 'daemon' || call.who !== 'oauth_token') return r;
      if (r.ok) last.set(call.id, await r.clone().text());
      const old = last.get(call.id);
      if (r.ok || r.status === 404 || call.regional || old === undefined) return r;
      w.hit();
      return new Response(old, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } });
    };
  }),
  way('daemon-token-is-that-of-the-intern-before', DAEMON, (w) => {
    let before: unknown;
    return w.ok('daemon daemon-alias', (body) => {
      const { token } = body;
      body.token = before ?? token;
      before = token;
    });
  }),
  way('alias-of-daemon-calls-its-origin-url', DAEMON_ALIAS, (w) =>
    w.ok('daemon-alias', (body) => {
      body.url = body.origin;
      delete body.origin;
    }),
  ),
];

export const signing: readonly Way[] = [...proofs, ...refusals, ...access];
