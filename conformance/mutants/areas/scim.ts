import type { Directory } from '../../../emulator/domain/directory.js';
import type { Json } from '../../../emulator/wire/json.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation } from '../mutant.js';
import {
  answers,
  body,
  errorReply,
  errors,
  field,
  jsonReply,
  NOTHING,
  status,
  withoutHeader,
} from '../operators/answers.js';
import { all, by, type MutantExchange, method } from '../operators/exchange.js';
import { wrap } from '../operators/parts.js';
import { asked, cutsLimit, instead, query, sends } from '../operators/requests.js';

/** One mapping by its id. */
const READ = all(method('GET'), ({ mappingId }) => mappingId !== undefined);

export const SCIM = defineMutants({
  // An API key is refused as one without permission.
  'scim-of-an-api-key-is-403': answers({ of: all(READ, by('api_key')), status: 401 }, errorReply(403, 'Forbidden')),
  'scim-mapping-without-envelope': body('scim', ({ data }) => data),
  'scim-role-of-its-own': field('scim', 'data.role', 'owner'),
  'scim-unknown-is-empty': answers({ of: READ, status: 404 }, { status: 200, body: '{"data":null}' }),
  'scim-unknown-with-another-message': errors({ of: 'scim', status: 404 }, { message: 'Mapping not found' }),
  'scim-errors-with-metadata': errors({ of: 'scim' }, { reason: 'scim', retryable: false }),
  'scim-ids-in-one-case': instead(
    ({ mappingId }) => mappingId !== mappingId?.toLowerCase(),
    errorReply(404, 'Resource not found'),
  ),
  'scim-failure-with-the-other-message': errors(
    { of: 'scim', status: 500 },
    { message: 'The request could not be completed' },
  ),
  'scim-is-202': status('scim', 200, 202),
});

const directory = (change: (usual: Directory) => Partial<Directory>): Mutation => wrap({ createDirectory: change });

const at =
  (method: string, path: RegExp) =>
  (exchange: MutantExchange): boolean =>
    exchange.request.method === method && path.test(exchange.path);
const LIST = at('GET', /^\/scim\/group-mappings$/);
const CREATE = at('POST', /^\/scim\/group-mappings$/);
const UPDATE = at('PATCH', /^\/scim\/group-mappings\//);
const DELETE = at('DELETE', /^\/scim\/group-mappings\//);
const GROUPS = at('GET', /^\/scim\/groups$/);
const START = at('POST', /^\/scim\/sync-jobs$/);
const JOB = at('GET', /^\/scim\/sync-jobs\//);

/** Mappings, groups and syncs of the directory (SCIM-3 to SCIM-7). */
export const SCIM_DIRECTORY = defineMutants({
  'scim-list-without-times': field(LIST, 'data.[].updated_at', undefined),
  'scim-total-of-the-page': field<unknown>(LIST, 'total_count', (_, { whole }) => (whole.data as Json[]).length),
  'scim-list-newest-first': directory((usual) => ({ mappings: (of) => usual.mappings(of).reverse() })),
  'scim-list-limit-of-any-size': cutsLimit(LIST, 100),
  'scim-groups-limit-of-any-size': cutsLimit(GROUPS, 100),
  'scim-list-of-all-organizations': directory((usual) => ({
    mappings: (organization) => [...usual.mappings(organization), ...usual.mappings('org_other')],
  })),
  // A group without an external id leaves it out.
  'scim-groups-without-external-id': field<unknown>(GROUPS, 'data.[].external_id', (id) => id ?? undefined),
  // The offset of the list of groups counts pages.
  'scim-groups-offset-by-pages': query(GROUPS, 'offset', (offset, query) => {
    const limit = Number(query.get('limit') ?? 50);
    return limit > 0 && limit <= 100 && Number(offset) > 0 ? Number(offset) * limit : offset;
  }),
  'scim-create-is-200': status(CREATE, 201, 200),
  'scim-create-again-is-409': answers({ of: CREATE, status: [200, 201] }, (reply, { times }) => {
    const { data } = JSON.parse(String(reply.body)) as { data: { id: string } };
    return times(data.id) > 0 ? errorReply(409, 'Conflict') : reply;
  }),
  // A create with another role changes the mapping.
  'scim-another-role-is-taken': directory((usual) => ({
    createMapping(organization, body) {
      const same = usual
        .mappings(organization)
        .find((one) => one.scim_group_id === body.scim_group_id && one.workspace_id === body.workspace_id);
      return same ? usual.updateMapping(same, body.role) : usual.createMapping(organization, body);
    },
  })),
  'scim-create-again-leaves-the-time': directory((usual) => ({
    createMapping(organization, body) {
      const same = usual
        .mappings(organization)
        .find((one) => JSON.stringify({ ...one, ...body }) === JSON.stringify(one));
      return same ?? usual.createMapping(organization, body);
    },
  })),
  'scim-owner-is-admin': sends(CREATE, 'role', (role) => (role === 'owner' ? 'admin' : role)),
  'scim-groups-of-others-are-409': errors({ of: CREATE, status: 404 }, { status: 409 }),
  // An update changes created_at.
  'scim-update-makes-anew': field(UPDATE, 'data.created_at', '2030-01-01T00:00:00.000Z'),
  'scim-update-leaves-the-time': directory((usual) => ({
    updateMapping: (mapping, role) => (mapping.role === role ? mapping : usual.updateMapping(mapping, role)),
  })),
  'scim-delete-keeps-members-by-default': query(DELETE, 'keep_members', (keep) => keep ?? 'true'),
  'scim-delete-is-204': answers({ of: DELETE, status: 200 }, NOTHING),
  // The first of two keep_members counts.
  'scim-delete-takes-the-first-word': asked(DELETE, (request, { query }) => {
    const url = new URL(request.url);
    const first = query.get('keep_members');
    if (first !== null) url.searchParams.set('keep_members', first);
    return withRequest(request, { url: url.href });
  }),
  'scim-writes-by-api-keys': instead(all(GROUPS, by('api_key')), jsonReply(200, { data: [], total_count: 0 })),
  // Counts are 0 until a sync ends.
  'scim-job-counts-from-the-start': field<unknown>(
    (exchange) => START(exchange) || JOB(exchange),
    'data.synced_groups',
    (count) => count ?? 0,
  ),
  'scim-job-is-done-at-once': field(JOB, 'data.status', (status) => (status === 'running' ? 'queued' : status)),
  'scim-job-is-201': status(START, 202, 201),
  'scim-unknown-job-is-400': answers({ of: JOB, status: 404 }, errorReply(400, 'Bad Request')),
  'scim-job-without-location': withoutHeader('location', { of: START }),
  'scim-job-of-no-groups': field<unknown>(JOB, 'data.synced_groups', (count) => (count === null ? null : 0)),
  // The message of a failed sync contains its id.
  'scim-job-fails-in-other-words': field<unknown>(JOB, 'data.error_message', (message, { parent }) =>
    message === null ? null : `${message} (${parent.id})`,
  ),
});
