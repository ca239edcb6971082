import { failed } from '../answers.js';
import { isJson, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bearer } from './service.js';

const TIME = 'string, ISO 8601 UTC timestamp with milliseconds';

export const mappings: readonly Way[] = [
  {
    name: 'scim-whole-seconds-short',
    quote: `| created_at | ${TIME} | Creation time. |`,
    wrong: (w) =>
      w.ok('scim', ({ data }) => {
        if (!isJson(data)) return;
        for (const key of ['created_at', 'updated_at']) data[key] = String(data[key]).replace('.000Z', 'Z');
      }),
  },
  {
    name: 'scim-second-read-with-offset',
    quote: `| updated_at | ${TIME} | Last update time. |`,
    wrong: (w) => {
      const read = new Set<string>();
      return w.ok('scim', ({ data }, { id }) => {
        if (isJson(data) && read.has(id)) data.updated_at = String(data.updated_at).replace('Z', '+00:00');
        read.add(id);
      });
    },
  },
  {
    name: 'scim-unknown-key-with-metadata',
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (w) =>
      w.error('scim', 401, (error, { who }) => {
        if (who !== 'none') error.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
  {
    name: 'scim-of-another-organization',
    quote: '| 404 | Resource not found | Mapping unknown. |',
    wrong: (w) => (call, next) => {
      if (call.op !== 'scim' || call.who !== 'management_key' || call.id !== w.target.foreign_scim_mapping_id)
        return next();
      w.hit();
      return next(withHeaders(call, { authorization: bearer(w, 'foreign_management_key') }));
    },
  },
  {
    name: 'scim-id-no-uuid-400',
    quote: 'Errors: 401, 404, 500.',
    wrong: (w) =>
      w.later('scim', ({ status }, { id }) =>
        status === 404 && !/^[0-9a-f-]{36}$/i.test(id) ? failed(400, 'Invalid mapping id') : undefined,
      ),
  },
  {
    name: 'scim-read-by-oauth-token',
    quote: 'Requires a management key as bearer token.',
    wrong: (w) => (call, next) => {
      if (call.op !== 'scim' || call.who !== 'oauth_token') return next();
      w.hit();
      return next(withHeaders(call, { authorization: bearer(w, 'management_key') }));
    },
  },
  {
    name: 'scim-served-regionally',
    quote: 'Requests on regional hostnames are refused.',
    wrong: (w) => (call, next) => {
      if (call.op !== 'scim' || !call.regional) return next();
      w.hit();
      return next(withHeaders(call, { host: null }, new URL(call.url.pathname, w.baseUrl)));
    },
  },
];
