import type { Alterations } from '../../emulator/parts.js';
import type { Signer } from '../../emulator/signing/signer.js';
import {
  acts,
  before,
  bodies,
  errorAnswer,
  errors,
  numbers,
  operationOf,
  parses,
  preempts,
  reads,
  rows,
  served,
  statuses,
} from './change.js';
import { isObject, type Json } from './change-lifecycle.js';
import { defineDeviations, together } from './deviation.js';

type SignRequest = Parameters<Signer['sign']>[0];
type Proof = ReturnType<Signer['sign']>;

/** Changes how proofs are made. */
const signs = (change: (sign: Signer['sign'], request: SignRequest) => Proof): Alterations => ({
  proofs: (usual) => ({
    ...usual,
    signer: { ...usual.signer, sign: (request) => change((one) => usual.signer.sign(one), request) },
  }),
});

/** Changes the body of a signing request. */
const asked = (change: (body: Json) => Json): Alterations =>
  reads('sign', (value) => (isObject(value) ? change(value) : value));

/** Changes the route of a signing request. */
const routed = (change: (route: unknown) => unknown): Alterations =>
  asked((body) => {
    if (!('route' in body)) return body;
    const { route, ...rest } = body;
    const changed = change(route);
    return changed === undefined ? rest : { ...rest, route: changed };
  });

const aliasOf = (path: string) => (row: { path: string }) => row.path === path;
const SIGN_ALIAS = aliasOf('/interns/:id/daemon-access/sign');
const DAEMON_ALIAS = aliasOf('/interns/:id/daemon-access');

const refusalsOf = (operation: string, status: number, change: (error: Json) => Json): Alterations =>
  errors((seen) =>
    seen.status === status && operationOf(seen.resource, seen.request.method) === operation
      ? { error: change(seen.error as Json) }
      : undefined,
  );

const withoutHeader = (of: Parameters<typeof acts>[0], name: string): Alterations =>
  acts(of, (answer) => {
    const { [name]: _, ...headers } = answer.headers;
    return { ...answer, headers };
  });

export const SIGNING = defineDeviations([
  {
    name: 'sign-without-v1',
    requirement: 'SIGN-1',
    description: 'With a route only the v2 signature is answered.',
    alters: bodies('sign', (body) =>
      'x-ori-invoke-nonce' in body
        ? Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'x-ori-invoke-signature'))
        : body,
    ),
    caughtBy: ['sign/answer', 'sign/verifies'],
  },
  {
    name: 'sign-always-v2',
    requirement: 'SIGN-1',
    description: 'A nonce is answered without a route too.',
    alters: bodies('sign', (body) => ({ 'x-ori-invoke-nonce': 'x', ...body })),
    caughtBy: ['sign/answer', 'sign/unknown-fields'],
  },
  {
    name: 'sign-without-nonce',
    requirement: 'SIGN-1',
    description: 'The nonce of a v2 proof is not answered.',
    alters: bodies('sign', ({ 'x-ori-invoke-nonce': _, ...body }) => body),
    caughtBy: ['sign/answer', 'sign/nonces-never-repeat', 'sign/fresh-nonce-each-time'],
  },
  {
    name: 'sign-under-other-names',
    requirement: 'SIGN-1',
    description: 'The keys of the answer are no header names.',
    alters: bodies('sign', (body) =>
      Object.fromEntries(Object.entries(body).map(([key, value]) => [key.replace('x-ori-invoke-', ''), value])),
    ),
    caughtBy: ['sign/answer', 'sign/verifies', 'sign/user-is-the-subject'],
  },
  {
    name: 'sign-can-be-stored',
    requirement: 'SIGN-1',
    description: 'A proof is answered without Cache-Control: no-store.',
    alters: withoutHeader('sign', 'cache-control'),
    caughtBy: ['sign/answer'],
  },
  {
    name: 'sign-keeps-proofs-of-a-key',
    requirement: 'SIGN-1',
    description: 'A retry with the same Idempotency-Key gets the same proof.',
    alters: () => {
      const kept = new Map<string, Proof>();
      let key: string | null = null;
      return together(
        parses('sign', (parse, parts) => {
          key = parts.headers.get('idempotency-key');
          return parse(parts);
        }),
        signs((sign, request) => {
          if (key === null) return sign(request);
          const proof = kept.get(key) ?? sign(request);
          kept.set(key, proof);
          return proof;
        }),
      );
    },
    caughtBy: ['sign/fresh-nonce-each-time'],
  },
  {
    name: 'sign-takes-upper-case-digests',
    requirement: 'SIGN-2',
    description: 'A digest in upper case is taken.',
    alters: asked((body) =>
      typeof body.bodySha256 === 'string' ? { ...body, bodySha256: body.bodySha256.toLowerCase() } : body,
    ),
    caughtBy: ['sign/bad-digest'],
  },
  {
    name: 'sign-cuts-digests',
    requirement: 'SIGN-2',
    description: 'A digest that is too long is cut.',
    alters: asked((body) =>
      typeof body.bodySha256 === 'string' ? { ...body, bodySha256: body.bodySha256.slice(0, 64) } : body,
    ),
    caughtBy: ['sign/bad-digest'],
  },
  {
    name: 'sign-without-digest',
    requirement: 'SIGN-2',
    description: 'Without a digest that of an empty body is signed.',
    alters: asked((body) => ({
      bodySha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      ...body,
    })),
    caughtBy: ['sign/bad-digest', 'sign/alias'],
  },
  {
    name: 'sign-takes-methods-in-any-case',
    requirement: 'SIGN-3',
    description: 'The method of a route is taken in any case.',
    alters: routed((route) =>
      isObject(route) && typeof route.method === 'string'
        ? { ...route, method: route.method.trim().toUpperCase() }
        : route,
    ),
    caughtBy: ['sign/route-method'],
  },
  {
    name: 'sign-takes-any-method',
    requirement: 'SIGN-3',
    description: 'A route may name GET, PUT, PATCH and DELETE too.',
    alters: {
      profile: (usual) => ({ ...usual, route_methods: ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] }),
    },
    caughtBy: ['sign/route-method'],
  },
  {
    name: 'sign-drops-the-query',
    requirement: 'SIGN-3',
    description: 'Query and fragment of a path are cut off.',
    alters: routed((route) =>
      isObject(route) && typeof route.path === 'string'
        ? { ...route, path: route.path.replace(/[?#].*$/s, '') }
        : route,
    ),
    caughtBy: ['sign/route-path'],
  },
  {
    name: 'sign-puts-the-slash-before-a-path',
    requirement: 'SIGN-3',
    description: 'A path without a slash gets one.',
    alters: routed((route) =>
      isObject(route) && typeof route.path === 'string' && !route.path.startsWith('/')
        ? { ...route, path: `/${route.path}` }
        : route,
    ),
    caughtBy: ['sign/route-path'],
  },
  {
    name: 'sign-normalises-paths',
    requirement: 'SIGN-3',
    description: 'Dots of a path are resolved before it is signed.',
    alters: routed((route) => {
      if (!isObject(route) || typeof route.path !== 'string' || !/^\/(?!\/)[^?#]*$/.test(route.path)) return route;
      return { ...route, path: new URL(route.path, 'http://x').pathname };
    }),
    caughtBy: ['sign/path-as-sent'],
  },
  {
    name: 'sign-decodes-paths',
    requirement: 'SIGN-3',
    description: 'Escapes of a path are decoded before it is signed.',
    alters: signs((sign, request) => {
      if (!request.route) return sign(request);
      const path = request.route.path.replace(/%([2-7][0-9A-Fa-f])/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      return sign({ ...request, route: { ...request.route, path } });
    }),
    caughtBy: ['sign/path-as-sent'],
  },
  {
    name: 'sign-route-null-is-none',
    requirement: 'SIGN-3',
    description: 'A route that is null is taken for none.',
    alters: routed((route) => (route === null ? undefined : route)),
    caughtBy: ['sign/route-form', 'sign/alias'],
  },
  {
    name: 'sign-route-without-method-is-post',
    requirement: 'SIGN-3',
    description: 'A route without a method is one with POST.',
    alters: routed((route) => (isObject(route) ? { method: 'POST', ...route } : route)),
    caughtBy: ['sign/route-form'],
  },
  {
    name: 'sign-route-that-is-none-is-ignored',
    requirement: 'SIGN-3',
    description: 'A route that is no object is ignored.',
    alters: routed((route) => (isObject(route) || route === null ? route : undefined)),
    caughtBy: ['sign/route-form'],
  },
  {
    name: 'sign-refuses-unknown-fields',
    requirement: 'SIGN-3',
    description: 'A signing request with an unknown field is 400.',
    alters: asked((body) =>
      Object.keys(body).some((key) => !['bodySha256', 'route'].includes(key)) ? { ...body, bodySha256: '' } : body,
    ),
    caughtBy: ['sign/unknown-fields', 'sign/user-of-the-request-is-ignored'],
  },
  {
    name: 'sign-in-another-order',
    requirement: 'SIGN-4',
    description: 'v1 signs user before timestamp.',
    alters: {
      profile: (usual) => ({
        ...usual,
        proof_layout: { ...usual.proof_layout, v1: ['intern_id', 'user', 'timestamp', 'body_sha256'] },
      }),
    },
    caughtBy: ['sign/verifies', 'sign/user-of-the-request-is-ignored'],
  },
  {
    name: 'sign-v2-without-the-method',
    requirement: 'SIGN-4',
    description: 'v2 does not sign the method.',
    alters: {
      profile: (usual) => ({
        ...usual,
        proof_layout: {
          ...usual.proof_layout,
          v2: ['intern_id', 'timestamp', 'nonce', 'user', 'path', 'body_sha256'],
        },
      }),
    },
    caughtBy: ['sign/verifies', 'sign/path-as-sent', 'proof/bound-to-its-route'],
  },
  {
    name: 'sign-v2-without-the-nonce',
    requirement: 'SIGN-4',
    description: 'v2 does not sign the nonce.',
    alters: {
      profile: (usual) => ({
        ...usual,
        proof_layout: {
          ...usual.proof_layout,
          v2: ['intern_id', 'timestamp', 'user', 'method', 'path', 'body_sha256'],
        },
      }),
    },
    caughtBy: ['sign/verifies', 'proof/one-bit'],
  },
  {
    name: 'sign-with-another-separator',
    requirement: 'SIGN-4',
    description: 'The signed fields are joined by a vertical bar.',
    alters: { profile: (usual) => ({ ...usual, proof_layout: { ...usual.proof_layout, separator: '|' } }) },
    caughtBy: ['sign/verifies'],
  },
  {
    name: 'sign-in-url-base64',
    requirement: 'SIGN-4',
    description: 'Signatures are in URL-safe Base64.',
    alters: signs((sign, request) => {
      const proof = sign(request);
      return { ...proof, signature: proof.signature.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') };
    }),
    caughtBy: ['sign/answer', 'sign/verifies'],
  },
  {
    name: 'sign-in-hex',
    requirement: 'SIGN-4',
    description: 'Signatures are in hexadecimal digits.',
    alters: signs((sign, request) => {
      const proof = sign(request);
      return { ...proof, signature: Buffer.from(proof.signature, 'base64').toString('hex') };
    }),
    caughtBy: ['sign/answer', 'sign/verifies'],
  },
  {
    name: 'sign-v2-is-v1',
    requirement: 'SIGN-4',
    description: 'The v2 signature is the v1 signature.',
    alters: signs((sign, request) => {
      const proof = sign(request);
      return proof.signatureV2 === undefined ? proof : { ...proof, signatureV2: proof.signature };
    }),
    caughtBy: ['sign/verifies', 'proof/v2-once'],
  },
  {
    name: 'sign-for-the-id-in-upper-case',
    requirement: 'SIGN-4',
    description: 'The intern id is signed in upper case.',
    alters: signs((sign, request) => sign({ ...request, internId: request.internId.toUpperCase() })),
    caughtBy: ['sign/verifies', 'proof/accepted'],
  },
  {
    name: 'sign-timestamp-in-milliseconds',
    requirement: 'SIGN-5',
    description: 'The timestamp counts milliseconds.',
    alters: signs((sign, request) => sign({ ...request, timestamp: request.timestamp * 1_000 })),
    caughtBy: ['sign/timestamp-is-now', 'sign/timestamp-form'],
  },
  {
    name: 'sign-timestamp-as-number',
    requirement: 'SIGN-5',
    description: 'The timestamp is a number.',
    alters: bodies('sign', (body) => ({ ...body, 'x-ori-invoke-timestamp': Number(body['x-ori-invoke-timestamp']) })),
    caughtBy: ['sign/answer', 'sign/timestamp-form'],
  },
  {
    name: 'sign-timestamp-a-second-ahead',
    requirement: 'SIGN-5',
    description: 'The timestamp is rounded up past the next second.',
    alters: signs((sign, request) => sign({ ...request, timestamp: request.timestamp + 2 })),
    caughtBy: ['sign/timestamp-is-now'],
  },
  {
    name: 'sign-timestamp-of-the-boot',
    requirement: 'SIGN-5',
    description: 'The timestamp is that of the first proof.',
    alters: () => {
      let first: number | undefined;
      return signs((sign, request) => {
        first ??= request.timestamp;
        return sign({ ...request, timestamp: first });
      });
    },
    caughtBy: ['sign/timestamp-is-now', 'proof/old-is-refused'],
  },
  {
    name: 'sign-user-of-the-body',
    requirement: 'SIGN-6',
    description: 'A user in the body is the user of the proof.',
    alters: () => {
      let user: string | undefined;
      return together(
        reads('sign', (value) => {
          user = isObject(value) && typeof value.user === 'string' ? value.user : undefined;
          return value;
        }),
        signs((sign, request) => sign({ ...request, user: user ?? request.user })),
      );
    },
    caughtBy: ['sign/user-of-the-request-is-ignored'],
  },
  {
    name: 'sign-user-of-a-header',
    requirement: 'SIGN-6',
    description: 'A user in x-user is the user of the proof.',
    alters: () => {
      let user: string | null = null;
      return together(
        parses('sign', (parse, parts) => {
          user = parts.headers.get('x-user');
          return parse(parts);
        }),
        signs((sign, request) => sign({ ...request, user: user ?? request.user })),
      );
    },
    caughtBy: ['sign/user-of-the-request-is-ignored'],
  },
  {
    name: 'sign-user-is-the-member',
    requirement: 'SIGN-6',
    description: "The user of a proof is the service's own id of the member.",
    alters: () => {
      let id = '';
      return together(
        before('sign', (call) => {
          id = call.caller.id;
          return undefined;
        }),
        signs((sign, request) => sign({ ...request, user: id })),
      );
    },
    caughtBy: ['sign/user-is-the-subject', 'proof/accepted'],
  },
  {
    name: 'sign-user-is-the-first',
    requirement: 'SIGN-6',
    description: 'Every proof names the user who signed first.',
    alters: () => {
      let first: string | undefined;
      return signs((sign, request) => {
        first ??= request.user;
        return sign({ ...request, user: first });
      });
    },
    caughtBy: ['sign/user-is-the-subject'],
  },
  {
    name: 'sign-nonce-of-the-second',
    requirement: 'SIGN-7',
    description: 'Nonces are made of the time.',
    alters: signs((sign, request) =>
      sign(request.route ? { ...request, route: { ...request.route, nonce: `n${request.timestamp}` } } : request),
    ),
    caughtBy: ['sign/nonces-never-repeat', 'sign/fresh-nonce-each-time'],
  },
  {
    name: 'sign-nonce-of-the-intern',
    requirement: 'SIGN-7',
    description: 'Nonces are counted apart for each intern.',
    alters: () => {
      const counts = new Map<string, number>();
      return signs((sign, request) => {
        if (!request.route) return sign(request);
        const count = (counts.get(request.internId) ?? 0) + 1;
        counts.set(request.internId, count);
        return sign({ ...request, route: { ...request.route, nonce: `nonce-${count}` } });
      });
    },
    caughtBy: ['sign/nonces-never-repeat'],
  },
  {
    name: 'sign-only-while-it-runs',
    requirement: 'SIGN-8',
    description: 'Signing for an intern that does not run is 409.',
    alters: before('sign', ({ intern }) =>
      intern.record.status === 'running'
        ? undefined
        : errorAnswer(409, 'The intern is not running', 'intern_not_running'),
    ),
    caughtBy: ['sign/status-of-the-intern', 'model/in-time'],
  },
  {
    name: 'sign-before-the-gate',
    requirement: 'SIGN-8',
    description: 'Signing from outside the programme is 403.',
    alters: () => {
      let outside: string[] = [];
      return together(
        {
          seed(seed) {
            outside = seed.members.flatMap((member) =>
              member.programme ? [] : [member.api_key, member.oauth_token, member.oauth_interns_only_token],
            );
            return seed;
          },
        },
        preempts((request, resource) =>
          operationOf(resource, request.method) === 'sign' &&
          outside.includes(request.headers.get('authorization')?.slice('Bearer '.length) ?? '')
            ? errorAnswer(403, 'Personal connections require the OIDC login', 'personal_identity_required')
            : undefined,
        ),
      );
    },
    caughtBy: ['sign/gate', 'auth/outsider', 'auth/matrix'],
  },
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

const accesses = (change: (body: Json) => Json): Alterations => bodies('daemon', (body) => change(body));

export const DAEMON = defineDeviations([
  {
    name: 'daemon-can-be-stored',
    requirement: 'DAEMON-1',
    description: 'Origin and token are answered without Cache-Control: no-store.',
    alters: withoutHeader('daemon', 'cache-control'),
    caughtBy: ['daemon/access'],
  },
  {
    name: 'daemon-needs-the-vault-grant',
    requirement: 'DAEMON-1',
    description: 'An interns-only grant does not read the daemon token.',
    alters: rows('daemon', (row) => ({ ...row, credential: 'oauth_vault' })),
    caughtBy: ['daemon/access', 'daemon/token-per-boot', 'auth/matrix'],
  },
  {
    name: 'daemon-under-other-names',
    requirement: 'DAEMON-1',
    description: 'The token is answered as daemon_token.',
    alters: accesses(({ token, ...body }) => ({ ...body, daemon_token: token })),
    caughtBy: ['daemon/access', 'daemon/access-form'],
  },
  {
    name: 'daemon-origin-with-a-path',
    requirement: 'DAEMON-1',
    description: 'origin ends in a path.',
    alters: accesses((body) => ({ ...body, origin: `${String(body.origin)}/daemon` })),
    caughtBy: ['daemon/access-form'],
  },
  {
    name: 'daemon-origin-ends-in-a-slash',
    requirement: 'DAEMON-1',
    description: 'origin ends in a slash.',
    alters: accesses((body) => ({ ...body, origin: `${String(body.origin)}/` })),
    caughtBy: ['daemon/access-form'],
  },
  {
    name: 'daemon-not-running-is-404',
    requirement: 'DAEMON-1',
    description: 'An intern that does not run is 404.',
    alters: errors(({ reason }) => (reason === 'intern_not_running' ? { status: 404 } : undefined)),
    caughtBy: ['daemon/not-running', 'auth/matrix'],
  },
  {
    name: 'daemon-not-running-is-retryable',
    requirement: 'DAEMON-1',
    description: 'intern_not_running says that trying again helps.',
    alters: errors(({ reason, error }) =>
      reason === 'intern_not_running' ? { error: { ...error, metadata: { reason, retryable: true } } } : undefined,
    ),
    caughtBy: ['daemon/not-running'],
  },
  {
    name: 'daemon-of-a-stopped-intern',
    requirement: 'DAEMON-1',
    description: 'The access of an intern that does not run is answered with a token to come.',
    alters: before('daemon', ({ intern }) =>
      intern.record.status === 'running'
        ? undefined
        : {
            status: 200,
            body: JSON.stringify({ origin: 'http://127.0.0.1:4684', token: `emu-dtok-${intern.id}` }),
            headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
          },
    ),
    caughtBy: ['daemon/not-of-a-stopped-intern', 'daemon/not-running', 'daemon/reveals-logged', 'auth/matrix'],
  },
  {
    name: 'daemon-unreachable-is-502',
    requirement: 'DAEMON-1',
    description: 'A daemon that cannot be reached is 502.',
    alters: errors(({ status, reason }) =>
      status === 409 && reason === 'intern_unreachable' ? { status: 502 } : undefined,
    ),
    caughtBy: ['daemon/unreachable'],
  },
  {
    name: 'daemon-not-asked-whether-it-is-there',
    requirement: 'DAEMON-1',
    description: 'The access of a daemon that cannot be reached is answered.',
    alters: {
      scripts: (usual) => ({
        ...usual,
        resolveLifecycle: (row) => ({ ...usual.resolveLifecycle(row), daemon: 'reachable' }),
      }),
    },
    caughtBy: ['daemon/unreachable'],
  },
  {
    name: 'daemon-token-of-each-caller',
    requirement: 'DAEMON-1',
    description: 'Each reveal has a token of its own.',
    alters: () => {
      let count = 0;
      return accesses((body) => ({ ...body, token: `${String(body.token)}.${count++}` }));
    },
    caughtBy: ['daemon/token-per-boot', 'proof/accepted'],
  },
  {
    name: 'daemon-token-of-all',
    requirement: 'DAEMON-1',
    description: 'All daemons have one token.',
    alters: accesses((body) => ({ ...body, token: 'emu-dtok-shared' })),
    caughtBy: ['daemon/token-per-boot'],
  },
  {
    name: 'reveal-not-logged',
    requirement: 'DAEMON-2',
    description: 'A reveal by the alias is not logged.',
    alters: () => {
      let quiet = false;
      return together(
        {
          store: (store) => {
            const usual = store.collection.bind(store);
            store.collection = ((name: 'reveals') => {
              const found = usual(name);
              return name === 'reveals'
                ? {
                    get size() {
                      return found.size;
                    },
                    get: (id: string) => found.get(id),
                    has: (id: string) => found.has(id),
                    values: () => found.values(),
                    put: (row: Parameters<typeof found.put>[0]) => (quiet ? undefined : found.put(row)),
                    delete: (id: string) => found.delete(id),
                  }
                : found;
            }) as typeof store.collection;
            return store;
          },
        },
        {
          routes: (table) =>
            table.map((row) =>
              row.operation === 'daemon'
                ? {
                    ...row,
                    act(call) {
                      quiet = DAEMON_ALIAS(row);
                      return row.act(call);
                    },
                  }
                : row,
            ),
        },
      );
    },
    caughtBy: ['daemon/reveals-logged'],
  },
  {
    name: 'reveal-logged-by-member',
    requirement: 'DAEMON-2',
    description: "A reveal is logged by the service's own id of the member.",
    alters: rows('daemon', (row) => ({
      ...row,
      act: (call) => {
        const { subject: _, ...caller } = call.caller;
        return row.act(Object.create(call, { caller: { value: caller } }) as typeof call);
      },
    })),
    caughtBy: ['daemon/reveals-logged'],
  },
  {
    name: 'reveal-logged-with-the-token',
    requirement: 'DAEMON-2',
    description: 'The log of reveals holds the token.',
    alters: rows('daemon', (row) => ({
      ...row,
      act: (call) => {
        const caller = { ...call.caller, subject: `${call.caller.subject} ${call.intern.daemon_token}` };
        return row.act(Object.create(call, { caller: { value: caller } }) as typeof call);
      },
    })),
    caughtBy: ['daemon/log-holds-no-token', 'daemon/reveals-logged'],
  },
  {
    name: 'daemon-alias-gone',
    requirement: 'DAEMON-3',
    description: 'The deprecated alias of the daemon access is 404.',
    alters: { routes: (table) => table.filter((row) => !DAEMON_ALIAS(row)) },
    caughtBy: ['daemon/alias', 'daemon/alias-tells-its-successor', 'daemon/not-running', 'daemon/unreachable'],
  },
  {
    name: 'daemon-alias-by-api-key',
    requirement: 'DAEMON-3',
    description: 'An API key reads the daemon token by the alias.',
    alters: rows(DAEMON_ALIAS, (row) => ({ ...row, credential: 'any' })),
    caughtBy: ['daemon/alias', 'auth/daemon-needs-oauth'],
  },
  {
    name: 'daemon-alias-can-be-stored',
    requirement: 'DAEMON-3',
    description: 'The alias answers without Cache-Control: no-store.',
    alters: withoutHeader(DAEMON_ALIAS, 'cache-control'),
    caughtBy: ['daemon/alias'],
  },
  {
    name: 'daemon-alias-does-not-say-it-is-one',
    requirement: 'DAEMON-3',
    description: 'The alias has no Deprecation header.',
    alters: rows(DAEMON_ALIAS, ({ successor: _, ...row }) => row),
    caughtBy: ['daemon/alias-tells-its-successor'],
  },
]);

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
