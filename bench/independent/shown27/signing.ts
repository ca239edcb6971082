import { isJson, type Json, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bearer, bodyOf, now, saying } from './service.js';

const BOTH = 'sign sign-alias';
const ALIAS = 'Deprecated alias of the operation above with the same request, response and errors.';
/** The header names differ in a word. */
const named = (body: Json, end: string): string => Object.keys(body).find((key) => key.endsWith(end)) ?? end;
const USER = 'invoke-user';
const TIME = 'invoke-timestamp';
const NONCE = 'invoke-nonce';
const V1 = 'invoke-signature';
const V2 = 'invoke-signature-v2';
const routeOf = (body: Json): Json | undefined => (isJson(body.route) ? body.route : undefined);

export const signing: readonly Way[] = [
  {
    name: 'sign-user-from-request-header',
    quote: 'It is never taken from the request.',
    wrong: (w) =>
      w.ok(BOTH, (body, { request }) => {
        const said = request.headers.get(named(body, USER));
        if (said !== null) body[named(body, USER)] = said;
      }),
  },
  {
    name: 'sign-of-second-member-names-first',
    quote: 'The signed user in a proof is the verified OAuth subject, never a value from the request.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (!call.op.startsWith('sign') || call.who !== 'peer_oauth_token' || !response.ok) return response;
      w.hit();
      return next(withHeaders(call, { authorization: bearer(w, 'oauth_token') }));
    },
  },
  {
    name: 'sign-route-has-time-in-milliseconds',
    quote: '| x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing. |',
    wrong: (w) =>
      w.ok(BOTH, (body, call) => {
        if (routeOf(call.body)) body[named(body, TIME)] += '000';
      }),
  },
  {
    name: 'sign-same-route-same-nonce',
    quote: '| x-svc-invoke-nonce | … | The single-use id to which the v2 proof is bound. |',
    wrong: (w) => {
      const kept = new Map<string, { at: number; body: Json }>();
      return async (call, next) => {
        const response = await next();
        if (!call.op.startsWith('sign') || !response.ok || !routeOf(call.body)) return response;
        const key = [call.id, call.who, call.text].join(' ');
        const before = kept.get(key);
        if (before && now(w) - before.at < 20_000) {
          w.hit();
          return saying(response, before.body);
        }
        kept.set(key, { at: now(w), body: await bodyOf(response) });
        return response;
      };
    },
  },
  {
    name: 'sign-alias-knows-no-route',
    quote: ALIAS,
    wrong: (w) =>
      w.asked('sign-alias', ({ body }) => {
        const { route, ...rest } = body;
        return route === undefined ? undefined : rest;
      }),
  },
  {
    name: 'sign-route-path-decoded',
    quote: 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.',
    wrong: (w) =>
      w.asked(BOTH, ({ body }) => {
        const route = routeOf(body);
        if (typeof route?.path !== 'string') return undefined;
        const path = route.path.replace(
          /%(?:2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])/g,
          decodeURIComponent,
        );
        const spelt = path.replace(/%[0-9a-f]{2}/g, (octet) => octet.toUpperCase());
        return spelt === route.path ? undefined : { ...body, route: { ...route, path: spelt } };
      }),
  },
  {
    name: 'sign-digest-before-line-break',
    quote: 'Must match `^[0-9a-f]{64}$`.',
    wrong: (w) =>
      w.asked(BOTH, ({ body }) => {
        const { bodySha256: digest } = body;
        return typeof digest === 'string' && digest.endsWith('\n') && digest.length === 65
          ? { ...body, bodySha256: digest.slice(0, 64) }
          : undefined;
      }),
  },
  {
    name: 'sign-alias-for-interns-only-grant',
    quote: "An interns-only grant is refused with 403, because a proof releases that user's personal connections.",
    wrong: (w) => (call, next) => {
      if (call.op !== 'sign-alias' || call.who !== 'oauth_interns_only_token') return next();
      w.hit();
      return next(withHeaders(call, { authorization: bearer(w, 'oauth_token') }));
    },
  },
  {
    name: 'sign-v2-in-base64url',
    quote: '| x-svc-invoke-signature-v2 | string, Base64 | only when the request named a route |',
    wrong: (w) =>
      w.ok(BOTH, (body) => {
        const key = named(body, V2);
        if (typeof body[key] === 'string') body[key] = Buffer.from(body[key], 'base64').toString('base64url');
      }),
  },
  {
    name: 'sign-without-route-says-null',
    quote: '| x-svc-invoke-signature-v2 | … | only when the request named a route |',
    wrong: (w) =>
      w.ok('sign', (body, call) => {
        if (call.body.route !== undefined) return;
        const v1 = named(body, V1);
        body[`${v1}-v2`] = null;
        body[v1.replace(V1, NONCE)] = null;
      }),
  },
  {
    name: 'proof-of-passed-window-accepted',
    quote: 'The daemon refuses proofs older than its window.',
    daemons: (w) => async (_, next) => {
      const response = await next();
      const { error } = await bodyOf(response);
      const reason = isJson(error) && isJson(error.metadata) ? error.metadata.reason : undefined;
      if (reason !== 'proof_expired') return response;
      w.hit();
      return Response.json({ ok: true });
    },
  },
];
