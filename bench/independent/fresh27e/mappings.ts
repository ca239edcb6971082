import { failed } from '../answers.js';
import { isJson, type Json } from '../call.js';
import { type Fresh, now } from './shared.js';

const FIELDS =
  'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.';
const TIME = '| created_at | string, ISO 8601 UTC timestamp with milliseconds | Creation time. |';
const UNKNOWN = '| 404 | Resource not found | Mapping unknown. |';
const dataOf = (body: Json): Json => (isJson(body.data) ? body.data : {});

export const mappings: Fresh = {
  'mapping-unwrapped': {
    quote: FIELDS,
    wrong: (w) =>
      w.ok('scim', (body) => {
        const data = dataOf(body);
        delete body.data;
        Object.assign(body, data);
      }),
  },
  'mapping-in-an-array': {
    quote: FIELDS,
    wrong: (w) =>
      w.ok('scim', (body) => {
        if (isJson(body.data)) body.data = [body.data];
      }),
  },
  'mapping-group-and-workspace-swapped': {
    quote: '| workspace_id | string, UUID | The mapped workspace. |',
    wrong: (w) =>
      w.ok('scim', (body) => {
        const data = dataOf(body);
        [data.workspace_id, data.scim_group_id] = [data.scim_group_id, data.workspace_id];
      }),
  },
  'mapping-without-organization': {
    quote: '| organization_id | string | The owning organization. |',
    wrong: (w) =>
      w.ok('scim', (body) => {
        dataOf(body).organization_id = null;
      }),
  },
  'mapping-created-at-each-read': {
    quote: TIME,
    wrong: (w) =>
      w.ok('scim', (body) => {
        const at = new Date(now(w)).toISOString();
        dataOf(body).created_at = at;
      }),
  },
  'mapping-times-in-microseconds': {
    quote: TIME,
    wrong: (w) =>
      w.ok('scim', (body) => {
        const data = dataOf(body);
        data.created_at = String(data.created_at).replace(/(\.\d{3})Z$/, '$1000Z');
        data.updated_at = String(data.updated_at).replace(/(\.\d{3})Z$/, '$1000Z');
      }),
  },
  'mapping-updated-null-when-never': {
    quote: '| updated_at | string, ISO 8601 UTC timestamp with milliseconds | Last update time. |',
    wrong: (w) =>
      w.ok('scim', (body) => {
        const data = dataOf(body);
        if (data.updated_at === data.created_at) data.updated_at = null;
      }),
  },
  'mapping-role-an-object': {
    quote: '| role | string | Role granted through the mapping. |',
    wrong: (w) =>
      w.ok('scim', (body) => {
        const data = dataOf(body);
        data.role = { name: data.role };
      }),
  },
  'mapping-unknown-worded-otherwise': {
    quote: UNKNOWN,
    wrong: (w) =>
      w.error('scim', 404, (error) => {
        error.message = 'Group mapping not found';
      }),
  },
  'mapping-unknown-null': {
    quote: UNKNOWN,
    wrong: (w) => w.later('scim', (response) => (response.status === 404 ? Response.json({ data: null }) : undefined)),
  },
  'mapping-unknown-key-403': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('scim', (response, { who }) =>
        response.status === 401 && who === 'unknown' ? failed(403, 'Forbidden') : undefined,
      ),
  },
  'mapping-no-key-with-metadata': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (w) =>
      w.error('scim', 401, (error) => {
        error.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
  'mapping-of-the-id-read-before': {
    quote: 'Path parameter `id`: identifier of the mapping.',
    wrong: (w) => {
      let last: string | undefined;
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'scim') return response;
        if (response.ok) last = await response.clone().text();
        if (response.status !== 404 || last === undefined) return response;
        w.hit();
        return new Response(last, { headers: { 'content-type': 'application/json' } });
      };
    },
  },
};
