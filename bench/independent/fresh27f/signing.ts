import { createHash } from 'node:crypto';
import { failed } from '../answers.js';
import { isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { as, bodyOf } from './common.js';

const named = (body: Json, end: string) => Object.keys(body).find((key) => key.endsWith(end));
const EMPTY = createHash('sha256').update('').digest('hex');
const V2 = 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.';
const SAME = 'Deprecated alias of the operation above with the same request, response and errors.';

export const signing: readonly Way[] = [
  {
    name: 'sign-by-api-key',
    quote: 'An API key is refused with 403, because it names no person.',
    wrong: (world) =>
      world.asked('sign', (call) => (call.who === 'api_key' ? as(call, world, 'oauth_token') : undefined)),
  },
  {
    name: 'sign-storable',
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: ({ head }) =>
      head('sign', (headers, { body }, { ok }) => {
        if (ok && !Object.values(body).some(isJson)) headers.delete('cache-control');
      }),
  },
  {
    name: 'sign-alias-revalidated',
    quote: SAME,
    wrong: ({ head }) =>
      head('sign-alias', (headers, _, { ok }) => {
        if (ok) headers.set('cache-control', 'no-cache, must-revalidate');
      }),
  },
  {
    name: 'sign-timestamp-in-milliseconds',
    quote: 'string, Unix seconds',
    wrong: ({ ok }) =>
      ok('sign', (body) => {
        const key = named(body, '-timestamp');
        if (key !== undefined) body[key] = `${String(body[key])}000`;
      }),
  },
  {
    name: 'sign-timestamp-of-the-minute',
    quote: 'Time of signing.',
    wrong: ({ ok }) =>
      ok('sign sign-alias', (body) => {
        const key = named(body, '-timestamp');
        if (key !== undefined) body[key] = String(Math.floor(Number(body[key]) / 60) * 60);
      }),
  },
  {
    name: 'sign-hex-signature',
    quote: 'Signatures are Ed25519, Base64 encoded.',
    wrong: ({ ok }) =>
      ok('sign', (body) => {
        const key = named(body, '-signature');
        if (key !== undefined) body[key] = Buffer.from(String(body[key]), 'base64').toString('hex');
      }),
  },
  {
    name: 'sign-v2-copies-v1',
    quote: V2,
    wrong: ({ ok }) =>
      ok('sign', (body) => {
        const [v1, v2] = [named(body, '-signature'), named(body, '-signature-v2')];
        if (v1 !== undefined && v2 !== undefined) body[v2] = body[v1];
      }),
  },
  {
    name: 'sign-method-always-post',
    quote: V2,
    wrong: ({ asked }) =>
      asked('sign sign-alias', ({ body }) =>
        isJson(body.route) && typeof body.route.method === 'string' && body.route.method !== 'POST'
          ? { ...body, route: { ...body.route, method: 'POST' } }
          : undefined,
      ),
  },
  {
    name: 'sign-path-decoded',
    quote: V2,
    wrong: ({ asked }) =>
      asked('sign', ({ body }) => {
        if (!isJson(body.route) || typeof body.route.path !== 'string') return undefined;
        const path = body.route.path.replace(/%[2-7][0-9a-f]/gi, (escaped) => decodeURIComponent(escaped));
        return path === body.route.path ? undefined : { ...body, route: { ...body.route, path } };
      }),
  },
  {
    name: 'sign-v2-of-an-empty-body',
    quote: V2,
    wrong: ({ hit, ok }) => {
      return async (call, next) => {
        if (call.op !== 'sign' || call.body.bodySha256 === EMPTY || !isJson(call.body.route)) return next();
        const other = await bodyOf(await next(withBody(call, { ...call.body, bodySha256: EMPTY })));
        const response = await next();
        if (!response.ok) return response;
        hit();
        return ok('sign', (body) => {
          for (const end of ['-signature-v2', '-nonce']) {
            const key = named(body, end);
            if (key !== undefined && key in other) body[key] = other[key];
          }
        })(call, async () => response);
      };
    },
  },
  {
    name: 'sign-digest-not-required',
    quote: 'bodySha256 | string | yes',
    wrong: ({ asked }) =>
      asked('sign', ({ body, text }) =>
        text.trim().startsWith('{') && !('bodySha256' in body) ? { ...body, bodySha256: EMPTY } : undefined,
      ),
  },
  {
    name: 'sign-odd-digest-500',
    quote: '400 | Invalid request body | invalid_body | false | Body invalid.',
    wrong: ({ later }) =>
      later('sign', ({ status }, { body }) =>
        status === 400 && 'bodySha256' in body && typeof body.bodySha256 !== 'string'
          ? failed(500, 'The request could not be completed', 'internal_error', true)
          : undefined,
      ),
  },
  {
    name: 'sign-unknown-intern-403',
    quote: '404 | Intern not found | not_found | false | Intern unknown or not visible.',
    wrong: ({ later }) =>
      later('sign', ({ status }, { who }) =>
        status === 404 && who === 'oauth_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  {
    name: 'sign-invalid-body-422',
    quote: '400 | Invalid request body | invalid_body | false | Body invalid.',
    wrong: ({ later }) =>
      later('sign', ({ status }) => (status === 400 ? failed(422, 'Invalid request body', 'invalid_body') : undefined)),
  },
  {
    name: 'sign-wrong-type-retryable',
    quote: '415 | Request body must be sent as application/json | unsupported_media_type | false | Wrong media type.',
    wrong: ({ error }) =>
      error('sign sign-alias', 415, (said) => {
        if (said.metadata !== undefined) said.metadata.retryable = true;
      }),
  },
  {
    name: 'sign-too-large-in-mebibytes',
    quote: '413 | Request body exceeds 1048576 bytes | payload_too_large | false | Body above the cap.',
    wrong: ({ error }) =>
      error('sign', 413, (said) => {
        said.message = 'Request body exceeds 1 MiB';
      }),
  },
  {
    name: 'sign-limit-named-otherwise',
    quote: '429 | Too many intern turns | rate_limited | true | Chat turn limiter exceeded.',
    wrong: ({ error }) =>
      error('sign sign-alias', 429, (said) => {
        said.message = 'Too many requests';
      }),
  },
  {
    name: 'sign-invalid-token-403',
    quote: '401 | Invalid or missing API key | (no metadata) | (none) | Missing or invalid credential.',
    wrong: ({ later }) =>
      later('sign sign-alias', ({ status }, { who }) =>
        status === 401 && who === 'unknown'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  {
    name: 'sign-401-with-metadata',
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: ({ error }) =>
      error('sign', 401, (said) => {
        said.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
  {
    name: 'sign-keys-in-capitals',
    quote: 'x-svc-invoke-signature | string, Base64 | always',
    wrong: ({ ok }) =>
      ok('sign', (body) => {
        for (const [key, value] of Object.entries(body)) {
          delete body[key];
          body[key.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())] = value;
        }
      }),
  },
  {
    name: 'sign-v2-null-without-route',
    quote: 'only when the request named a route',
    wrong: ({ ok }) =>
      ok('sign', (body) => {
        const v1 = named(body, '-signature');
        if (v1 === undefined || named(body, '-signature-v2') !== undefined) return;
        body[`${v1}-v2`] = null;
        body[v1.replace(/signature$/, 'nonce')] = null;
      }),
  },
  {
    name: 'sign-alias-gone',
    quote: SAME,
    wrong: ({ instead }) =>
      instead('sign-alias', ({ who }) => (who === 'oauth_token' ? failed(410, 'Use /daemon/sign', 'gone') : undefined)),
  },
  {
    name: 'sign-user-of-the-first-signer',
    quote: 'The verified OAuth subject that the proof names.',
    wrong: ({ ok }) => {
      const users = new Map<string, unknown>();
      return ok('sign sign-alias', (body, { id }) => {
        const key = named(body, '-user');
        if (key === undefined) return;
        if (!users.has(id)) users.set(id, body[key]);
        body[key] = users.get(id);
      });
    },
  },
];
