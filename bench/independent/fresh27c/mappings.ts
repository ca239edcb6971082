import { failed } from '../answers.js';
import { isJson, type Json, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf } from './tools.js';

const OBJECT =
  'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.';
const dataOf = (body: Json): Json => (isJson(body.data) ? body.data : {});

export const mappings: readonly Way[] = [
  // plain
  {
    name: 'mapping-unwrapped',
    quote: OBJECT,
    wrong: (w) =>
      w.ok('scim', (body) => {
        Object.assign(body, dataOf(body));
        delete body.data;
      }),
  },
  // plain
  {
    name: 'mapping-without-role',
    quote: OBJECT,
    wrong: (w) =>
      w.ok('scim', (body) => {
        delete dataOf(body).role;
      }),
  },
  // plain
  {
    name: 'mapping-changed-before-made',
    quote: '| created_at | string, ISO 8601 UTC timestamp with milliseconds | Creation time. |',
    wrong: (w) =>
      w.ok('scim', (body) => {
        const data = dataOf(body);
        [data.created_at, data.updated_at] = [data.updated_at, data.created_at];
      }),
  },
  // subtle
  {
    name: 'mapping-in-microseconds',
    quote: 'ISO 8601 UTC timestamp with milliseconds',
    wrong: (w) =>
      w.ok('scim', (body) => {
        const data = dataOf(body);
        data.created_at = String(data.created_at).replace(/Z$/, '000Z');
      }),
  },
  // plain
  {
    name: 'mapping-by-unknown-key-403',
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('scim', (response, { who }) =>
        response.status === 401 && who !== 'none' ? failed(403, 'Forbidden') : undefined,
      ),
  },
  // plain
  {
    name: 'mapping-unknown-null',
    quote: '| 404 | Resource not found | Mapping unknown. |',
    wrong: (w) => w.later('scim', (response) => (response.status === 404 ? Response.json({ data: null }) : undefined)),
  },
  // subtle
  {
    name: 'mapping-found-by-its-group',
    quote: 'Path parameter `id`: identifier of the mapping.',
    wrong: (w) => {
      const { scim_group_id, scim_mapping_id } = w.target;
      return async (call, next) => {
        if (call.op !== 'scim' || call.id !== scim_group_id || call.who !== 'management_key') return next();
        const url = new URL(call.url);
        url.pathname = url.pathname.replace(call.id, scim_mapping_id ?? '');
        const response = await next(withHeaders(call, {}, url));
        if (response.ok) w.hit();
        return response;
      };
    },
  },
  // subtle
  {
    name: 'mapping-cached-for-the-keyless',
    quote: 'Requires a management key as bearer token.',
    wrong: (w) => {
      const kept = new Map<string, unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'scim') return response;
        if (response.ok) kept.set(call.id, await bodyOf(response));
        if (response.status !== 401 || !kept.has(call.id)) return response;
        w.hit();
        return Response.json(kept.get(call.id));
      };
    },
  },
];
