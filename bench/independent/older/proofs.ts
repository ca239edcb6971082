import { rewritten } from '../../../emulator/wire/answer.js';
import type { Json } from '../../../emulator/wire/json.js';
import { error, jsonOf, key, type Older, on, reply, textOf, withHeaders } from './wire.js';

export const proofs: Older = {
  'sign-v2-base64url': {
    quote: 'Base64',
    wrong: on('sign', async ({ request, next, w }) =>
      reply(await next(request), (j) => {
        const k = 'x-ori-invoke-signature-v2';
        if (k in j) {
          const t = String(j[k]).replace(/\+/g, '-').replace(/\//g, '_');
          if (t !== j[k]) w.hit(0);
          j[k] = t;
        }
      }),
    ),
  },
  'sign-timestamp-number-v2': {
    quote: 'string, Unix seconds',
    wrong: on('sign', async ({ request, next, w }) =>
      reply(await next(request), (j) => {
        if ('x-ori-invoke-nonce' in j) {
          w.hit(0);
          j['x-ori-invoke-timestamp'] = Number(j['x-ori-invoke-timestamp']);
        }
      }),
    ),
  },
  'sign-alias-no-v2': {
    quote: 'alias: same response',
    wrong: on('sign-alias', async ({ request, next, w }) =>
      reply(await next(request), (j) => {
        if ('x-ori-invoke-nonce' in j) w.hit(0);
        delete j['x-ori-invoke-nonce'];
        delete j['x-ori-invoke-signature-v2'];
      }),
    ),
  },
  'sign-cacheable-with-route': {
    quote: 'The response carries Cache-Control: no-store',
    wrong: on('sign', async ({ request, next, w }) => {
      const j = await jsonOf(request);
      const r = await next(request);
      return r.ok && j?.route !== undefined ? w.hit(rewritten(r, { headers: (h) => h.delete('cache-control') })) : r;
    }),
  },
  'sign-alias-401-metadata': {
    quote: 'metadata absent on the 401 of the signing route',
    wrong: on('sign-alias', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 401 ? w.hit(error(401, 'Invalid or missing API key', 'unauthorized')) : r;
    }),
  },
  'sign-alias-401-message': {
    quote: 'Invalid or missing API key on the signing route',
    wrong: on('sign-alias', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 401 ? w.hit(error(401, 'Unauthorized')) : r;
    }),
  },
  'sign-403-retryable': {
    quote: '403 retryable false',
    wrong: on('sign', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 403
        ? w.hit(
            reply(r, (j) => {
              ((j.error as Json).metadata as Json).retryable = true;
            }),
          )
        : r;
    }),
  },
  'sign-alias-grant-message': {
    quote: '403 Personal connections require the OIDC login',
    wrong: on('sign-alias', async ({ request, next, w, token }) => {
      const r = await next(request);
      return r.status === 403 && token === key(w, 'oauth_interns_only_token')
        ? w.hit(
            reply(r, (j) => {
              ((j.error as Json).metadata as Json).reason = 'insufficient_scope';
            }),
          )
        : r;
    }),
  },
  'sign-user-from-header': {
    quote: 'It is never taken from the request',
    wrong: on(['sign', 'sign-alias'], async ({ request, next, w }) => {
      const u = request.headers.get('x-ori-invoke-user');
      return reply(await next(request), (j) => {
        if (u && 'x-ori-invoke-user' in j) {
          w.hit(0);
          j['x-ori-invoke-user'] = u;
        }
      });
    }),
  },
  'sign-user-from-body-alias': {
    quote: 'It is never taken from the request',
    wrong: on('sign-alias', async ({ request, next, w }) => {
      const b = await jsonOf(request);
      const u = b?.user ?? b?.['x-ori-invoke-user'] ?? b?.sub;
      return reply(await next(request), (j) => {
        if (typeof u === 'string' && 'x-ori-invoke-user' in j) {
          w.hit(0);
          j['x-ori-invoke-user'] = u;
        }
      });
    }),
  },
  'sign-no-type-ok': {
    quote: '415 wrong media type',
    wrong: on('sign', async ({ request, next, w }) => {
      const r = await next(request.clone());
      return r.status === 415 && !/^application\//.test(request.headers.get('content-type') ?? '')
        ? w.hit(next(withHeaders(request, (h) => h.set('content-type', 'application/json'))))
        : r;
    }),
  },
  'sign-413-message-alias': {
    quote: 'Request body exceeds 1048576 bytes',
    wrong: on('sign-alias', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 413 ? w.hit(error(413, 'Payload too large', 'payload_too_large')) : r;
    }),
  },
  'sign-404-metadata': {
    quote: '404 Intern not found not_found',
    wrong: on('sign', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 404 ? w.hit(error(404, 'Not found', 'not_found')) : r;
    }),
  },
  'sign-429-not-retryable': {
    quote: '429 retryable true',
    wrong: on('sign', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 429
        ? w.hit(
            reply(r, (j) => {
              ((j.error as Json).metadata as Json).retryable = false;
            }),
          )
        : r;
    }),
  },
  'sign-500-on-null-route': {
    quote: '400 Invalid request body',
    wrong: on('sign', async ({ request, next, w }) => {
      const r = await next(request.clone());
      const t = await textOf(request);
      return r.status === 400 && ['null', '[]', '""', '1', 'true', 'false'].includes(t.trim())
        ? w.hit(error(500, 'The request could not be completed', 'internal_error', true))
        : r;
    }),
  },
  'daemon-takes-other-route': {
    quote: 'v2 over … method, path',
    daemons: (next, w) => async (r) => {
      const a = await next(r);
      return a.status === 401 && /route_mismatch/.test(await a.clone().text()) ? w.hit(Response.json({ ok: true })) : a;
    },
  },
  'daemon-takes-other-body-v2': {
    quote: 'v2 over body digest',
    daemons: (next, w) => async (r) => {
      const v2 = [...r.headers.keys()].some((n) => n.endsWith('-v2'));
      const a = await next(r);
      return a.status === 401 && v2 && /digest_mismatch/.test(await a.clone().text())
        ? w.hit(Response.json({ ok: true }))
        : a;
    },
  },
  'daemon-takes-other-user': {
    quote: 'signature over user',
    daemons: (next, w) => async (r) => {
      const a = await next(r);
      return a.status === 401 && /user_mismatch/.test(await a.clone().text()) ? w.hit(Response.json({ ok: true })) : a;
    },
  },
  'daemon-takes-other-intern': {
    quote: 'signature over the intern id',
    daemons: (next, w) => async (r) => {
      const a = await next(r);
      return a.status === 401 && /wrong_intern/.test(await a.clone().text()) ? w.hit(Response.json({ ok: true })) : a;
    },
  },
  'daemon-refused-uses-nonce': {
    quote: 'The intern accepts it once',
    daemons: (next, w) => {
      const spent = new Set<string>();
      return async (r) => {
        const n = r.headers.get('x-ori-invoke-nonce') ?? '';
        if (n && spent.has(n)) return w.hit(error(401, 'Nonce reused', 'nonce_reused'));
        const a = await next(r);
        if (a.status === 401 && n) spent.add(n);
        return a;
      };
    },
  },
};
