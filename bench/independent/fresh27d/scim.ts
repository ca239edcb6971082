import { failed } from '../answers.js';
import { isJson, type Json } from '../call.js';
import { type Area, by, edited, recordOf } from './form.js';

const STAMP = 'string, ISO 8601 UTC timestamp with milliseconds';
const mappingOf = (body: Json): Json => (isJson(body.data) ? body.data : {});

export const scim: Area = {
  'mapping-unwrapped': {
    quote: 'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.',
    wrong: ({ later }) =>
      later('scim', async (response) => (response.ok ? Response.json(mappingOf(await recordOf(response))) : undefined)),
  },
  'mapping-in-a-list': {
    quote: 'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.',
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        body.data = [body.data];
      }),
  },
  'mapping-made-at-six-digits': {
    quote: STAMP,
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        const mapping = mappingOf(body);
        mapping.created_at = String(mapping.created_at).replace(/(\.\d{3})Z$/, '$1000Z');
      }),
  },
  'mapping-times-in-local-form': {
    quote: STAMP,
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        const mapping = mappingOf(body);
        mapping.updated_at = String(mapping.updated_at).replace('T', ' ');
      }),
  },
  'mapping-updated-when-read': {
    quote: 'updated_at: Last update time.',
    wrong: (world) =>
      world.ok('scim', (body) => {
        mappingOf(body).updated_at = new Date(world.setting.host.now()).toISOString();
      }),
  },
  'mapping-ids-swapped': {
    quote: 'scim_group_id: The SCIM group. workspace_id: The mapped workspace.',
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        const mapping = mappingOf(body);
        [mapping.workspace_id, mapping.scim_group_id] = [mapping.scim_group_id, mapping.workspace_id];
      }),
  },
  'mapping-roles-listed': {
    quote: 'role: string: Role granted through the mapping.',
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        const mapping = mappingOf(body);
        mapping.role = [mapping.role];
      }),
  },
  'mapping-without-organization': {
    quote: 'organization_id: string: The owning organization.',
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        mappingOf(body).organization_id = null;
      }),
  },
  'mapping-unknown-empty': {
    quote: '404: Resource not found: Mapping unknown.',
    wrong: ({ later }) =>
      later('scim', (response) => (response.status === 404 ? Response.json({ data: null }) : undefined)),
  },
  'mapping-unknown-named-otherwise': {
    quote: '404: Resource not found: Mapping unknown.',
    wrong: ({ error }) =>
      error('scim', 404, (problem, { id }) => {
        problem.message = `Group mapping ${id} not found`;
      }),
  },
  'mapping-bad-key-403': {
    quote: 'A missing or invalid key gives 401.',
    wrong: ({ later }) =>
      later('scim', (response, { who }) =>
        response.status === 401 && who === 'unknown' ? failed(403, 'Forbidden') : undefined,
      ),
  },
  'mapping-401-metadata': {
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: ({ error }) =>
      error('scim', 401, (problem) => {
        problem.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
  'mapping-by-peer-key': {
    quote: 'Requires a management key as bearer token.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'scim' || !['peer_api_key', 'own_key', 'outsider_api_key'].includes(call.who)) return next();
      const response = await next(by(call, world, 'management_key'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'mapping-open-once-read': {
    quote: 'Requires a management key as bearer token.',
    wrong: (world) => {
      const read = new Map<string, unknown>();
      return world.later('scim', async (response, { id }) => {
        if (response.ok) read.set(id, await recordOf(response));
        return response.status === 401 && read.has(id) ? Response.json(read.get(id)) : undefined;
      });
    },
  },
  'mapping-code-as-text': {
    quote:
      'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.',
    wrong: ({ error }) =>
      error('scim', 404, (problem) => {
        problem.code = 'not_found';
      }),
  },
  'mapping-second-read-of-another': {
    quote: 'Path parameter `id`: identifier of the mapping.',
    wrong: (world) => {
      const first = new Map<string, number>();
      return world.later('scim', async (response, { id }) => {
        if (!response.ok) return undefined;
        first.set(id, (first.get(id) ?? 0) + 1);
        if ((first.get(id) ?? 0) < 3) return undefined;
        return edited(response, (body) => {
          const mapping = mappingOf(body);
          mapping.id = mapping.workspace_id;
        });
      });
    },
  },
};
