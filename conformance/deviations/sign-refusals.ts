import { acts, errors, numbers, operationOf, preempts, reads, rows } from './change.js';
import { isObject } from './change-lifecycle.js';
import { aliasOf, refusalsOf, withoutHeader } from './change-signing.js';
import { defineDeviations } from './deviation.js';

const SIGN_ALIAS = aliasOf('/interns/:id/daemon-access/sign');

export const SIGN_REFUSALS = defineDeviations([
  {
    name: 'sign-times-out-after-30-seconds',
    requirement: 'SIGN-9',
    description: 'Signing is given 30 seconds.',
    alters: numbers({ signing_timeout: 30_000 }),
    caughtBy: ['sign/times-out-after-10s', 'sign/reading-the-body-counts'],
  },
  {
    name: 'sign-times-out-after-5-seconds',
    requirement: 'SIGN-9',
    description: 'Signing is given 5 seconds.',
    alters: numbers({ signing_timeout: 5_000 }),
    caughtBy: ['sign/times-out-after-10s', 'sign/reading-the-body-counts'],
  },
  {
    name: 'sign-times-out-as-504',
    requirement: 'SIGN-9',
    description: 'Signing that takes too long is 504.',
    alters: errors(({ status }) => (status === 408 ? { status: 504 } : undefined)),
    caughtBy: ['sign/times-out-after-10s', 'sign/reading-the-body-counts'],
  },
  {
    name: 'sign-alias-does-not-time-out',
    requirement: 'SIGN-9',
    description: 'Signing by the alias may take any time.',
    alters: rows(SIGN_ALIAS, ({ timeout: _, ...row }) => row),
    caughtBy: ['sign/times-out-after-10s'],
  },
  {
    name: 'sign-waits-for-the-body',
    requirement: 'SIGN-9',
    description: 'The time that the body takes does not count.',
    alters: preempts(async (request, resource) => {
      if (operationOf(resource, request.method) === 'sign' && request.body) await request.clone().arrayBuffer();
      return undefined;
    }),
    caughtBy: ['sign/reading-the-body-counts'],
  },
  {
    name: 'sign-failure-with-another-message',
    requirement: 'SIGN-9',
    description: 'The message of a 500 is `Internal Server Error`.',
    alters: refusalsOf('sign', 500, (error) => ({ ...error, message: 'Internal Server Error' })),
    caughtBy: ['sign/server-failure'],
  },
  {
    name: 'sign-failure-for-good',
    requirement: 'SIGN-9',
    description: 'A 500 says that trying again does not help.',
    alters: refusalsOf('sign', 500, (error) => ({
      ...error,
      metadata: { reason: 'internal_error', retryable: false },
    })),
    caughtBy: ['sign/server-failure'],
  },
  {
    name: 'sign-unknown-intern-with-another-message',
    requirement: 'SIGN-10',
    description: 'The message of the 404 is `Not found`.',
    alters: refusalsOf('sign', 404, (error) => ({ ...error, message: 'Not found' })),
    caughtBy: ['sign/refusals'],
  },
  {
    name: 'sign-too-large-with-another-message',
    requirement: 'SIGN-10',
    description: 'The message of the 413 is `Payload too large`.',
    alters: refusalsOf('sign', 413, (error) => ({ ...error, message: 'Payload too large' })),
    caughtBy: ['sign/refusals', 'bodies/cap-of-signing'],
  },
  {
    name: 'sign-other-type-with-another-message',
    requirement: 'SIGN-10',
    description: 'The message of the 415 is `Unsupported media type`.',
    alters: refusalsOf('sign', 415, (error) => ({ ...error, message: 'Unsupported media type' })),
    caughtBy: ['sign/refusals', 'bodies/media-type-of-signing'],
  },
  {
    name: 'sign-alias-gone',
    requirement: 'SIGN-11',
    description: 'The deprecated alias of signing is 404.',
    alters: { routes: (table) => table.filter((row) => !SIGN_ALIAS(row)) },
    caughtBy: ['sign/alias', 'sign/alias-headers', 'sign/times-out-after-10s'],
  },
  {
    name: 'sign-alias-redirects',
    requirement: 'SIGN-11',
    description: 'The deprecated alias of signing redirects to its successor.',
    alters: acts(SIGN_ALIAS, (answer) => ({
      ...answer,
      status: 308,
      headers: { ...answer.headers, location: '../daemon/sign' },
    })),
    caughtBy: ['sign/alias-headers'],
  },
  {
    name: 'sign-alias-knows-no-routes',
    requirement: 'SIGN-11',
    description: 'The alias of signing ignores the route.',
    alters: reads(SIGN_ALIAS, (value) => (isObject(value) ? { bodySha256: value.bodySha256 } : value)),
    caughtBy: ['sign/alias-headers', 'sign/alias'],
  },
  {
    name: 'sign-alias-can-be-stored',
    requirement: 'SIGN-11',
    description: 'The alias of signing answers without Cache-Control: no-store.',
    alters: withoutHeader(SIGN_ALIAS, 'cache-control'),
    caughtBy: ['sign/alias-headers'],
  },
  {
    name: 'sign-alias-takes-any-grant',
    requirement: 'SIGN-11',
    description: 'The alias of signing takes an interns-only grant.',
    alters: rows(SIGN_ALIAS, (row) => ({ ...row, credential: 'oauth' })),
    caughtBy: ['sign/alias', 'auth/signing-needs-the-vault-grant'],
  },
]);
