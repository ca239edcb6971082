import { before, bodies, errorAnswer, operationOf, parses, preempts, reads } from './change.js';
import { isObject } from './change-lifecycle.js';
import { signs } from './change-signing.js';
import { defineDeviations, together } from './deviation.js';

export const SIGN_IDENTITY = defineDeviations([
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
]);
