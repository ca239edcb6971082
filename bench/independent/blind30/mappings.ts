import { failed } from '../answers.js';
import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';
import { admits, way } from './helpers.js';

const DATA = 'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.';
const CREATED = 'created_at | string, ISO 8601 UTC timestamp with milliseconds';
const UPDATED = 'updated_at | string, ISO 8601 UTC timestamp with milliseconds | Last update time.';
const ROLE = 'role | string | Role granted through the mapping.';
const MANAGEMENT = 'Requires a management key as bearer token.';
const MISSING = '401 | Missing Authentication header | No credential.';
const UNKNOWN = '404 | Resource not found | Mapping unknown.';
const ERRORS = 'Errors: 401, 404, 500.';

const mappingOf = (body: Json): Json => (isJson(body.data) ? body.data : {});

export const mappings: readonly Way[] = [
  way('mapping-is-bare', DATA, (w) =>
    w.later('scim', async (r) => (r.ok ? Response.json(mappingOf((await r.json()) as Json)) : undefined)),
  ),
  way('whole-seconds-have-no-milliseconds', CREATED, (w) =>
    w.ok('scim', (body) => {
      const mapping = mappingOf(body);
      mapping.created_at = String(mapping.created_at).replace('.000Z', 'Z');
    }),
  ),
  way('reading-counts-as-an-update', UPDATED, (w) =>
    w.ok('scim', (body) => {
      mappingOf(body).updated_at = new Date(w.setting.host.now()).toISOString();
    }),
  ),
  way('role-is-lost', ROLE, (w) =>
    w.ok('scim', (body) => {
      delete mappingOf(body).role;
    }),
  ),
  way('api-key-reads-a-mapping', MANAGEMENT, (w) =>
    admits(w, 'scim', { as: 'management_key' }, ({ who }, { status }) => status === 401 && who === 'api_key'),
  ),
  way('missing-key-of-a-mapping-has-words-of-signing', MISSING, (w) =>
    w.error('scim', 401, (error, { who }) => {
      if (who === 'none') error.message = 'Invalid or missing API key';
    }),
  ),
  way('id-that-is-no-uuid-is-a-bad-request', ERRORS, (w) =>
    w.later('scim', (r, { id }) =>
      r.status === 404 && !/^[0-9a-f-]{36}$/.test(id) ? failed(400, 'Invalid id') : undefined,
    ),
  ),
  way('unknown-mapping-is-worded-by-what-it-is', UNKNOWN, (w) =>
    w.error('scim', 404, (error) => {
      error.message = 'Mapping not found';
    }),
  ),
];
