import type { Exchange, Json } from '../combinators/exchange.js';
import { answers, errorReply, errors, rewriteJson, rewriteStatus } from '../combinators/replies.js';
import { instead } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const isRead = ({ mappingId, request }: Exchange) => mappingId !== undefined && request.method === 'GET';

export const SCIM = defineDeviations({
  'scim-mapping-without-envelope': rewriteJson('scim', (body) => body.data),
  // The role of a mapping is owner.
  'scim-role-of-its-own': rewriteJson('scim', ({ data }) => ({ data: { ...(data as Json), role: 'owner' } })),
  // An unknown mapping is 200 with no data.
  'scim-unknown-is-empty': answers({ of: isRead, status: 404 }, (reply) => ({
    ...reply,
    status: 200,
    body: '{"data":null}',
  })),
  'scim-unknown-with-another-message': errors({ area: 'scim', status: 404 }, { message: 'Mapping not found' }),
  'scim-errors-with-metadata': errors({ area: 'scim' }, { reason: 'scim', retryable: false }),
  'scim-ids-in-one-case': instead(
    ({ mappingId }) => mappingId !== mappingId?.toLowerCase(),
    errorReply(404, 'Resource not found'),
  ),
  'scim-failure-with-the-other-message': errors(
    { area: 'scim', status: 500 },
    { message: 'The request could not be completed' },
  ),
  // A mapping is answered with 202.
  'scim-is-202': rewriteStatus('scim', 200, 202),
});
