import { failed } from '../answers.js';
import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';

const of = (body: Json): Json => (isJson(body.data) ? body.data : {});
const TIME = 'string, ISO 8601 UTC timestamp with milliseconds';

export const mappings: readonly Way[] = [
  {
    name: 'mapping-unwrapped',
    quote: 'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.',
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        const data = of(body);
        delete body.data;
        Object.assign(body, data);
      }),
  },
  {
    name: 'mapping-created-in-seconds',
    quote: TIME,
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        of(body).created_at = Math.floor(Date.parse(String(of(body).created_at)) / 1000);
      }),
  },
  {
    name: 'mapping-times-in-microseconds',
    quote: TIME,
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        const data = of(body);
        data.updated_at = String(data.updated_at).replace(/\.(\d{3})Z$/, '.$1000Z');
      }),
  },
  {
    name: 'mapping-ids-swapped',
    quote: 'workspace_id | string, UUID | The mapped workspace.',
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        const data = of(body);
        [data.workspace_id, data.scim_group_id] = [data.scim_group_id, data.workspace_id];
      }),
  },
  {
    name: 'mapping-organization-null',
    quote: 'organization_id | string | The owning organization.',
    wrong: ({ ok }) =>
      ok('scim', (body) => {
        of(body).organization_id = null;
      }),
  },
  {
    name: 'mapping-bad-key-403',
    quote: 'A missing or invalid key gives 401.',
    wrong: ({ later }) =>
      later('scim', ({ status }, { who }) =>
        status === 401 && who === 'unknown' ? failed(403, 'Forbidden') : undefined,
      ),
  },
  {
    name: 'mapping-404-named',
    quote: '404 | Resource not found | Mapping unknown.',
    wrong: ({ error }) =>
      error('scim', 404, (said) => {
        said.message = 'SCIM group mapping not found';
      }),
  },
  {
    name: 'mapping-401-with-metadata',
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: ({ error }) =>
      error('scim', 401, (said) => {
        said.metadata = { reason: 'unauthorized', retryable: false };
      }),
  },
  {
    name: 'mapping-unknown-gets-the-last',
    quote: '404 | Resource not found | Mapping unknown.',
    wrong: ({ hit }) => {
      let last: Response | undefined;
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'scim') return response;
        if (response.ok) last = response.clone();
        if (response.status !== 404 || call.who !== 'management_key' || last === undefined) return response;
        hit();
        return last.clone();
      };
    },
  },
];
