import type { Rows } from './requirement.js';

export const SCIM = {
  'SCIM-1': {
    level: 'S',
    sentence:
      'GET /scim/group-mappings/{id} with a management key answers 200 {data: mapping}, exactly the stated fields: ids are UUIDs (organization_id a string), timestamps ISO 8601 UTC with milliseconds.',
    published: 'role is admin or member.',
    where: 'SCIM group mapping',
  },
  'SCIM-2': {
    level: 'S',
    sentence:
      '401 `Missing Authentication header`, 404 `Resource not found`, 500 `Internal Server Error`, none with metadata.',
    chosen: 'An id that is no UUID is 404; UUIDs match in any case.',
    where: 'SCIM mapping read errors',
  },
  'SCIM-3': {
    level: 'P',
    sentence:
      "GET /scim/group-mappings?offset&limit (limit 1 to 100, default 50; offset from 0, default 0) answers {data: [mapping], total_count} of the key's organization, in a stable order.",
    chosen: 'Oldest first; junk in either parameter is 400.',
    where: 'Contract 1, SCIM, the rest',
  },
  'SCIM-4': {
    level: 'P',
    sentence:
      'POST /scim/group-mappings {scim_group_id, workspace_id, role} answers 201 {data: mapping}. The same group, workspace and role again succeeds; another role for a mapping that exists is 409; what is no such body is 400.',
    chosen:
      'Again is 201, the mapping as it is with updated_at moved on; a group or workspace that is not of the organization is 404; ids match in any case, an unknown field is 400.',
    where: 'Contract 1, SCIM, the rest',
  },
  'SCIM-5': {
    level: 'P',
    sentence:
      'PATCH /scim/group-mappings/{id} {role} answers 200 {data: mapping}, created_at stays. DELETE /scim/group-mappings/{id}?keep_members=true|false answers 200 {deleted: true}; the query is required, else 400.',
    chosen:
      'The same role again moves updated_at on; an unknown id is 404 before anything else is judged; keep_members given twice, or as another word, is 400.',
    where: 'Contract 1, SCIM, the rest',
  },
  'SCIM-6': {
    level: 'P',
    sentence:
      "GET /scim/groups?offset&limit answers {data: [{id, organization_id, external_id, display_name, created_at, updated_at}], total_count} of the key's organization; external_id is a string or null.",
    chosen: 'The limits and refusals are those of the list of mappings.',
    where: 'Contract 1, SCIM, the rest',
  },
  'SCIM-7': {
    level: 'P',
    sentence:
      'POST /scim/sync-jobs answers 202 {data: job}, GET /scim/sync-jobs/{id} {data: job}: {id, status, created_at, started_at, finished_at, synced_groups, deleted_groups, error_message}; status goes from queued to running to succeeded or failed; counts and message are null until the end.',
    chosen:
      'The 202 has the Location of the job; the clock moves it on, a second each; a second POST while one is under way answers that one; a body is ignored; a setting has the next one fail with a stable message, and its counts stay null.',
    where: 'Contract 1, SCIM, the rest',
  },
} as const satisfies Rows;
