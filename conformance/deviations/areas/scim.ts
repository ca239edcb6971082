import type { Exchange, Json } from '../combinators/exchange.js';
import { answers, errorReply, errors, rewriteJson, rewriteStatus } from '../combinators/replies.js';
import { instead } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const isRead = ({ mappingId, request }: Exchange) => mappingId !== undefined && request.method === 'GET';

export const SCIM = defineDeviations({
  'scim-mapping-without-envelope': {
    description: 'A mapping is answered without {data}.',
    mutant: rewriteJson('scim', (body) => body.data),
  },
  'scim-role-of-its-own': {
    description: 'The role of a mapping is owner.',
    mutant: rewriteJson('scim', ({ data }) => ({ data: { ...(data as Json), role: 'owner' } })),
  },
  'scim-unknown-is-empty': {
    description: 'An unknown mapping is 200 with no data.',
    mutant: answers({ of: isRead, status: 404 }, (reply) => ({ ...reply, status: 200, body: '{"data":null}' })),
  },
  'scim-unknown-with-another-message': {
    description: 'The message of an unknown mapping is `Mapping not found`.',
    mutant: errors({ area: 'scim', status: 404 }, { message: 'Mapping not found' }),
  },
  'scim-errors-with-metadata': {
    description: 'SCIM errors carry metadata.',
    mutant: errors({ area: 'scim' }, { reason: 'scim', retryable: false }),
  },
  'scim-ids-in-one-case': {
    description: 'A mapping is found only by its id in lower case.',
    mutant: instead(({ mappingId }) => mappingId !== mappingId?.toLowerCase(), errorReply(404, 'Resource not found')),
  },
  'scim-failure-with-the-other-message': {
    description: 'A 500 of SCIM says `The request could not be completed`.',
    mutant: errors({ area: 'scim', status: 500 }, { message: 'The request could not be completed' }),
  },
  'scim-is-202': {
    description: 'A mapping is answered with 202.',
    mutant: rewriteStatus('scim', 200, 202),
  },
});
