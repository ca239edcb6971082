import { isOf } from '../combinators/exchange.js';
import { rewriteErrors } from '../combinators/replies.js';
import { defineDeviations } from '../mutant.js';

/** One operation out of many is wrong, where no check of a default run asks: monitors see it in what others met. */
export const AS_MET = defineDeviations({
  'provision-404-without-retryable': {
    description: 'The 404 of a provision does not say whether it is retryable.',
    mutant: rewriteErrors((seen) =>
      seen.status === 404 && isOf('provision', seen)
        ? { error: { ...seen.error, metadata: { reason: seen.reason } } }
        : undefined,
    ),
    caughtBy: ['as-met/errors'],
  },
  'suspend-401-with-another-code': {
    description: 'The 401 of a suspend has the code 403 in its body.',
    mutant: rewriteErrors((seen) =>
      seen.status === 401 && isOf('suspend', seen) ? { error: { ...seen.error, code: 403 } } : undefined,
    ),
    caughtBy: ['as-met/errors'],
  },
  'sign-404-is-retryable': {
    description: 'Signing for an unknown intern says that it may be tried again.',
    mutant: rewriteErrors((seen) =>
      seen.status === 404 && isOf('sign', seen)
        ? { error: { ...seen.error, metadata: { reason: seen.reason, retryable: true } } }
        : undefined,
    ),
    caughtBy: ['as-met/errors'],
  },
});
