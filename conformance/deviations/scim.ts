import { bodies, errorAnswer, errors, preempts, served, statuses } from './change.js';
import type { Json } from './change-lifecycle.js';
import { defineDeviations } from './deviation.js';

export const SCIM = defineDeviations([
  {
    name: 'scim-mapping-without-envelope',
    requirement: 'SCIM-1',
    description: 'A mapping is answered without {data}.',
    alters: bodies('scim', (body) => body.data),
    caughtBy: ['scim/mapping'],
  },
  {
    name: 'scim-mapping-with-more',
    requirement: 'SCIM-1',
    description: 'A mapping has a field that is not stated.',
    alters: bodies('scim', ({ data }) => ({ data: { ...(data as Json), display_name: 'Staff' } })),
    caughtBy: ['scim/mapping'],
  },
  {
    name: 'scim-mapping-without-its-group',
    requirement: 'SCIM-1',
    description: 'A mapping lacks scim_group_id.',
    alters: bodies('scim', ({ data }) => {
      const { scim_group_id: _, ...rest } = data as Json;
      return { data: rest };
    }),
    caughtBy: ['scim/mapping'],
  },
  {
    name: 'scim-times-in-seconds',
    requirement: 'SCIM-1',
    description: 'Times of a mapping have no milliseconds.',
    alters: bodies('scim', ({ data }) => ({
      data: { ...(data as Json), created_at: String((data as Json).created_at).replace(/\.\d+/, '') },
    })),
    caughtBy: ['scim/mapping'],
  },
  {
    name: 'scim-role-of-its-own',
    requirement: 'SCIM-1',
    description: 'The role of a mapping is owner.',
    alters: bodies('scim', ({ data }) => ({ data: { ...(data as Json), role: 'owner' } })),
    caughtBy: ['scim/role'],
  },
  {
    name: 'scim-unknown-is-empty',
    requirement: 'SCIM-2',
    description: 'An unknown mapping is 200 with no data.',
    alters: served((answer, request, { mappingId }) =>
      answer.status === 404 && mappingId !== undefined && request.method === 'GET'
        ? { ...answer, status: 200, body: '{"data":null}' }
        : answer,
    ),
    caughtBy: ['scim/unknown', 'scim/no-metadata', 'scim/ids'],
  },
  {
    name: 'scim-unknown-with-another-message',
    requirement: 'SCIM-2',
    description: 'The message of an unknown mapping is `Mapping not found`.',
    alters: errors(({ status, error, resource }) =>
      resource.area === 'scim' && status === 404 ? { error: { ...error, message: 'Mapping not found' } } : undefined,
    ),
    caughtBy: ['scim/unknown', 'base/unknown-scim-path'],
  },
  {
    name: 'scim-errors-with-metadata',
    requirement: 'SCIM-2',
    description: 'SCIM errors carry metadata.',
    alters: errors(({ error, resource }) =>
      resource.area === 'scim' ? { error: { ...error, metadata: { reason: 'scim', retryable: false } } } : undefined,
    ),
    caughtBy: [
      'faults/scim-form',
      'scim/no-metadata',
      'scim/unknown',
      'scim/failure',
      'auth/scim-needs-a-management-key',
    ],
  },
  {
    name: 'scim-ids-in-one-case',
    requirement: 'SCIM-2',
    description: 'A mapping is found only by its id in lower case.',
    alters: preempts((_request, { mappingId }) =>
      mappingId !== undefined && mappingId !== mappingId.toLowerCase()
        ? errorAnswer(404, 'Resource not found')
        : undefined,
    ),
    caughtBy: ['scim/ids'],
  },
  {
    name: 'scim-id-that-is-none-is-400',
    requirement: 'SCIM-2',
    description: 'An id that is no UUID is 400.',
    alters: preempts((request, { mappingId }) =>
      mappingId !== undefined && !/^[0-9a-f-]{36}$/i.test(mappingId) && request.headers.has('authorization')
        ? errorAnswer(400, 'Invalid id')
        : undefined,
    ),
    caughtBy: ['scim/ids'],
  },
  {
    name: 'scim-failure-with-the-other-message',
    requirement: 'SCIM-2',
    description: 'A 500 of SCIM says `The request could not be completed`.',
    alters: errors(({ status, error, resource }) =>
      resource.area === 'scim' && status === 500
        ? { error: { ...error, message: 'The request could not be completed' } }
        : undefined,
    ),
    caughtBy: ['scim/failure'],
  },
  {
    name: 'scim-is-202',
    requirement: 'SCIM-1',
    description: 'A mapping is answered with 202.',
    alters: statuses('scim', 200, 202),
    caughtBy: ['scim/mapping', 'scim/ids'],
  },
]);
