import { type Exchange, withRequest } from '../combinators/exchange.js';
import { routes, settings } from '../combinators/parts.js';
import { errors, rewriteSuccess } from '../combinators/replies.js';
import { rewriteFields, rewriteRequest } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const isAlias = ({ operation, alias }: Exchange) => operation === 'sign' && alias;

const isAliasRow = (row: { readonly path: string }) => row.path === '/interns/:id/daemon-access/sign';

export const SIGN_REFUSALS = defineDeviations({
  // Signing is given 30 seconds.
  'sign-times-out-after-30-seconds': settings({ signing_timeout: 30_000 }),
  // Signing by the alias may take any time.
  'sign-alias-does-not-time-out': routes(isAliasRow, ({ timeout: _, ...row }) => row),
  // The time that the body takes does not count.
  'sign-waits-for-the-body': rewriteRequest(async (request, { operation }) =>
    operation === 'sign' && request.body ? withRequest(request, { body: await request.text() }) : request,
  ),
  'sign-failure-with-another-message': errors({ of: 'sign', status: 500 }, { message: 'Internal Server Error' }),
  'sign-unknown-intern-with-another-message': errors({ of: 'sign', status: 404 }, { message: 'Not found' }),
  'sign-too-large-with-another-message': errors({ of: 'sign', status: 413 }, { message: 'Payload too large' }),
  'sign-other-type-with-another-message': errors({ of: 'sign', status: 415 }, { message: 'Unsupported media type' }),
  // The deprecated alias of signing is 404.
  'sign-alias-gone': routes(isAliasRow, () => undefined),
  // The deprecated alias of signing redirects to its successor.
  'sign-alias-redirects': rewriteSuccess(isAlias, (reply) => ({
    ...reply,
    status: 308,
    headers: { ...reply.headers, location: '../daemon/sign' },
  })),
  // The alias of signing ignores the route.
  'sign-alias-knows-no-routes': rewriteFields(isAlias, ({ bodySha256 }) => ({ bodySha256 })),
  'sign-alias-takes-any-grant': routes(isAliasRow, (row) => ({ ...row, credential: 'oauth' })),
  'sign-alias-401-with-metadata': errors({ of: isAlias, status: 401 }, { reason: 'unauthorized', retryable: false }),
});
