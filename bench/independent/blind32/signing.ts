import { createHash } from 'node:crypto';
import { withRequest } from '../../../emulator/wire/request.js';
import { failed } from '../answers.js';
import { type Call, isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { jsonIn, recordOf, SECOND, way } from './helpers.js';

const V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const V1 = 'Ed25519 signature over the intern id, timestamp, user and body digest.';
const BASE64 = 'Signatures are Ed25519, Base64 encoded.';
const ROUTE_ONLY = 'only when the request named a route';
const TIME = 'string, Unix seconds: Time of signing.';
const ONCE = 'The intern accepts it once.';
const NONCE = 'The single-use id to which the v2 proof is bound.';
const USER = 'The verified OAuth subject that the proof names. It is never taken from the request.';
const MATCH = 'Must match `^[0-9a-f]{64}$`.';
const NO_STORE = 'The response carries `Cache-Control: no-store`.';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';
const ATTACH =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';
const ALIASED = 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.';

const P = 'x-svc-invoke';
const EMPTY = createHash('sha256').update('').digest('hex');
const routeOf = ({ body }: Call): Json | undefined => (isJson(body.route) ? body.route : undefined);
const rerouted = (call: Call, changes: Json): Json => ({ ...call.body, route: { ...routeOf(call), ...changes } });

interface Issued {
  readonly id: string;
  readonly who: string;
  readonly body: Json;
}

/** A daemon that forgives what differs from a proof that was issued. */
function forgives(name: string, quote: string, other: (issued: Issued, call: Call) => Json | undefined): Way {
  const issued = new Map<string, Issued>();
  return {
    name,
    quote,
    wrong: () => async (call, next) => {
      const response = await next();
      const proof = call.op === 'sign' ? await jsonIn(response) : undefined;
      if (proof !== undefined)
        issued.set(String(proof[`${P}-nonce`] ?? proof[`${P}-signature`]), {
          id: call.id,
          who: call.who,
          body: call.body,
        });
      return response;
    },
    daemons: (w) => async (call, next) => {
      const response = await next();
      const { headers } = call.request;
      const known = issued.get(headers.get(`${P}-nonce`) ?? headers.get(`${P}-signature`) ?? '');
      const body = known && response.status === 401 ? other(known, call) : undefined;
      if (known === undefined || body === undefined) return response;
      const proof = await w.ask('POST', `/interns/${known.id}/daemon/sign`, { as: known.who, body });
      if (!proof.ok) return response;
      w.hit();
      const method = isJson(body.route) ? String(body.route.method) : call.request.method;
      const signed = withHeaders(call, (await proof.json()) as Record<string, string>);
      return next(withRequest(signed, { method, body: call.text === '' ? undefined : call.text }));
    },
  };
}

/** The proof of an equal request, for a while. */
const keeping = (name: string, quote: string, ms: number, some: (call: Call) => boolean): Way =>
  way(name, quote, (w) => {
    const kept = new Map<string, { at: number; proof: Json }>();
    return async (call, next) => {
      if (call.op !== 'sign' || !some(call)) return next();
      const key = `${call.who} ${call.id} ${call.text}`;
      const before = kept.get(key);
      const now = w.setting.host.now();
      if (before !== undefined && now - before.at < ms) {
        if (routeOf(call) || Math.floor(now / SECOND) !== Math.floor(before.at / SECOND)) w.hit();
        return Response.json(before.proof, { headers: { 'cache-control': 'no-store' } });
      }
      const response = await next();
      const proof = await jsonIn(response);
      if (proof !== undefined) kept.set(key, { at: now, proof });
      return response;
    };
  });

export const signing: readonly Way[] = [
  way('sign-digest-with-a-line-end', MATCH, (w) =>
    w.asked('sign sign-alias', ({ body }) =>
      typeof body.bodySha256 === 'string' && /^[0-9a-f]{64}\n$/.test(body.bodySha256)
        ? { ...body, bodySha256: body.bodySha256.trim() }
        : undefined,
    ),
  ),
  way('sign-digest-unanchored', MATCH, (w) =>
    w.asked('sign', ({ body }) => {
      const found = typeof body.bodySha256 === 'string' ? /[0-9a-f]{64}/.exec(body.bodySha256)?.[0] : undefined;
      return found !== undefined && found !== body.bodySha256 ? { ...body, bodySha256: found } : undefined;
    }),
  ),
  way('sign-nonce-null-without-route', ROUTE_ONLY, (w) =>
    w.ok('sign', (proof, call) => {
      if (!routeOf(call)) proof[`${P}-nonce`] = null;
    }),
  ),
  way('sign-always-v2', ROUTE_ONLY, (w) =>
    w.asked('sign-alias', (call) =>
      call.body.route === undefined ? { ...call.body, route: { method: 'POST', path: '/' } } : undefined,
    ),
  ),
  way('sign-v2-in-place-of-v1', 'x-svc-invoke-signature: always', (w) =>
    w.ok('sign', (proof, call) => {
      if (routeOf(call)) delete proof[`${P}-signature`];
    }),
  ),
  way('sign-v2-for-urls', BASE64, (w) =>
    w.ok('sign', (proof) => {
      const v2 = proof[`${P}-signature-v2`];
      if (typeof v2 === 'string') proof[`${P}-signature-v2`] = v2.replaceAll('+', '-').replaceAll('/', '_');
    }),
  ),
  way('sign-v1-without-padding', BASE64, (w) =>
    w.ok('sign-alias', (proof) => {
      proof[`${P}-signature`] = String(proof[`${P}-signature`]).replace(/=+$/, '');
    }),
  ),
  way('sign-user-of-the-header', USER, (w) =>
    w.ok('sign', (proof, { request }) => {
      const user = request.headers.get(`${P}-user`);
      if (user !== null) proof[`${P}-user`] = user;
    }),
  ),
  keeping('sign-kept-for-ten-seconds', TIME, 10 * SECOND, (call) => routeOf(call) === undefined),
  keeping('sign-nonce-kept-for-a-second', NONCE, SECOND, (call) => routeOf(call) !== undefined),
  way('sign-path-decoded', V2, (w) =>
    w.asked('sign', (call) => {
      const path = routeOf(call)?.path;
      const decoded =
        typeof path === 'string'
          ? path.replaceAll(/%(2[D-E]|5F|7E|[46][1-9A-F]|[57][0-9A])/gi, decodeURIComponent)
          : path;
      return decoded === path ? undefined : rerouted(call, { path: decoded });
    }),
  ),
  way('sign-path-without-its-last-slash', V2, (w) =>
    w.asked('sign', (call) => {
      const path = routeOf(call)?.path;
      return typeof path === 'string' && /.\/$/.test(path) ? rerouted(call, { path: path.slice(0, -1) }) : undefined;
    }),
  ),
  way('sign-alias-for-the-first-intern', V1, (w) => async (call, next) => {
    const other = w.target.credentials.intern?.id;
    if (call.op !== 'sign-alias' || other === undefined || call.id === other) return next();
    if ((await recordOf(w, call.id, call.who)) === undefined) return next();
    const url = new URL(call.url);
    url.pathname = url.pathname.replace(call.id, other);
    w.hit();
    return next(withHeaders(call, {}, url));
  }),
  way('sign-stored-with-a-route', NO_STORE, (w) =>
    w.head('sign', (headers, call) => {
      if (routeOf(call)) headers.set('cache-control', 'private, max-age=30');
    }),
  ),
  way('sign-alias-takes-any-type', ALIAS, (w) => async (call, next) => {
    if (call.op !== 'sign-alias' || /json/.test(call.request.headers.get('content-type') ?? '')) return next();
    if (!isJson(parsed(call.text))) return next();
    w.hit();
    return next(withHeaders(call, { 'content-type': 'application/json' }));
  }),
  forgives('daemon-forgives-the-method', V2, ({ body }, { request, url }) =>
    isJson(body.route) && body.route.method !== request.method && body.route.path === url.pathname ? body : undefined,
  ),
  forgives('daemon-forgives-what-is-below', V2, ({ body }, { request, url }) =>
    isJson(body.route) && body.route.method === request.method && url.pathname.startsWith(`${String(body.route.path)}/`)
      ? { ...body, route: { ...body.route, path: url.pathname } }
      : undefined,
  ),
  forgives('daemon-forgives-an-empty-body', V1, ({ body }, { text }) =>
    text === '' && body.bodySha256 !== EMPTY ? { ...body, bodySha256: EMPTY } : undefined,
  ),
  forgives('daemon-accepts-bare-requests-again', ONCE, ({ body }, { text, url }) =>
    isJson(body.route) && text === '' && body.bodySha256 === EMPTY && body.route.path === url.pathname
      ? body
      : undefined,
  ),
];

export const daemon: readonly Way[] = [
  way('daemon-of-the-last-read', ATTACH, (w) => {
    const last = new Map<string, { id: string; access: Json }>();
    return async (call, next) => {
      const response = await next();
      const access = /^daemon/.test(call.op) ? await jsonIn(response) : undefined;
      if (access === undefined) return response;
      const before = last.get(call.who);
      if (before === undefined || before.id === call.id) {
        last.set(call.who, { id: call.id, access });
        return response;
      }
      last.delete(call.who);
      w.hit();
      return Response.json(before.access, { headers: { 'cache-control': 'no-store' } });
    };
  }),
  way('daemon-of-the-suspended', ATTACH, (w) => {
    const seen = new Map<string, Json>();
    return async (call, next) => {
      const response = await next();
      if (call.op !== 'daemon') return response;
      const access = await jsonIn(response);
      if (access !== undefined) seen.set(`${call.who} ${call.id}`, access);
      const before = seen.get(`${call.who} ${call.id}`);
      if (response.status !== 409 || before === undefined) return response;
      w.hit();
      return Response.json(before, { headers: { 'cache-control': 'no-store' } });
    };
  }),
  way('daemon-origin-with-a-slash', 'It carries an origin and a daemon token.', (w) =>
    w.ok('daemon daemon-alias', (access) => {
      access.origin = `${String(access.origin)}/`;
    }),
  ),
  way('daemon-state-before-identity', 'API keys get 403 with reason `personal_identity_required`.', (w) =>
    w.later('daemon daemon-alias', async (response, { id, who }) => {
      const record = response.status === 403 ? await recordOf(w, id, who) : undefined;
      return record && record.status !== 'running'
        ? failed(409, 'The intern is not running', 'intern_not_running')
        : undefined;
    }),
  ),
  way('daemon-token-repeated-is-stored', NO_STORE, (w) => {
    const read = new Set<string>();
    return w.head('daemon', (headers, { id }, { ok }) => {
      if (ok && read.has(id)) headers.set('cache-control', 'no-cache');
      if (ok) read.add(id);
    });
  }),
  way('daemon-alias-of-an-older-refusal', ALIASED, (w) =>
    w.error('daemon-alias', 403, ({ metadata }) => {
      if (metadata) metadata.reason = 'oauth_required';
    }),
  ),
];
