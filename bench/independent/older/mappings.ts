import type { Json } from '../../../emulator/wire/json.js';
import { as, error, key, type Older, on, reply } from './wire.js';

export const mappings: Older = {
  'scim-no-zero-ms': {
    quote: 'ISO 8601 UTC with milliseconds',
    wrong: on('scim', async ({ request, next, w }) => {
      const r = await next(request);
      return r.ok
        ? reply(r, (j) => {
            const d = j.data as Json;
            for (const k of ['created_at', 'updated_at']) {
              const t = String(d[k]);
              if (t.endsWith('.000Z')) {
                w.hit(0);
                d[k] = t.replace('.000', '');
              }
            }
          })
        : r;
    }),
  },
  'scim-updated-offset': {
    quote: 'ISO 8601 UTC',
    wrong: on('scim', async ({ request, next, w }) => {
      const r = await next(request);
      return r.ok
        ? reply(r, (j) => {
            const d = j.data as Json;
            w.hit(0);
            d.updated_at = String(d.updated_at).replace('Z', '+00:00');
          })
        : r;
    }),
  },
  'scim-by-api-key': {
    quote: 'Requires a management key',
    wrong: on('scim', async ({ request, next, w, token }) =>
      token === key(w, 'api_key') ? w.hit(next(as(request, key(w, 'management_key')))) : next(request),
    ),
  },
  'scim-by-oauth': {
    quote: 'Requires a management key',
    wrong: on('scim', async ({ request, next, w, token }) =>
      token === key(w, 'oauth_token') ? w.hit(next(as(request, key(w, 'management_key')))) : next(request),
    ),
  },
  'scim-bad-id-400': {
    quote: 'Errors: 401, 404, 500',
    wrong: on('scim', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 404 && !/[0-9a-f-]{36}$/i.test(new URL(request.url).pathname)
        ? w.hit(error(400, 'Invalid id'))
        : r;
    }),
  },
  'scim-404-metadata': {
    quote: 'metadata absent on all SCIM errors',
    wrong: on('scim', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 404 ? w.hit(error(404, 'Resource not found', 'not_found')) : r;
    }),
  },
  'scim-401-message': {
    quote: 'Missing Authentication header',
    wrong: on('scim', async ({ request, next, w }) => {
      const r = await next(request);
      return r.status === 401 && !request.headers.has('authorization')
        ? w.hit(error(401, 'Invalid or missing API key'))
        : r;
    }),
  },
  'scim-no-key-unknown-404': {
    quote: '401 no credential',
    wrong: on('scim', async ({ request, next, w }) => {
      const r = await next(request.clone());
      if (r.status !== 401) return r;
      return (await next(as(request, key(w, 'management_key')))).status === 404
        ? w.hit(error(404, 'Resource not found'))
        : r;
    }),
  },
  'scim-other-id': {
    quote: 'id: identifier of the mapping',
    wrong: on('scim', async ({ request, next, w }) => {
      const r = await next(request);
      return r.ok
        ? reply(r, (j) => {
            const d = j.data as Json;
            w.hit(0);
            d.id = d.scim_group_id;
          })
        : r;
    }),
  },
};
