import { type Exchange, withRequest } from '../combinators/exchange.js';
import { routes, settings } from '../combinators/parts.js';
import { errors, rewriteSuccess } from '../combinators/replies.js';
import { rewriteFields, rewriteRequest } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const isAlias = ({ operation, alias }: Exchange) => operation === 'sign' && alias;

const isAliasRow = (row: { readonly path: string }) => row.path === '/interns/:id/daemon-access/sign';

export const SIGN_REFUSALS = defineDeviations({
  'sign-times-out-after-30-seconds': {
    description: 'Signing is given 30 seconds.',
    mutant: settings({ signing_timeout: 30_000 }),
  },
  'sign-alias-does-not-time-out': {
    description: 'Signing by the alias may take any time.',
    mutant: routes(isAliasRow, ({ timeout: _, ...row }) => row),
  },
  'sign-waits-for-the-body': {
    description: 'The time that the body takes does not count.',
    mutant: rewriteRequest(async (request, { operation }) =>
      operation === 'sign' && request.body ? withRequest(request, { body: await request.text() }) : request,
    ),
  },
  'sign-failure-with-another-message': {
    description: 'The message of a 500 is `Internal Server Error`.',
    mutant: errors({ of: 'sign', status: 500 }, { message: 'Internal Server Error' }),
  },
  'sign-unknown-intern-with-another-message': {
    description: 'The message of the 404 is `Not found`.',
    mutant: errors({ of: 'sign', status: 404 }, { message: 'Not found' }),
  },
  'sign-too-large-with-another-message': {
    description: 'The message of the 413 is `Payload too large`.',
    mutant: errors({ of: 'sign', status: 413 }, { message: 'Payload too large' }),
  },
  'sign-other-type-with-another-message': {
    description: 'The message of the 415 is `Unsupported media type`.',
    mutant: errors({ of: 'sign', status: 415 }, { message: 'Unsupported media type' }),
  },
  'sign-alias-gone': {
    description: 'The deprecated alias of signing is 404.',
    mutant: routes(isAliasRow, () => undefined),
  },
  'sign-alias-redirects': {
    description: 'The deprecated alias of signing redirects to its successor.',
    mutant: rewriteSuccess(isAlias, (reply) => ({
      ...reply,
      status: 308,
      headers: { ...reply.headers, location: '../daemon/sign' },
    })),
  },
  'sign-alias-knows-no-routes': {
    description: 'The alias of signing ignores the route.',
    mutant: rewriteFields(isAlias, ({ bodySha256 }) => ({ bodySha256 })),
  },
  'sign-alias-takes-any-grant': {
    description: 'The alias of signing takes an interns-only grant.',
    mutant: routes(isAliasRow, (row) => ({ ...row, credential: 'oauth' })),
  },
  'sign-alias-401-with-metadata': {
    description: 'The 401 of the alias of signing has metadata.',
    mutant: errors({ of: isAlias, status: 401 }, { reason: 'unauthorized', retryable: false }),
  },
});
