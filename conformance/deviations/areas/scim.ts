import type { Json } from '../combinators/exchange.js';
import { errorReply, rewriteErrors, rewriteJson, rewriteReply, rewriteStatus } from '../combinators/replies.js';
import { answerInstead } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

export const SCIM = defineDeviations({
  'scim-mapping-without-envelope': {
    description: 'A mapping is answered without {data}.',
    mutant: rewriteJson('scim', (body) => body.data),
    caughtBy: ['scim/mapping'],
  },
  'scim-role-of-its-own': {
    description: 'The role of a mapping is owner.',
    mutant: rewriteJson('scim', ({ data }) => ({ data: { ...(data as Json), role: 'owner' } })),
    caughtBy: ['scim/role'],
  },
  'scim-unknown-is-empty': {
    description: 'An unknown mapping is 200 with no data.',
    mutant: rewriteReply((answer, { mappingId, request }) =>
      answer.status === 404 && mappingId !== undefined && request.method === 'GET'
        ? { ...answer, status: 200, body: '{"data":null}' }
        : answer,
    ),
    caughtBy: ['scim/unknown', 'scim/ids'],
  },
  'scim-unknown-with-another-message': {
    description: 'The message of an unknown mapping is `Mapping not found`.',
    mutant: rewriteErrors(({ status, area, error }) =>
      area === 'scim' && status === 404 ? { error: { ...error, message: 'Mapping not found' } } : undefined,
    ),
    caughtBy: ['scim/unknown', 'base/unknown-scim-path'],
  },
  'scim-errors-with-metadata': {
    description: 'SCIM errors carry metadata.',
    mutant: rewriteErrors(({ area, error }) =>
      area === 'scim' ? { error: { ...error, metadata: { reason: 'scim', retryable: false } } } : undefined,
    ),
    caughtBy: ['faults/scim-form', 'auth/scim-needs-a-management-key', 'scim/unknown', 'scim/failure'],
  },
  'scim-ids-in-one-case': {
    description: 'A mapping is found only by its id in lower case.',
    mutant: answerInstead(({ mappingId }) =>
      mappingId !== undefined && mappingId !== mappingId.toLowerCase()
        ? errorReply(404, 'Resource not found')
        : undefined,
    ),
    caughtBy: ['scim/ids'],
  },
  'scim-failure-with-the-other-message': {
    description: 'A 500 of SCIM says `The request could not be completed`.',
    mutant: rewriteErrors(({ status, area, error }) =>
      area === 'scim' && status === 500
        ? { error: { ...error, message: 'The request could not be completed' } }
        : undefined,
    ),
    caughtBy: ['scim/failure'],
  },
  'scim-is-202': {
    description: 'A mapping is answered with 202.',
    mutant: rewriteStatus('scim', 200, 202),
    caughtBy: ['scim/mapping', 'scim/ids'],
  },
});
