import { failed } from '../answers.js';
import { isJson } from '../call.js';
import type { Way } from '../world.js';
import { withJson } from './helpers.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ERRORS = 'Errors: 401, 404, 500.';
const TIMES = ['created_at', 'updated_at'];

export const scim: readonly Way[] = [
  {
    // It is known who that is, just not allowed.
    name: 'the key of a workspace is refused a mapping with 403',
    quote: ERRORS,
    wrong: (world) =>
      world.later('scim', ({ status }, { who }) =>
        status === 401 && who !== 'none' && who !== 'unknown' ? failed(403, 'Forbidden') : undefined,
      ),
  },
  {
    // The layout of a language's library drops the zeros at the end of a fraction.
    name: 'the times of a mapping have no zeros at the end of their milliseconds',
    quote: 'string, ISO 8601 UTC timestamp with milliseconds',
    wrong: (world) =>
      world.ok('scim', ({ data }) => {
        if (!isJson(data)) return;
        for (const field of TIMES) data[field] = String(data[field]).replace(/\.?0+Z$/, 'Z');
      }),
  },
  {
    // Every access touches the row.
    name: 'reading a mapping is its last update',
    quote: 'Last update time.',
    wrong: (world) => {
      const touched = new Map<string, string>();
      return world.ok('scim', ({ data }, { id }) => {
        if (!isJson(data)) return;
        const before = touched.get(id);
        touched.set(id, new Date(world.setting.host.now()).toISOString());
        if (before !== undefined) data.updated_at = before;
      });
    },
  },
  {
    // Mappings are looked up by their id alone.
    name: 'a management key reads the mappings of other organizations',
    quote: '| 404 | Resource not found | Mapping unknown. |',
    wrong: (world) =>
      world.later('scim', async ({ status }, { id, who }) => {
        if (status !== 404) return undefined;
        const as = who === 'management_key' ? 'foreign_management_key' : 'management_key';
        const found = await world.ask('GET', `/scim/group-mappings/${id}`, { as });
        return found.ok ? found : undefined;
      }),
  },
  {
    // The database refuses to compare it with a UUID.
    name: 'an id that is no UUID fails with 500',
    quote: '| 404 | Resource not found | Mapping unknown. |',
    wrong: (world) =>
      world.later('scim', ({ status }, { id }) =>
        status === 404 && !UUID.test(id) ? failed(500, 'Internal Server Error') : undefined,
      ),
  },
  {
    // A serializer that leaves nothing out.
    name: 'errors of the directory have a metadata of null',
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (world) =>
      world.later('scim', async (response) => {
        if (response.ok) return undefined;
        const { error } = (await response.clone().json()) as { error: object };
        return withJson(response, { error: { ...error, metadata: null } });
      }),
  },
];
