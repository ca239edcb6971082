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
  'scim-list-without-times': {
    description: 'The list of mappings has no updated_at.',
    mutant: rewriteJson(LIST, (body) => allIn(body, ({ updated_at: _, ...mapping }) => mapping)),
  },
  'scim-total-of-the-page': {
    description: 'total_count is the count of the page.',
    mutant: rewriteJson(LIST, (body) => ({ ...body, total_count: (body.data as Json[]).length })),
  },
  'scim-list-newest-first': {
    description: 'Mappings are listed newest first.',
    mutant: directory((usual) => ({ mappings: (organization) => usual.mappings(organization).reverse() })),
  },
  'scim-list-limit-of-any-size': {
    description: 'A limit over 100 is taken for 100.',
    mutant: cutsLimit(LIST, 100),
  },
  'scim-groups-limit-of-any-size': {
    description: 'A limit over 100 is taken for 100 in the list of groups.',
    mutant: cutsLimit(GROUPS, 100),
  },
  'scim-list-of-all-organizations': {
    description: 'The list has the mappings of other organizations too.',
    mutant: directory((usual) => ({
      mappings: (organization) => [...usual.mappings(organization), ...usual.mappings('org_other')],
    })),
  },
  'scim-groups-without-external-id': {
    description: 'A group without an external id leaves it out.',
    mutant: rewriteJson(GROUPS, (body) =>
      allIn(body, ({ external_id, ...group }) => (external_id === null ? group : { ...group, external_id })),
    ),
  },
  'scim-groups-offset-by-pages': {
    description: 'The offset of the list of groups counts pages.',
    mutant: rewriteQuery(GROUPS, (query) => {
      const limit = Number(query.get('limit') ?? 50);
      const offset = Number(query.get('offset') ?? 0);
      if (limit > 0 && limit <= 100 && offset > 0) query.set('offset', String(offset * limit));
    }),
  },
  'scim-create-is-200': {
    description: 'The create of a mapping answers 200.',
    mutant: rewriteStatus(CREATE, 201, 200),
  },
  'scim-create-again-is-409': {
    description: 'The same mapping again is 409.',
    mutant: () => {
      const made = new Set<string>();
      return rewriteReply((reply, exchange) => {
        if (!CREATE(exchange) || reply.status >= 300) return reply;
        const { id } = (JSON.parse(String(reply.body)) as { data: { id: string } }).data;
        if (made.has(id)) return errorReply(409, 'Conflict');
        made.add(id);
        return reply;
      });
    },
  },
  'scim-another-role-is-taken': {
    description: 'A create with another role changes the mapping.',
    mutant: directory((usual) => ({
      createMapping(organization, body) {
        const same = usual
          .mappings(organization)
          .find((one) => one.scim_group_id === body.scim_group_id && one.workspace_id === body.workspace_id);
        return same ? usual.updateMapping(same, body.role) : usual.createMapping(organization, body);
      },
    })),
  },
  'scim-create-again-leaves-the-time': {
    description: 'The same create again leaves updated_at.',
    mutant: directory((usual) => ({
      createMapping(organization, body) {
        const same = usual
          .mappings(organization)
          .find((one) => JSON.stringify({ ...one, ...body }) === JSON.stringify(one));
        return same ?? usual.createMapping(organization, body);
      },
    })),
  },
  'scim-owner-is-admin': {
    description: 'The role owner is taken for admin.',
    mutant: rewriteFields(CREATE, (body) => (body.role === 'owner' ? { ...body, role: 'admin' } : body)),
  },
  'scim-groups-of-others-are-409': {
    description: 'A group that the organization does not have is 409.',
    mutant: errors({ of: CREATE, status: 404 }, { status: 409 }),
  },
  'scim-update-makes-anew': {
    description: 'An update has created_at of its own time.',
    mutant: rewriteJson(UPDATE, ({ data }) => ({
      data: { ...(data as Json), created_at: '2030-01-01T00:00:00.000Z' },
    })),
  },
  'scim-update-leaves-the-time': {
    description: 'An update to the role that is there leaves updated_at.',
    mutant: directory((usual) => ({
      updateMapping: (mapping, role) => (mapping.role === role ? mapping : usual.updateMapping(mapping, role)),
    })),
  },
  'scim-delete-keeps-members-by-default': {
    description: 'Without keep_members a delete keeps them.',
    mutant: byDefault(DELETE, 'keep_members', 'true'),
  },
  'scim-delete-is-204': {
    description: 'A delete has no body.',
    mutant: answers({ of: DELETE, status: 200 }, { status: 204, headers: {}, body: null }),
  },
  'scim-delete-takes-the-first-word': {
    description: 'Of keep_members given twice the first counts.',
    mutant: rewriteQuery(DELETE, (query) => {
      const first = query.get('keep_members');
      if (first !== null) query.set('keep_members', first);
    }),
  },
  'scim-writes-by-api-keys': {
    description: 'An API key lists groups.',
    mutant: instead(
      (exchange, { target }) => GROUPS(exchange) && tokenOf(exchange.request) === target.credentials.api_key,
      jsonReply(200, { data: [], total_count: 0 }),
    ),
  },
  'scim-job-counts-from-the-start': {
    description: 'Counts are 0 until a sync ends.',
    mutant: rewriteJson(
      (exchange) => START(exchange) || JOB(exchange),
      ({ data }) => ({ data: { ...(data as Json), synced_groups: (data as Json).synced_groups ?? 0 } }),
    ),
  },
  'scim-job-is-done-at-once': {
    description: 'A sync never runs: it is queued, then succeeded.',
    mutant: rewriteJson(JOB, ({ data }) => ({
      data: (data as Json).status === 'running' ? { ...(data as Json), status: 'queued' } : data,
    })),
  },
  'scim-job-is-201': {
    description: 'The start of a sync is 201.',
    mutant: rewriteStatus(START, 202, 201),
  },
  'scim-unknown-job-is-400': {
    description: 'An unknown sync is 400.',
    mutant: answers({ of: JOB, status: 404 }, errorReply(400, 'Bad Request')),
  },
  'scim-job-without-location': {
    description: 'The start of a sync has no Location.',
    mutant: withoutHeader('location', { of: START }),
  },
  'scim-job-of-no-groups': {
    description: 'A sync counts no groups.',
    mutant: rewriteJson(JOB, ({ data }) => ({
      data: (data as Json).synced_groups === null ? data : { ...(data as Json), synced_groups: 0 },
    })),
  },
  'scim-job-fails-in-other-words': {
    description: 'The message of a failed sync has its id in it.',
    mutant: rewriteJson(JOB, ({ data }) => {
      const job = data as Json;
      return { data: job.error_message === null ? job : { ...job, error_message: `${job.error_message} (${job.id})` } };
    }),
  },
});
