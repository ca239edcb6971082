import type { Requirement } from './requirement.js';

export const SCIM = [
  {
    id: 'SCIM-1',
    level: 'S',
    sentence:
      'GET /scim/group-mappings/{id} with a management key answers 200 {data: mapping}, exactly the stated fields: ids are UUIDs (organization_id a string), timestamps ISO 8601 UTC with milliseconds.',
    published: 'role is admin or member.',
    where: 'SCIM group mapping',
  },
  {
    id: 'SCIM-2',
    level: 'S',
    sentence:
      '401 `Missing Authentication header`, 404 `Resource not found`, 500 `Internal Server Error`, none with metadata.',
    chosen: 'An id that is no UUID is 404; UUIDs match in any case.',
    where: 'SCIM mapping read errors',
  },
] as const satisfies readonly Requirement[];
