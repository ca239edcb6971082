import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation, together } from '../mutant.js';
import { answers, body, errors, exchanges, field, refused, withoutHeader } from '../operators/answers.js';
import { all, by, byAlias, createMemory, type Memory } from '../operators/exchange.js';
import { aliasOf, type Part, refusesCalls, routes, settings, wrap } from '../operators/parts.js';
import { asked, instead, sends, sent, texts } from '../operators/requests.js';

type SignRequest = Parameters<Part<'createProofs'>['signer']['sign']>[0];

/** Changes what is signed. */
const signs = (change: (request: SignRequest, memory: Memory) => SignRequest): Mutation =>
  wrap({
    createProofs({ signer }) {
      const memory = createMemory();
      return { signer: { ...signer, sign: (request) => signer.sign(change(request, memory)) } };
    },
  });

const SIGNED = 'x-ori-invoke';
/** The digest of an empty body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Signs for the user whom a header names. */
const userOf = (name: string) => () => {
  let named: string | null = null;
  const noted = exchanges(({ operation, request }, next) => {
    if (operation === 'sign') named = request.headers.get(name);
    return next(request);
  });
  return together(
    signs((request) => (named === null ? request : { ...request, user: named })),
    noted,
  );
};

export const SIGN = defineMutants({
  // With a route only the v2 signature is answered.
  'sign-without-v1': field('sign', `${SIGNED}-signature`, (signature, { whole }) =>
    `${SIGNED}-nonce` in whole ? undefined : signature,
  ),
  'sign-always-v2': body('sign', (json) => ({ [`${SIGNED}-nonce`]: 'x', ...json })),
  'sign-without-nonce': field('sign', `${SIGNED}-nonce`, undefined),
  // The keys of the answer are no header names.
  'sign-under-other-names': body('sign', (json) =>
    Object.fromEntries(Object.entries(json).map(([key, value]) => [key.replace(`${SIGNED}-`, ''), value])),
  ),
  'sign-can-be-stored': withoutHeader('cache-control', { of: 'sign', status: 200 }),
  'sign-takes-upper-case-digests': texts('sign', 'bodySha256', (digest) => digest.toLowerCase()),
  'sign-without-digest': sent('sign', (json) => ({ bodySha256: EMPTY, ...json })),
  'sign-takes-methods-in-any-case': texts('sign', 'route.method', (method) => method.trim().toUpperCase()),
  'sign-drops-the-query': texts('sign', 'route.path', (path) => path.replace(/[?#].*$/s, '')),
  'sign-route-null-is-none': sends<unknown>('sign', 'route', (route) => (route === null ? undefined : route)),
  // A signing request with an unknown field is 400.
  'sign-refuses-unknown-fields': sent('sign', (json) =>
    Object.keys(json).some((key) => !['bodySha256', 'route'].includes(key)) ? { ...json, bodySha256: '' } : json,
  ),
  'sign-v2-without-the-method': wrap({
    loadProfile: (usual) => ({
      proof_layout: { ...usual.proof_layout, v2: ['intern_id', 'timestamp', 'nonce', 'user', 'path', 'body_sha256'] },
    }),
  }),
  'sign-trims-the-digest': texts('sign', 'bodySha256', (digest) => digest.replace(/\n$/, '')),
  'sign-timestamp-in-milliseconds': signs((request) => ({ ...request, timestamp: request.timestamp * 1_000 })),
  'sign-timestamp-as-number': field('sign', `${SIGNED}-timestamp`, Number),
  // The timestamp is that of the first proof.
  'sign-timestamp-of-the-boot': signs((request, { first }) => ({
    ...request,
    timestamp: first('timestamp', request.timestamp),
  })),
  'sign-of-the-first-request': signs((request, { first }) => first('request', request)),
  'sign-user-of-a-header': userOf('x-forwarded-user'),
  'sign-user-of-who-acts': userOf('x-on-behalf-of'),
  // Nonces are counted apart for each intern.
  'sign-nonce-of-the-intern': signs(({ route, ...request }, { times }) =>
    route === undefined ? request : { ...request, route: { ...route, nonce: `nonce-${times(request.internId) + 1}` } },
  ),
  'sign-only-while-it-runs': refusesCalls(
    'sign',
    ({ intern }) => intern.record.status !== 'running',
    refused('intern_not_running'),
  ),
  'sign-before-the-gate': instead(all('sign', by('outsider_api_key')), refused('personal_identity_required')),
  'sign-times-out-after-30-seconds': settings({ signing_timeout: 30_000 }),
  'sign-alias-does-not-time-out': routes(aliasOf('sign'), { timeout: undefined }),
  // The time that the body takes does not count.
  'sign-waits-for-the-body': asked('sign', async (request) =>
    request.body ? withRequest(request, { body: await request.text() }) : request,
  ),
  'sign-failure-with-another-message': errors({ of: 'sign', status: 500 }, { message: 'Internal Server Error' }),
  'sign-unknown-intern-with-another-message': errors({ of: 'sign', status: 404 }, { message: 'Not found' }),
  'sign-too-large-with-another-message': errors({ of: 'sign', status: 413 }, { message: 'Payload too large' }),
  'sign-other-type-with-another-message': errors({ of: 'sign', status: 415 }, { message: 'Unsupported media type' }),
  'sign-alias-gone': routes(aliasOf('sign'), undefined),
  // The deprecated alias of signing redirects to its successor.
  'sign-alias-redirects': answers({ of: all('sign', byAlias), status: 200 }, (reply) => ({
    ...reply,
    status: 308,
    headers: { ...reply.headers, location: '../daemon/sign' },
  })),
  'sign-alias-knows-no-routes': sends(all('sign', byAlias), 'route', undefined),
  'sign-alias-takes-any-grant': routes(aliasOf('sign'), { credential: 'oauth' }),
  'sign-alias-401-with-metadata': errors(
    { of: all('sign', byAlias), status: 401 },
    { reason: 'unauthorized', retryable: false },
  ),
});
