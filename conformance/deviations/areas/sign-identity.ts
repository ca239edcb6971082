import { tokenOf } from '../combinators/exchange.js';
import { beforeHandling, type Part, wrap } from '../combinators/parts.js';
import { errorReply, exchanges, rewriteJson } from '../combinators/replies.js';
import { instead } from '../combinators/requests.js';
import { defineDeviations, type Mutant, together } from '../mutant.js';

type SignRequest = Parameters<Part<'createProofs'>['signer']['sign']>[0];

/** Changes what is signed. */
const signs = (change: (request: SignRequest) => SignRequest): Mutant =>
  wrap({
    createProofs: (usual) => ({ signer: { ...usual.signer, sign: (request) => usual.signer.sign(change(request)) } }),
  });

export const SIGN_IDENTITY = defineDeviations({
  'sign-timestamp-in-milliseconds': signs((request) => ({ ...request, timestamp: request.timestamp * 1_000 })),
  'sign-timestamp-as-number': rewriteJson('sign', (body) => ({
    ...body,
    'x-ori-invoke-timestamp': Number(body['x-ori-invoke-timestamp']),
  })),
  // The timestamp is that of the first proof.
  'sign-timestamp-of-the-boot': () => {
    let first: number | undefined;
    return signs((request) => {
      first ??= request.timestamp;
      return { ...request, timestamp: first };
    });
  },
  'sign-user-of-a-header': () => {
    let named: string | null = null;
    const noted = exchanges(({ operation, request }, next) => {
      if (operation === 'sign') named = request.headers.get('x-forwarded-user');
      return next(request);
    });
    return together(
      signs((request) => (named === null ? request : { ...request, user: named })),
      noted,
    );
  },
  // Nonces are counted apart for each intern.
  'sign-nonce-of-the-intern': () => {
    const counts = new Map<string, number>();
    return signs((request) => {
      if (!request.route) return request;
      const count = (counts.get(request.internId) ?? 0) + 1;
      counts.set(request.internId, count);
      return { ...request, route: { ...request.route, nonce: `nonce-${count}` } };
    });
  },
  'sign-only-while-it-runs': beforeHandling('sign', ({ intern }) =>
    intern.record.status === 'running' ? undefined : errorReply(409, 'The intern is not running', 'intern_not_running'),
  ),
  // Signing from outside the programme is 403.
  'sign-before-the-gate': instead(
    ({ operation, request }, { target }) =>
      operation === 'sign' && tokenOf(request) === target.credentials.outsider_api_key,
    errorReply(403, 'Personal connections require the OIDC login', 'personal_identity_required'),
  ),
});
