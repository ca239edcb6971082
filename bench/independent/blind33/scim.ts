import { way } from '../blind32/helpers.js';
import { isJson, withHeaders } from '../call.js';
import type { Way } from '../world.js';

export const scim: readonly Way[] = [
  way(
    'scim-update-time-of-another-zone',
    '| updated_at | string, ISO 8601 UTC timestamp with milliseconds | Last update time. |',
    (w) =>
      w.ok('scim', ({ data }) => {
        if (!isJson(data)) return;
        const local = new Date(Date.parse(String(data.updated_at)) + 3_600_000).toISOString();
        data.updated_at = local.replace('Z', '+01:00');
      }),
  ),
  way('scim-404-names-the-mapping', '| 404 | Resource not found | Mapping unknown. |', (w) =>
    w.error('scim', 404, (error, { id }) => {
      error.message = `Group mapping ${id} not found`;
    }),
  ),
  way('scim-found-by-its-group', 'Path parameter `id`: identifier of the mapping.', (w) => async (call, next) => {
    const { scim_mapping_id, scim_group_id } = w.target;
    if (call.op !== 'scim' || call.who !== 'management_key' || call.id !== scim_group_id) return next();
    const url = new URL(call.url);
    url.pathname = url.pathname.replace(call.id, scim_mapping_id ?? '');
    w.hit();
    return next(withHeaders(call, {}, url));
  }),
];
