import { failed } from '../answers.js';
import { type Call, isJson, type Json, withBody } from '../call.js';
import { about, as, bytes, CAP, HEADER, isVisible, OTHER_ID, type Part, typed, typeOf } from './parts.js';

const SIGN = 'sign sign-alias';
const isPerson = (who: string) => who === 'oauth_token' || who === 'peer_oauth_token';
const digestOf = ({ body }: Call) => body.bodySha256;
const routeOf = ({ body }: Call): Json | undefined => (isJson(body.route) ? body.route : undefined);

export const signing: Part = {
  'sign-timestamp-ms': {
    quote: 'x-svc-invoke-timestamp | string, Unix seconds | always | Time of signing.',
    wrong: (w) =>
      w.ok(SIGN, (body) => {
        const at = body[`${HEADER}timestamp`];
        if (typeof at === 'string') body[`${HEADER}timestamp`] = `${at}000`;
      }),
  },
  'sign-timestamp-minute-behind': {
    quote: 'Time of signing.',
    wrong: (w) =>
      w.ok('sign', (body) => {
        const at = Number(body[`${HEADER}timestamp`]);
        body[`${HEADER}timestamp`] = String(at - (at % 60));
      }),
  },
  'sign-names-in-capitals': {
    quote: 'whose keys are the header names that the terminal client copies onto the daemon request.',
    wrong: (w) =>
      w.ok(SIGN, (body) => {
        for (const [name, value] of Object.entries(body)) {
          delete body[name];
          body[name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())] = value;
        }
      }),
  },
  'sign-in-data': {
    quote: 'The response is a JSON object whose keys are the header names',
    wrong: (w) =>
      w.ok('sign-alias', (body) => {
        const data = { ...body };
        for (const name of Object.keys(body)) delete body[name];
        body.data = data;
      }),
  },
  'sign-names-the-intern': {
    quote: 'whose keys are the header names that the terminal client copies onto the daemon request.',
    // A key beside them is no header.
    wrong: (w) =>
      w.ok('sign', (body, { id }) => {
        body.intern_id = id;
      }),
  },
  'sign-v2-takes-v1-place': {
    quote: 'Ed25519 signature over the intern id, timestamp, user and body digest.',
    // With a route, both signatures are the second.
    wrong: (w) =>
      w.ok('sign', (body) => {
        const v2 = body[`${HEADER}signature-v2`];
        if (v2 !== undefined) body[`${HEADER}signature`] = v2;
      }),
  },
  'sign-v2-once-a-route': {
    quote: 'When present, the response also carries the v2 signature and the nonce.',
    wrong: (w) => {
      const given = new Set<string>();
      return w.ok('sign', (body, call) => {
        const route = `${call.who} ${call.id} ${JSON.stringify(call.body.route)}`;
        if (!(`${HEADER}nonce` in body)) return;
        if (given.has(route)) {
          delete body[`${HEADER}nonce`];
          delete body[`${HEADER}signature-v2`];
        }
        given.add(route);
      });
    },
  },
  'sign-v2-without-nonce': {
    quote: 'x-svc-invoke-nonce | string | present together with the v2 signature',
    wrong: (w) =>
      w.ok('sign', (body) => {
        delete body[`${HEADER}nonce`];
      }),
  },
  'sign-null-v2': {
    quote: 'only when the request named a route',
    wrong: (w) =>
      w.ok(SIGN, (body) => {
        body[`${HEADER}nonce`] ??= null;
        body[`${HEADER}signature-v2`] ??= null;
      }),
  },
  'sign-nonce-of-the-other': {
    quote: 'The single-use id to which the v2 proof is bound.',
    wrong: (w) => {
      let last: unknown;
      return w.ok('sign', (body) => {
        const nonce = body[`${HEADER}nonce`];
        if (nonce !== undefined && last !== undefined) body[`${HEADER}nonce`] = last;
        last = nonce;
      });
    },
  },
  'sign-lines-of-Base64': {
    quote: 'Signatures are Ed25519, Base64 encoded.',
    // The lines are those of MIME.
    wrong: (w) =>
      w.ok(SIGN, (body) => {
        const name = `${HEADER}signature`;
        if (typeof body[name] === 'string') body[name] = body[name].replace(/.{76}/, '$&\n');
      }),
  },
  'sign-for-the-intern-before': {
    quote: 'Ed25519 signature over the intern id, timestamp, user and body digest.',
    // A worker keeps the intern of its last caller.
    wrong: (w) => {
      const last = new Map<string, string>();
      return async (call, next) => {
        if (call.op !== 'sign' || !isPerson(call.who)) return next();
        const before = last.get(call.who);
        const response = await next();
        if (!response.ok) return response;
        last.set(call.who, call.id);
        if (before === undefined || before === call.id) return response;
        const other = await next(about(call, before));
        if (other.ok) w.hit();
        return other.ok ? other : response;
      };
    },
  },
  'sign-for-the-user-before': {
    quote: 'The verified OAuth subject that the proof names.',
    // The first person to sign for an intern stays its user.
    wrong: (w) => {
      const first = new Map<string, string>();
      return async (call, next) => {
        if (call.op !== 'sign' || !isPerson(call.who)) return next();
        const who = first.get(call.id) ?? call.who;
        first.set(call.id, who);
        if (who === call.who) return next();
        w.hit();
        return next(as(call, w.credentials[who]));
      };
    },
  },
  'sign-user-from-query': {
    quote: 'It is never taken from the request.',
    wrong: (w) =>
      w.ok(SIGN, (body, { url }) => {
        const user = url.searchParams.get('user');
        if (user !== null) body[`${HEADER}user`] = user;
      }),
  },
  'sign-api-key-401': {
    quote: 'An API key is refused with 403, because it names no person.',
    wrong: (w) =>
      w.later('sign', (response, { who }) =>
        response.status === 403 && who === 'api_key' ? failed(401, 'Invalid or missing API key') : undefined,
      ),
  },
  'sign-own-key-404': {
    quote: 'An API key is refused with 403, because it names no person.',
    wrong: (w) =>
      w.later(SIGN, (response, { who }) =>
        response.status === 403 && who === 'own_key' ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  'sign-alias-for-keys': {
    quote: 'Deprecated alias of the operation above with the same request, response and errors.',
    wrong: (w) =>
      w.asked('sign-alias', (call) => (call.who === 'api_key' ? as(call, w.credentials.oauth_token) : undefined)),
  },
  'sign-interns-only-with-route': {
    quote: 'An interns-only grant is refused with 403, because a proof releases that user',
    wrong: (w) =>
      w.asked('sign', (call) =>
        call.who === 'oauth_interns_only_token' && routeOf(call) !== undefined
          ? as(call, w.credentials.oauth_token)
          : undefined,
      ),
  },
  'sign-403-message-of-scope': {
    quote: '403 | Personal connections require the OIDC login | personal_identity_required | false',
    wrong: (w) =>
      w.error('sign', 403, (error, { who }) => {
        if (who === 'oauth_interns_only_token') error.message = 'The grant lacks vault:read';
      }),
  },
  'sign-429-message': {
    quote: '429 | Too many intern turns | rate_limited | true',
    wrong: (w) =>
      w.error(SIGN, 429, (error) => {
        error.message = 'Too many requests';
      }),
  },
  'sign-empty-415': {
    quote: '400 | Invalid request body | invalid_body | false | Body invalid.',
    wrong: (w) =>
      w.later(SIGN, (response, call) =>
        response.status === 400 && call.text === '' && typeOf(call).startsWith('application/json')
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  'sign-broken-json-500': {
    quote: '400 | Invalid request body | invalid_body | false | Body invalid.',
    wrong: (w) =>
      w.later('sign', (response, { text }) => {
        if (response.status !== 400 || text === '') return undefined;
        try {
          JSON.parse(text);
          return undefined;
        } catch {
          return failed(500, 'The request could not be completed', 'internal_error', true);
        }
      }),
  },
  'sign-400-tells-the-field': {
    quote: '400 | Invalid request body | invalid_body | false',
    wrong: (w) =>
      w.error('sign', 400, (error, call) => {
        if ('bodySha256' in call.body) error.message = 'bodySha256 must match ^[0-9a-f]{64}$';
      }),
  },
  'sign-without-digest': {
    quote: 'bodySha256 | string | yes',
    // The digest of an empty body is taken.
    wrong: (w) =>
      w.asked(SIGN, (call) =>
        call.text.trim().startsWith('{') && digestOf(call) === undefined
          ? { ...call.body, bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }
          : undefined,
      ),
  },
  'sign-digest-in-array': {
    quote: 'bodySha256 | string | yes',
    // The pattern is tested on the text of the value.
    wrong: (w) =>
      w.asked('sign', (call) => {
        const digest = digestOf(call);
        return Array.isArray(digest) && digest.length === 1 && /^[0-9a-f]{64}$/.test(String(digest[0]))
          ? { ...call.body, bodySha256: String(digest[0]) }
          : undefined;
      }),
  },
  'sign-digest-any-letters': {
    quote: 'Must match `^[0-9a-f]{64}$`.',
    wrong: (w) =>
      w.asked('sign', (call) => {
        const digest = digestOf(call);
        return typeof digest === 'string' && /^[0-9a-z]{64}$/.test(digest) && /[g-z]/.test(digest)
          ? { ...call.body, bodySha256: digest.replace(/[g-z]/g, '0') }
          : undefined;
      }),
  },
  'sign-digest-on-a-line': {
    quote: 'Must match `^[0-9a-f]{64}$`.',
    // The pattern holds of any line.
    wrong: (w) =>
      w.asked(SIGN, (call) => {
        const digest = digestOf(call);
        if (typeof digest !== 'string' || !/\n./.test(digest)) return undefined;
        const line = digest.split('\n').find((one) => /^[0-9a-f]{64}$/.test(one));
        return line === undefined ? undefined : { ...call.body, bodySha256: line };
      }),
  },
  'sign-digest-63': {
    quote: 'bodySha256 length | exactly 64 lower-case hex characters',
    wrong: (w) =>
      w.asked('sign', (call) => {
        const digest = digestOf(call);
        return typeof digest === 'string' && /^[0-9a-f]{63}$/.test(digest)
          ? { ...call.body, bodySha256: `0${digest}` }
          : undefined;
      }),
  },
  'sign-charset-415': {
    quote: 'Header `Content-Type: application/json`.',
    wrong: (w) =>
      w.later(SIGN, (response, call) =>
        response.ok && /;/.test(typeOf(call))
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  'sign-any-application-type': {
    quote: '415 | Request body must be sent as application/json',
    wrong: (w) =>
      w.asked('sign', (call) =>
        typeOf(call).startsWith('application/') && !/^application\/json/i.test(typeOf(call)) ? typed(call) : undefined,
      ),
  },
  'sign-one-byte-over': {
    quote: '413 | Request body exceeds 1048576 bytes | payload_too_large | false | Body above the cap.',
    wrong: (w) =>
      w.asked('sign', (call) =>
        bytes(call.text) === CAP + 1 && digestOf(call) !== undefined ? withBody(call, call.body) : undefined,
      ),
  },
  'sign-cap-of-characters': {
    quote: '413 | Request body exceeds 1048576 bytes | payload_too_large | false | Body above the cap.',
    wrong: (w) =>
      w.later('sign', (response, { text }) =>
        response.status === 413 && text.length <= CAP ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  'sign-413-retryable': {
    quote: '413 | Request body exceeds 1048576 bytes | payload_too_large | false',
    wrong: (w) =>
      w.error('sign', 413, (error) => {
        if (error.metadata) error.metadata.retryable = true;
      }),
  },
  'sign-415-reason': {
    quote: '415 | Request body must be sent as application/json | unsupported_media_type | false',
    wrong: (w) =>
      w.error(SIGN, 415, (error) => {
        if (error.metadata) error.metadata.reason = 'invalid_media_type';
      }),
  },
  'sign-401-metadata': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route',
    wrong: (w) =>
      w.error('sign', 401, (error) => {
        error.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
  'sign-404-retryable': {
    quote: '404 | Intern not found | not_found | false',
    // An intern that may yet come is worth another try.
    wrong: (w) =>
      w.error(SIGN, 404, (error) => {
        if (error.metadata) error.metadata.retryable = true;
      }),
  },
  'sign-invisible-403': {
    quote: '404 | Intern not found | not_found | false | Intern unknown or not visible.',
    wrong: (w) =>
      w.later('sign', async (response, { id, who }) =>
        response.status === 404 && isPerson(who) && (await isVisible(w, id, 'foreign_api_key'))
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  'sign-unknown-intern-signed': {
    quote: 'identifier of an intern visible to the caller.',
    // The signature needs no intern, so none is looked up.
    wrong: (w) => async (call, next) => {
      const response = await next();
      const own = w.target.credentials.intern?.id;
      if (call.op !== 'sign' || response.status !== 404 || !isPerson(call.who) || own === undefined) return response;
      const other = await next(about(call, own));
      if (other.ok) w.hit();
      return other.ok ? other : response;
    },
  },
  'sign-alias-cacheable': {
    quote: 'The response carries `Cache-Control: no-store`.',
    wrong: (w) =>
      w.head('sign-alias', (headers, _, response) => {
        if (response.ok) headers.set('cache-control', 'no-cache');
      }),
  },
  'sign-method-is-post': {
    quote: 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.',
    wrong: (w) =>
      w.asked('sign', (call) => {
        const route = routeOf(call);
        return typeof route?.method === 'string' && route.method !== 'POST'
          ? { ...call.body, route: { ...route, method: 'POST' } }
          : undefined;
      }),
  },
  'sign-path-slashes-merged': {
    quote: 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.',
    wrong: (w) =>
      w.asked(SIGN, (call) => {
        const route = routeOf(call);
        return typeof route?.path === 'string' && /\/\//.test(route.path)
          ? { ...call.body, route: { ...route, path: route.path.replace(/\/{2,}/g, '/') } }
          : undefined;
      }),
  },
  'sign-path-in-lower-case': {
    quote: 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.',
    wrong: (w) =>
      w.asked('sign', (call) => {
        const route = routeOf(call);
        return typeof route?.path === 'string' && /[A-Z]/.test(route.path.replace(/%../g, ''))
          ? { ...call.body, route: { ...route, path: route.path.toLowerCase() } }
          : undefined;
      }),
  },
  'sign-other-digest-with-route': {
    quote: 'method, path and body digest.',
    // A request that has no body by its method is signed with the digest of an empty one.
    wrong: (w) =>
      w.asked(SIGN, (call) => {
        const route = routeOf(call);
        const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
        return ['GET', 'DELETE'].includes(String(route?.method)) && /^[0-9a-f]{64}$/.test(String(digestOf(call)))
          ? digestOf(call) === empty
            ? undefined
            : { ...call.body, bodySha256: empty }
          : undefined;
      }),
  },
  'sign-same-nonce': {
    quote: 'The single-use id to which the v2 proof is bound.',
    wrong: (w) =>
      w.ok('sign-alias', (body) => {
        if (`${HEADER}nonce` in body) body[`${HEADER}nonce`] = OTHER_ID;
      }),
  },
};
