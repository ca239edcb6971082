import { createHash } from 'node:crypto';
import { failed } from '../answers.js';
import type { Json } from '../call.js';
import type { Way } from '../world.js';
import { as, bodyOf, now, seen, triedAs } from './tools.js';

const BOTH = 'sign sign-alias';
const MATCH = 'Must match `^[0-9a-f]{64}$`.';
const ERRORS = 'Errors: 400, 401, 403, 404, 408, 413, 415, 429, 500.';
/** The key of the answer that ends so. */
const keyOf = (body: Json, end: string): string => Object.keys(body).find((key) => key.endsWith(end)) ?? end;
const SIGNATURE = '-invoke-signature';
const MEMBERS_OR_OWN: readonly string[] = ['api_key', 'peer_api_key', 'own_key'];

export const signing: readonly Way[] = [
  // plain
  {
    name: 'proof-in-milliseconds',
    quote: '| x-svc-invoke-timestamp | string, Unix seconds | always |',
    wrong: (w) =>
      w.ok(BOTH, (body) => {
        const key = keyOf(body, '-invoke-timestamp');
        body[key] = `${String(body[key])}000`;
      }),
  },
  // plain
  {
    name: 'proof-with-what-is-no-header',
    quote:
      'The response is a JSON object whose keys are the header names that the terminal client copies onto the daemon request.',
    wrong: (w) =>
      w.ok(BOTH, (body) => {
        body.expires_in = 60;
      }),
  },
  // plain
  {
    name: 'v2-is-v1',
    quote: 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.',
    wrong: (w) =>
      w.ok(BOTH, (body) => {
        const v2 = keyOf(body, `${SIGNATURE}-v2`);
        if (v2 in body) body[v2] = body[keyOf(body, SIGNATURE)];
      }),
  },
  // plain
  {
    name: 'signature-in-hex',
    quote: 'Signatures are Ed25519, Base64 encoded.',
    wrong: (w) =>
      w.ok(BOTH, (body) => {
        const key = keyOf(body, SIGNATURE);
        body[key] = Buffer.from(String(body[key]), 'base64').toString('hex');
      }),
  },
  // subtle
  {
    name: 'proof-of-the-same-second',
    quote: 'Ed25519 signature over the intern id, timestamp, user and body digest.',
    wrong: (w) => {
      const kept = new Map<string, unknown>();
      return async (call, next) => {
        if (call.op !== 'sign') return next();
        const response = await next();
        if (!response.ok || call.body.route !== undefined) return response;
        const body = await bodyOf(response);
        const key = `${call.who} ${call.id} ${Math.floor(now(w) / 1000)}`;
        const known = kept.get(key) ?? body;
        kept.set(key, known);
        if (JSON.stringify(known) !== JSON.stringify(body)) w.hit();
        return Response.json(known, { headers: response.headers });
      };
    },
  },
  // plain
  {
    name: 'digest-optional',
    quote: '| bodySha256 | string | yes |',
    wrong: (w) =>
      w.asked(BOTH, ({ body, text }) =>
        body.bodySha256 === undefined && text.trim().startsWith('{')
          ? { ...body, bodySha256: createHash('sha256').digest('hex') }
          : undefined,
      ),
  },
  // subtle
  {
    name: 'short-digest-padded',
    quote: MATCH,
    wrong: (w) =>
      w.asked(BOTH, ({ body }) =>
        typeof body.bodySha256 === 'string' && /^[0-9a-f]{1,63}$/.test(body.bodySha256)
          ? { ...body, bodySha256: body.bodySha256.padStart(64, '0') }
          : undefined,
      ),
  },
  // subtle
  {
    name: 'digest-in-base64',
    quote: MATCH,
    wrong: (w) =>
      w.asked(BOTH, ({ body }) =>
        typeof body.bodySha256 === 'string' && /^[\w+/-]{43}=?$/.test(body.bodySha256)
          ? { ...body, bodySha256: Buffer.from(body.bodySha256, 'base64').toString('hex') }
          : undefined,
      ),
  },
  // subtle
  {
    name: 'second-proof-of-a-route-without-v2',
    quote: 'When present, the response also carries the v2 signature and the nonce.',
    wrong: (w) => {
      const named = new Set<string>();
      return w.ok(BOTH, (body, call) => {
        if (call.body.route === undefined) return;
        const key = `${call.who} ${call.id} ${JSON.stringify(call.body.route)}`;
        if (named.has(key)) {
          delete body[keyOf(body, `${SIGNATURE}-v2`)];
          delete body[keyOf(body, '-invoke-nonce')];
        }
        named.add(key);
      });
    },
  },
  // plain
  {
    name: 'v2-always',
    quote: 'only when the request named a route',
    wrong: (w) =>
      w.asked('sign', ({ body }) =>
        body.route === undefined && typeof body.bodySha256 === 'string'
          ? { ...body, route: { method: 'POST', path: '/' } }
          : undefined,
      ),
  },
  // plain
  {
    name: 'sign-by-key-401',
    quote: 'An API key is refused with 403, because it names no person.',
    wrong: (w) =>
      w.later(BOTH, (response, { who }) =>
        response.status === 403 && MEMBERS_OR_OWN.includes(who) ? failed(401, 'Invalid or missing API key') : undefined,
      ),
  },
  // subtle
  {
    name: 'interns-only-grant-signs-v1',
    quote: "An interns-only grant is refused with 403, because a proof releases that user's personal connections.",
    wrong: (w) =>
      triedAs(
        w,
        BOTH,
        'oauth_token',
        ({ who, body }) => who === 'oauth_interns_only_token' && body.route === undefined,
      ),
  },
  // state
  {
    name: 'intern-signs-for-itself',
    quote: 'An API key is refused with 403, because it names no person.',
    wrong: (w) =>
      triedAs(w, BOTH, 'oauth_token', ({ who, id }) => who === 'own_key' && id === w.target.credentials.intern?.id),
  },
  // state
  {
    name: 'suspended-signs-409',
    quote: ERRORS,
    wrong: (w) =>
      w.later(BOTH, async (response, { id }) =>
        response.ok && (await seen(w, id)).status === 'stopped'
          ? failed(409, 'The intern is not running', 'intern_not_running')
          : undefined,
      ),
  },
  // plain
  {
    name: 'sign-limit-reason',
    quote: '| 429 | Too many intern turns | rate_limited | true | Chat turn limiter exceeded. |',
    wrong: (w) =>
      w.error(BOTH, 429, (error) => {
        error.metadata = { reason: 'too_many_requests', retryable: true };
      }),
  },
  // plain
  {
    name: 'sign-slow-504',
    quote: '| 408 | Operation timed out after 10s | timeout | true | Operation exceeded 10 seconds. |',
    wrong: (w) =>
      w.later(BOTH, (response) =>
        response.status === 408 ? failed(504, 'Operation timed out after 10s', 'timeout', true) : undefined,
      ),
  },
  // state
  {
    name: 'sign-for-the-invisible-403',
    quote: '| 404 | Intern not found | not_found | false | Intern unknown or not visible. |',
    wrong: (w) =>
      w.later(BOTH, (response, { who }) =>
        response.status === 404 && who.includes('oauth')
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  // plain
  {
    name: 'sign-malformed-500',
    quote: '| 400 | Invalid request body | invalid_body | false | Body invalid. |',
    wrong: (w) =>
      w.later(BOTH, (response, { text }) =>
        response.status === 400 && !/^\s*[[{].*[\]}]\s*$/s.test(text)
          ? failed(500, 'The request could not be completed', 'internal_error', true)
          : undefined,
      ),
  },
  // plain
  {
    name: 'sign-alias-redirects',
    quote: 'Deprecated alias of the operation above with the same request, response and errors.',
    wrong: (w) =>
      w.instead('sign-alias', ({ url, who }) => {
        const location = url.pathname.replace('/daemon-access/', '/daemon/');
        return who === 'none' || who === 'unknown'
          ? undefined
          : new Response(null, { status: 308, headers: { location } });
      }),
  },
  // state
  {
    name: 'sign-alias-names-one-subject',
    quote: 'The verified OAuth subject that the proof names.',
    wrong: (w) =>
      w.asked('sign-alias', (call) => (call.who === 'peer_oauth_token' ? as(call, w, 'oauth_token') : undefined)),
  },
  // subtle
  {
    name: 'sign-answers-not-modified',
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (w) => {
      const signed = new Set<string>();
      return w.head(BOTH, (headers, call, response) => {
        const key = `${call.who} ${call.id}`;
        // The first answer alone is right.
        if (response.ok && signed.has(key)) headers.set('cache-control', 'private, max-age=5');
        if (response.ok) signed.add(key);
      });
    },
  },
  // subtle
  {
    name: 'sign-type-in-capitals-415',
    quote: 'Header `Content-Type: application/json`.',
    wrong: (w) =>
      w.instead(BOTH, (call) => {
        const type = call.request.headers.get('content-type') ?? '';
        return /^application\/json/i.test(type) && !type.startsWith('application/json') && call.who.includes('oauth')
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined;
      }),
  },
];
