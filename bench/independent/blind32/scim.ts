import { failed } from '../answers.js';
import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';
import { way } from './helpers.js';

const CREATED = 'created_at: string, ISO 8601 UTC timestamp with milliseconds';
const UPDATED = 'updated_at: string, ISO 8601 UTC timestamp with milliseconds: Last update time.';
const DATA = 'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.';
const UNKNOWN = '404: Resource not found: Mapping unknown.';

const mappingIn = (body: Json): Json => (isJson(body.data) ? body.data : {});

export const scim: readonly Way[] = [
  way('scim-time-without-zero-milliseconds', CREATED, (w) =>
    w.ok('scim', (body) => {
      const mapping = mappingIn(body);
      mapping.created_at = String(mapping.created_at).replace('.000Z', 'Z');
    }),
  ),
  way('scim-read-touches', UPDATED, (w) => {
    const read = new Set<string>();
    return w.ok('scim', (body, { id }) => {
      if (read.has(id)) mappingIn(body).updated_at = new Date(w.setting.host.now()).toISOString();
      read.add(id);
    });
  }),
  way('scim-ids-swapped', DATA, (w) =>
    w.ok('scim', (body) => {
      const mapping = mappingIn(body);
      const { scim_group_id, workspace_id } = mapping;
      Object.assign(mapping, { scim_group_id: workspace_id, workspace_id: scim_group_id });
    }),
  ),
  way('scim-id-as-asked', 'id: string, UUID: Identifier of the mapping.', (w) =>
    w.ok('scim', (body, { id }) => {
      mappingIn(body).id = id;
    }),
  ),
  way('scim-bare-the-second-time', DATA, (w) => {
    const read = new Set<string>();
    return w.later('scim', async (response, { id }) => {
      if (!response.ok) return undefined;
      if (!read.has(id)) {
        read.add(id);
        return undefined;
      }
      return Response.json(mappingIn((await response.clone().json()) as Json));
    });
  }),
  way('scim-malformed-id-is-400', UNKNOWN, (w) =>
    w.later('scim', (response, { id }) =>
      response.status === 404 && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
        ? failed(400, 'Invalid id')
        : undefined,
    ),
  ),
  way('scim-401-of-the-interns', '`Missing Authentication header` on the SCIM route.', (w) =>
    w.error('scim', 401, (error, { who }) => {
      if (who === 'none') error.message = 'Invalid or missing API key';
    }),
  ),
];
