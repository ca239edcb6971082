import { failed } from '../answers.js';
import { type Call, isJson, type Json } from '../call.js';
import type { Answer, World } from '../world.js';
import { as, type Part } from './parts.js';

const mapping =
  (edit: (data: Json, call: Call) => unknown) =>
  (w: World): Answer =>
    w.ok('scim', (body, call) => isJson(body.data) && edit(body.data, call));

export const mappings: Part = {
  'scim-bare': {
    quote: 'Response: JSON object `{ data: <SCIM group mapping> }`',
    wrong: (w) =>
      w.ok('scim', (body) => {
        if (!isJson(body.data)) return;
        Object.assign(body, body.data);
        delete body.data;
      }),
  },
  'scim-microseconds': {
    quote: 'created_at | string, ISO 8601 UTC timestamp with milliseconds',
    wrong: mapping((data) => {
      data.created_at = String(data.created_at).replace(/Z$/, '000Z');
    }),
  },
  'scim-times-with-space': {
    quote: 'updated_at | string, ISO 8601 UTC timestamp with milliseconds',
    wrong: mapping((data) => {
      data.updated_at = String(data.updated_at).replace('T', ' ');
    }),
  },
  'scim-updated-before-created': {
    quote: 'created_at | string, ISO 8601 UTC timestamp with milliseconds | Creation time.',
    wrong: mapping((data) => {
      [data.created_at, data.updated_at] = [data.updated_at, data.created_at];
    }),
  },
  'scim-role-as-object': {
    quote: 'role | string | Role granted through the mapping.',
    wrong: mapping((data) => {
      data.role = { name: data.role };
    }),
  },
  'scim-no-organization': {
    quote: 'organization_id | string | The owning organization.',
    wrong: mapping((data) => {
      delete data.organization_id;
    }),
  },
  'scim-group-without-dashes': {
    quote: 'scim_group_id | string, UUID | The SCIM group.',
    wrong: mapping((data) => {
      data.scim_group_id = String(data.scim_group_id).replaceAll('-', '');
    }),
  },
  'scim-unknown-null': {
    quote: '404 | Resource not found | Mapping unknown.',
    wrong: (w) => w.later('scim', (response) => (response.status === 404 ? Response.json({ data: null }) : undefined)),
  },
  'scim-unknown-last': {
    quote: '404 | Resource not found | Mapping unknown.',
    // An unknown mapping is answered with the last one read.
    wrong: (w) => {
      let last: string | undefined;
      return w.later('scim', async (response) => {
        if (response.ok) last = await response.clone().text();
        return response.status === 404 && last !== undefined
          ? new Response(last, { status: 200, headers: { 'content-type': 'application/json' } })
          : undefined;
      });
    },
  },
  'scim-404-message': {
    quote: '404 | Resource not found | Mapping unknown.',
    wrong: (w) =>
      w.error('scim', 404, (error) => {
        error.message = 'Mapping not found';
      }),
  },
  'scim-401-metadata': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (w) =>
      w.error('scim', 401, (error) => {
        error.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
  'scim-invalid-key-403': {
    quote: 'A missing or invalid key gives 401.',
    wrong: (w) =>
      w.later('scim', (response, { who }) =>
        response.status === 401 && who !== 'none' ? failed(403, 'Forbidden') : undefined,
      ),
  },
  'scim-key-without-scheme': {
    quote: 'Requires a management key as bearer token.',
    wrong: (w) =>
      w.asked('scim', (call) =>
        call.request.headers.get('authorization') === w.credentials.management_key
          ? as(call, w.credentials.management_key)
          : undefined,
      ),
  },
  'scim-by-own-key': {
    quote: 'Requires a management key as bearer token.',
    // A key of an intern passes, for it belongs to the organization.
    wrong: (w) =>
      w.asked('scim', (call) => (call.who === 'own_key' ? as(call, w.credentials.management_key) : undefined)),
  },
};
