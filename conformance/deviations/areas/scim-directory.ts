import type { Directory } from '../../../emulator/domain/directory.js';
import { type Exchange, type Json, tokenOf } from '../combinators/exchange.js';
import { wrap } from '../combinators/parts.js';
import {
  answers,
  errorReply,
  errors,
  jsonReply,
  rewriteJson,
  rewriteReply,
  rewriteStatus,
  withoutHeader,
} from '../combinators/replies.js';
import { byDefault, cutsLimit, instead, rewriteFields, rewriteQuery } from '../combinators/requests.js';
import { defineDeviations, type Mutant } from '../mutant.js';

const directory = (change: (usual: Directory) => Partial<Directory>): Mutant => wrap({ createDirectory: change });

const at =
  (method: string, path: RegExp) =>
  (exchange: Exchange): boolean =>
    exchange.request.method === method && path.test(exchange.path);
const LIST = at('GET', /^\/scim\/group-mappings$/);
const CREATE = at('POST', /^\/scim\/group-mappings$/);
const UPDATE = at('PATCH', /^\/scim\/group-mappings\//);
const DELETE = at('DELETE', /^\/scim\/group-mappings\//);
const GROUPS = at('GET', /^\/scim\/groups$/);
const START = at('POST', /^\/scim\/sync-jobs$/);
const JOB = at('GET', /^\/scim\/sync-jobs\//);

const allIn = (all: Json, change: (entry: Json) => Json): Json => ({ ...all, data: (all.data as Json[]).map(change) });

/** Mappings, groups and syncs of the directory (SCIM-3 to SCIM-7). */
export const SCIM_DIRECTORY = defineDeviations({
  // The list of mappings has no updated_at.
  'scim-list-without-times': rewriteJson(LIST, (body) => allIn(body, ({ updated_at: _, ...mapping }) => mapping)),
  'scim-total-of-the-page': rewriteJson(LIST, (body) => ({ ...body, total_count: (body.data as Json[]).length })),
  'scim-list-newest-first': directory((usual) => ({
    mappings: (organization) => usual.mappings(organization).reverse(),
  })),
  // A limit over 100 is taken for 100.
  'scim-list-limit-of-any-size': cutsLimit(LIST, 100),
  // A limit over 100 is taken for 100 in the list of groups.
  'scim-groups-limit-of-any-size': cutsLimit(GROUPS, 100),
  'scim-list-of-all-organizations': directory((usual) => ({
    mappings: (organization) => [...usual.mappings(organization), ...usual.mappings('org_other')],
  })),
  // A group without an external id leaves it out.
  'scim-groups-without-external-id': rewriteJson(GROUPS, (body) =>
    allIn(body, ({ external_id, ...group }) => (external_id === null ? group : { ...group, external_id })),
  ),
  // The offset of the list of groups counts pages.
  'scim-groups-offset-by-pages': rewriteQuery(GROUPS, (query) => {
    const limit = Number(query.get('limit') ?? 50);
    const offset = Number(query.get('offset') ?? 0);
    if (limit > 0 && limit <= 100 && offset > 0) query.set('offset', String(offset * limit));
  }),
  // The create of a mapping answers 200.
  'scim-create-is-200': rewriteStatus(CREATE, 201, 200),
  // The same mapping again is 409.
  'scim-create-again-is-409': () => {
    const made = new Set<string>();
    return rewriteReply((reply, exchange) => {
      if (!CREATE(exchange) || reply.status >= 300) return reply;
      const { id } = (JSON.parse(String(reply.body)) as { data: { id: string } }).data;
      if (made.has(id)) return errorReply(409, 'Conflict');
      made.add(id);
      return reply;
    });
  },
  // A create with another role changes the mapping.
  'scim-another-role-is-taken': directory((usual) => ({
    createMapping(organization, body) {
      const same = usual
        .mappings(organization)
        .find((one) => one.scim_group_id === body.scim_group_id && one.workspace_id === body.workspace_id);
      return same ? usual.updateMapping(same, body.role) : usual.createMapping(organization, body);
    },
  })),
  // The same create again leaves updated_at.
  'scim-create-again-leaves-the-time': directory((usual) => ({
    createMapping(organization, body) {
      const same = usual
        .mappings(organization)
        .find((one) => JSON.stringify({ ...one, ...body }) === JSON.stringify(one));
      return same ?? usual.createMapping(organization, body);
    },
  })),
  'scim-owner-is-admin': rewriteFields(CREATE, (body) => (body.role === 'owner' ? { ...body, role: 'admin' } : body)),
  // A group that the organization does not have is 409.
  'scim-groups-of-others-are-409': errors({ of: CREATE, status: 404 }, { status: 409 }),
  // An update has created_at of its own time.
  'scim-update-makes-anew': rewriteJson(UPDATE, ({ data }) => ({
    data: { ...(data as Json), created_at: '2030-01-01T00:00:00.000Z' },
  })),
  'scim-update-leaves-the-time': directory((usual) => ({
    updateMapping: (mapping, role) => (mapping.role === role ? mapping : usual.updateMapping(mapping, role)),
  })),
  'scim-delete-keeps-members-by-default': byDefault(DELETE, 'keep_members', 'true'),
  'scim-delete-is-204': answers({ of: DELETE, status: 200 }, { status: 204, headers: {}, body: null }),
  // Of keep_members given twice the first counts.
  'scim-delete-takes-the-first-word': rewriteQuery(DELETE, (query) => {
    const first = query.get('keep_members');
    if (first !== null) query.set('keep_members', first);
  }),
  // An API key lists groups.
  'scim-writes-by-api-keys': instead(
    (exchange, { target }) => GROUPS(exchange) && tokenOf(exchange.request) === target.credentials.api_key,
    jsonReply(200, { data: [], total_count: 0 }),
  ),
  // Counts are 0 until a sync ends.
  'scim-job-counts-from-the-start': rewriteJson(
    (exchange) => START(exchange) || JOB(exchange),
    ({ data }) => ({ data: { ...(data as Json), synced_groups: (data as Json).synced_groups ?? 0 } }),
  ),
  // A sync never runs: it is queued, then succeeded.
  'scim-job-is-done-at-once': rewriteJson(JOB, ({ data }) => ({
    data: (data as Json).status === 'running' ? { ...(data as Json), status: 'queued' } : data,
  })),
  // The start of a sync is 201.
  'scim-job-is-201': rewriteStatus(START, 202, 201),
  // An unknown sync is 400.
  'scim-unknown-job-is-400': answers({ of: JOB, status: 404 }, errorReply(400, 'Bad Request')),
  // The start of a sync has no Location.
  'scim-job-without-location': withoutHeader('location', { of: START }),
  'scim-job-of-no-groups': rewriteJson(JOB, ({ data }) => ({
    data: (data as Json).synced_groups === null ? data : { ...(data as Json), synced_groups: 0 },
  })),
  // The message of a failed sync has its id in it.
  'scim-job-fails-in-other-words': rewriteJson(JOB, ({ data }) => {
    const job = data as Json;
    return { data: job.error_message === null ? job : { ...job, error_message: `${job.error_message} (${job.id})` } };
  }),
});
