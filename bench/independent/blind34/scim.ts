import { failed } from '../answers.js';
import { as, jsonIn, SECOND, way } from '../blind32/helpers.js';
import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';
import { served } from './helpers.js';

const UNKNOWN = '| 404 | Resource not found | Mapping unknown. |';
const CREATED = '| created_at | string, ISO 8601 UTC timestamp with milliseconds | Creation time. |';
const UPDATED = '| updated_at | string, ISO 8601 UTC timestamp with milliseconds | Last update time. |';
const MANAGEMENT = 'Requires a management key as bearer token.';
const ANSWER =
  'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.';
const READS = 'One SCIM operation reads a group-to-workspace mapping.';

const known = ({ who }: { who: string }) => who === 'management_key';

export const scim: readonly Way[] = [
  way('scim-times-without-noughts-at-the-end', CREATED, (w) =>
    w.ok('scim', ({ data }) => {
      if (!isJson(data)) return;
      for (const field of ['created_at', 'updated_at'])
        data[field] = String(data[field])
          .replace(/(\.\d*?)0+Z$/, '$1Z')
          .replace('.Z', 'Z');
    }),
  ),
  way('scim-updated-by-a-read', UPDATED, (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.updated_at = new Date(w.setting.host.now()).toISOString();
    }),
  ),
  way('scim-unknown-is-nothing', UNKNOWN, (w) =>
    w.later('scim', ({ status }, call) => (status === 404 && known(call) ? Response.json({ data: null }) : undefined)),
  ),
  way('scim-malformed-id-fails', UNKNOWN, (w) =>
    w.later('scim', ({ status }, call) =>
      status === 404 && known(call) && !/^[0-9a-f-]{36}$/i.test(call.id)
        ? failed(500, 'Internal Server Error')
        : undefined,
    ),
  ),
  way('scim-swaps-group-and-workspace', ANSWER, (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) [data.scim_group_id, data.workspace_id] = [data.workspace_id, data.scim_group_id];
    }),
  ),
  way('scim-id-by-its-name', '| id | string, UUID | Identifier of the mapping. |', (w) =>
    w.ok('scim', ({ data }) => {
      if (isJson(data)) data.id = `urn:uuid:${String(data.id)}`;
    }),
  ),
  way(
    'scim-by-the-login',
    MANAGEMENT,
    (w) => (call, next) =>
      call.op === 'scim' && call.who === 'oauth_token'
        ? served(w, next, as(call, w.credentials.management_key ?? ''))
        : next(),
  ),
  way('scim-of-a-cache', READS, (w) => {
    const kept = new Map<string, { at: number; body: Json }>();
    return async (call, next) => {
      const response = await next();
      if (call.op !== 'scim' || !known(call)) return response;
      const at = w.setting.host.now();
      const body = await jsonIn(response);
      const before = kept.get(call.id);
      if (body && (!before || at - before.at >= 5 * SECOND)) kept.set(call.id, { at, body });
      if (!before || at - before.at >= 5 * SECOND || JSON.stringify(before.body) === JSON.stringify(body))
        return response;
      w.hit();
      return Response.json(before.body);
    };
  }),
];
