import { failed } from '../answers.js';
import { isJson, type Json, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { answering, bodyOf, by, recordOf, rescued, way } from './form.js';

const SIGN = 'sign sign-alias';
const DAEMON = 'daemon daemon-alias';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const SIGNED = 'x-svc-invoke-signature';
const AT = 'x-svc-invoke-timestamp';
const ROUTED = 'x-svc-invoke-signature-v2';
const NONCE = 'x-svc-invoke-nonce';

const flipped = (signature: string): string => {
  const raw = Buffer.from(signature, 'base64');
  raw.writeUInt8(raw.readUInt8(0) ^ 1, 0);
  return raw.toString('base64');
};

export const signing: readonly Way[] = [
  way('a digest in capitals is signed', 'Must match `^[0-9a-f]{64}$`.', (w) =>
    rescued(w, SIGN, [400], (call) =>
      typeof call.body.bodySha256 === 'string'
        ? withBody(call, { ...call.body, bodySha256: call.body.bodySha256.toLowerCase() })
        : undefined,
    ),
  ),
  way('a digest with a line end is signed', 'exactly 64 lower-case hex characters', (w) =>
    rescued(w, SIGN, [400], (call) =>
      typeof call.body.bodySha256 === 'string'
        ? withBody(call, { ...call.body, bodySha256: call.body.bodySha256.trim() })
        : undefined,
    ),
  ),
  way('no digest is the digest of nothing', 'bodySha256 | string | yes', (w) =>
    rescued(w, SIGN, [400], (call) =>
      'bodySha256' in call.body || call.text === '' ? undefined : withBody(call, { ...call.body, bodySha256: EMPTY }),
    ),
  ),
  way('a proof is timed in milliseconds', 'x-svc-invoke-timestamp | string, Unix seconds', (w) =>
    w.ok(SIGN, (body) => {
      if (AT in body) body[AT] = `${String(body[AT])}000`;
    }),
  ),
  way('the time of a proof is a number', 'x-svc-invoke-timestamp | string, Unix seconds', (w) =>
    w.ok(SIGN, (body) => {
      if (AT in body) body[AT] = Number(body[AT]);
    }),
  ),
  way('a proof is in hexadecimal', 'Signatures are Ed25519, Base64 encoded.', (w) =>
    w.ok(SIGN, (body) => {
      if (typeof body[SIGNED] === 'string') body[SIGNED] = Buffer.from(body[SIGNED], 'base64').toString('hex');
    }),
  ),
  way(
    'the proof of a route does not verify',
    'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.',
    (w) =>
      w.ok(SIGN, (body) => {
        if (typeof body[ROUTED] === 'string') body[ROUTED] = flipped(body[ROUTED]);
      }),
  ),
  way(
    'a route gets no proof of its own',
    'When present, the response also carries the v2 signature and the nonce.',
    (w) =>
      w.ok(SIGN, (body) => {
        delete body[ROUTED];
        delete body[NONCE];
      }),
  ),
  way('a request without a route has a null proof of it', 'only when the request named a route', (w) =>
    w.ok(SIGN, (body) => {
      if (ROUTED in body) return;
      body[ROUTED] = null;
      body[NONCE] = null;
    }),
  ),
  way('the proof of a route comes without its nonce', 'present together with the v2 signature', (w) =>
    w.ok(SIGN, (body) => {
      delete body[NONCE];
    }),
  ),
  way('a proof is remembered for the same request', 'The single-use id to which the v2 proof is bound.', (w) => {
    const proofs = new Map<string, Json>();
    return async (call, next) => {
      const response = await next();
      if (!SIGN.split(' ').includes(call.op) || !response.ok) return response;
      const key = `${call.id} ${call.who} ${call.text}`;
      const before = proofs.get(key);
      const body = await bodyOf(response);
      if (before === undefined) {
        if (NONCE in body) proofs.set(key, body);
        return response;
      }
      w.hit();
      return answering(response, before);
    };
  }),
  way('a proof names the user by the token', 'The verified OAuth subject that the proof names.', (w) =>
    w.ok(SIGN, (body, { who }) => {
      body['x-svc-invoke-user'] = who;
    }),
  ),
  way('a proof may be stored privately', 'The response carries `Cache-Control: no-store`.', (w) =>
    w.head(SIGN, (headers, _, response) => {
      if (response.ok) headers.set('cache-control', 'private, max-age=0');
    }),
  ),
  way('an API key that signs is unknown', 'An API key is refused with 403, because it names no person.', (w) =>
    w.later(SIGN, (r, { who }) =>
      r.status === 403 && who === 'api_key' ? failed(401, 'Invalid or missing API key') : undefined,
    ),
  ),
  way('a grant for interns only signs', 'An interns-only grant is refused with 403', (w) =>
    rescued(w, SIGN, [403], (call) =>
      call.who === 'oauth_interns_only_token' ? by(w, call, 'oauth_token') : undefined,
    ),
  ),
  way(
    'a grant for interns only lacks a scope',
    'Personal connections require the OIDC login | personal_identity_required',
    (w) =>
      w.error(SIGN, 403, (error, { who }) => {
        if (who !== 'oauth_interns_only_token') return;
        error.message = 'Insufficient scope';
        error.metadata = { ...error.metadata, reason: 'insufficient_scope' };
      }),
  ),
  way('the 401 of signing has a reason', 'The `metadata` object is absent on the 401 error of the signing route', (w) =>
    w.error(SIGN, 401, (error) => {
      error.metadata = { reason: 'unauthenticated', retryable: false };
    }),
  ),
  way(
    'a broken body cannot be signed by anyone',
    '400 | Invalid request body | invalid_body | false | Body invalid.',
    (w) =>
      w.later(SIGN, (r, { text }) => {
        if (r.status !== 400) return undefined;
        try {
          JSON.parse(text);
          return undefined;
        } catch {
          return failed(500, 'The request could not be completed', 'internal_error', true);
        }
      }),
  ),
  way('the 400 of signing names the field', '400 | Invalid request body | invalid_body', (w) =>
    w.error(SIGN, 400, (error) => {
      error.message = 'bodySha256: Invalid';
    }),
  ),
  way('the 413 of signing does not name the cap', 'Request body exceeds 1048576 bytes | payload_too_large', (w) =>
    w.error(SIGN, 413, (error) => {
      error.message = 'Payload Too Large';
    }),
  ),
  way(
    'signing takes JSON of any media type',
    'Request body must be sent as application/json | unsupported_media_type',
    (w) => rescued(w, SIGN, [415], (call) => withHeaders(call, { 'content-type': 'application/json' }), 'other'),
  ),
  way('too many signatures are not to be retried', 'Too many intern turns | rate_limited | true', (w) =>
    w.error(SIGN, 429, (error) => {
      if (error.metadata) error.metadata.retryable = false;
    }),
  ),
  way('a signature that takes too long is a gateway error', 'Operation timed out after 10s | timeout | true', (w) =>
    w.later(SIGN, (r) => (r.status === 408 ? failed(504, 'Gateway timeout', 'timeout', true) : undefined)),
  ),
  way(
    'the old path of signing knows no routes',
    'Deprecated alias of the operation above with the same request, response and errors.',
    (w) =>
      w.ok('sign-alias', (body) => {
        delete body[ROUTED];
        delete body[NONCE];
      }),
  ),
  {
    name: 'signing is never too much',
    quote: 'The signing route counts against the chat turn limiter.',
    factories: (usual, hit) => ({
      createRoutes(deps) {
        const { limiter } = deps.sign;
        const take: typeof limiter.take = (callerId) => {
          try {
            return limiter.take(callerId);
          } catch {
            hit();
            return () => {};
          }
        };
        return usual.createRoutes({ ...deps, sign: { ...deps.sign, limiter: { ...limiter, take } } });
      },
    }),
  },
];

export const access: readonly Way[] = [
  way(
    'an API key is forbidden the daemon for another reason',
    'API keys get 403 with reason `personal_identity_required`.',
    (w) =>
      w.error(DAEMON, 403, (error) => {
        error.metadata = { ...error.metadata, reason: 'forbidden' };
      }),
  ),
  way('an API key reads a daemon', 'Only an OAuth-token caller (from the OIDC login) may read it.', (w) =>
    rescued(w, DAEMON, [403], (call) => (call.who === 'api_key' ? by(w, call, 'oauth_token') : undefined)),
  ),
  way('a daemon is given without its token', 'It carries an origin and a daemon token.', (w) =>
    w.ok(DAEMON, (body) => {
      for (const key of Object.keys(body)) if (/token/i.test(key)) delete body[key];
    }),
  ),
  way('the daemon of an intern is remembered', 'to one visible, running intern', (w) => {
    const known = new Map<string, Json>();
    return async (call, next) => {
      const response = await next();
      if (!DAEMON.split(' ').includes(call.op)) return response;
      const key = `${call.who} ${call.id}`;
      if (response.ok) {
        known.set(key, await bodyOf(response));
        return response;
      }
      const before = known.get(key);
      if (before === undefined || call.regional || [401, 403, 429].includes(response.status)) return response;
      w.hit();
      return Response.json(before, { headers: { 'cache-control': 'no-store' } });
    };
  }),
  way('the daemon of an intern at rest is null', 'to one visible, running intern', (w) =>
    w.later(DAEMON, async (r, { id, regional }) => {
      if (r.ok || regional || [401, 403, 429].includes(r.status)) return undefined;
      const { status } = await recordOf(w, id);
      return typeof status === 'string' && status !== 'running'
        ? Response.json({ origin: null, token: null }, { headers: { 'cache-control': 'no-store' } })
        : undefined;
    }),
  ),
  way('a daemon need only be checked again', 'The response carries `Cache-Control: no-store`.', (w) =>
    w.head(DAEMON, (headers, _, response) => {
      if (response.ok) headers.set('cache-control', 'no-cache');
    }),
  ),
  way(
    'the old path of daemon access is gone',
    'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    (w) => w.later('daemon-alias', (r) => (r.ok ? failed(410, 'This endpoint was removed', 'gone') : undefined)),
  ),
  way(
    'the record of an intern holds its daemon token',
    'Only an OAuth-token caller (from the OIDC login) may read it.',
    (w) => {
      const tokens = new Map<string, unknown>();
      const leak = w.ok('get', (body, { id }) => {
        if (tokens.has(id)) body.daemon_token = tokens.get(id);
      });
      return async (call, next) => {
        const response = await leak(call, next);
        if (!DAEMON.split(' ').includes(call.op) || !response.ok) return response;
        const token = Object.entries(await bodyOf(response)).find(([key]) => /token/i.test(key))?.[1];
        if (token !== undefined) tokens.set(call.id, token);
        return response;
      };
    },
  ),
  {
    name: 'a daemon takes the proof of a route again',
    quote: 'The intern accepts it once.',
    daemons: (w) => {
      const taken = new Map<string, Response>();
      return async (call, next) => {
        const response = await next();
        const name = [...call.request.headers.keys()].find((key) => key.endsWith('invoke-nonce'));
        const nonce = name && call.request.headers.get(name);
        if (!nonce) return response;
        const before = taken.get(nonce);
        if (response.ok) taken.set(nonce, response.clone());
        if (before === undefined || response.ok) return response;
        w.hit();
        return before.clone();
      };
    },
  },
];

export const mappings: readonly Way[] = [
  way('a mapping was created at a number', 'created_at | string, ISO 8601 UTC timestamp with milliseconds', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.created_at = Date.parse(String(data.created_at));
    }),
  ),
  way('a mapping was last updated at no time', 'updated_at | string, ISO 8601 UTC timestamp with milliseconds', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.updated_at = null;
    }),
  ),
  way('a mapping has the names of its code', 'scim_group_id | string, UUID | The SCIM group.', (w) =>
    w.ok('scim', (body) => {
      if (!isJson(body.data)) return;
      body.data = Object.fromEntries(
        Object.entries(body.data).map(([key, value]) => [
          key.replace(/_(.)/g, (_, c: string) => c.toUpperCase()),
          value,
        ]),
      );
    }),
  ),
  way('a mapping has no organization', 'organization_id | string | The owning organization.', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) delete data.organization_id;
    }),
  ),
  way('a mapping whose id is no UUID is a failure', '404 | Resource not found | Mapping unknown.', (w) =>
    w.later('scim', (r, { id }) =>
      r.status === 404 && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
        ? Response.json({ error: { code: 500, message: 'Internal Server Error' } }, { status: 500 })
        : undefined,
    ),
  ),
  way(
    'an unknown mapping has a reason',
    '`metadata` object is absent on the 401 error of the signing route and on all SCIM errors',
    (w) =>
      w.error('scim', 404, (error) => {
        error.metadata = { reason: 'not_found', retryable: false };
      }),
  ),
  way('an unknown mapping is called so', '404 | Resource not found | Mapping unknown.', (w) =>
    w.error('scim', 404, (error) => {
      error.message = 'Group mapping not found';
    }),
  ),
];
