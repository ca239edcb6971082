import type { Alterations } from './alterations.js';
import { numbers } from './change.js';
import type { Json } from './change-lifecycle.js';
import { defineDeviations } from './deviation.js';

interface Answered {
  readonly status: number;
  readonly body: Json;
  readonly reason?: string;
  readonly request: Request;
}

const reply = (status: number, body: unknown) => Response.json(body, { status });

/** What a daemon says that accepts whatever it got. */
const ok = (request: Request) =>
  reply(200, { ok: true, verified: { version: 'v1', method: request.method, path: new URL(request.url).pathname } });

const refuse = (reason: string) =>
  reply(401, { error: { code: 401, message: 'Refused', metadata: { reason, retryable: false } } });

/** Changes what the daemons answer; undefined leaves it. */
const daemons = (change: (answered: Answered) => Response | undefined): Alterations => ({
  proofs: (usual) => ({
    ...usual,
    daemon: {
      ...usual.daemon,
      async fetch(request) {
        const response = await usual.daemon.fetch(request.clone());
        const body = (await response.clone().json()) as Json & { error?: { metadata?: { reason?: string } } };
        const reason = body.error?.metadata?.reason;
        return change({ status: response.status, body, request, ...(reason ? { reason } : {}) }) ?? response;
      },
    },
  }),
});

/** Changes requests before a daemon sees them. */
const received = (change: (request: Request, headers: Headers) => Request | Response): Alterations => ({
  proofs: (usual) => ({
    ...usual,
    daemon: {
      ...usual.daemon,
      async fetch(request) {
        const changed = change(request, new Headers(request.headers));
        return changed instanceof Response ? changed : usual.daemon.fetch(changed);
      },
    },
  }),
});

const PREFIX = 'x-ori-invoke';
const NONCE = `${PREFIX}-nonce`;
const SIGNATURE_V2 = `${PREFIX}-signature-v2`;

const accepts = (...reasons: string[]) =>
  daemons(({ reason, request }) => (reason !== undefined && reasons.includes(reason) ? ok(request) : undefined));

const renames = (from: string, to: string) => daemons(({ reason }) => (reason === from ? refuse(to) : undefined));

export const PROOF = defineDeviations([
  {
    name: 'proof-by-any-token',
    requirement: 'EMU-8',
    description: 'The daemon takes any token.',
    alters: accepts('token_invalid'),
    caughtBy: ['proof/token', 'suspend/daemon-token-dies', 'proof/order'],
  },
  {
    name: 'proof-token-under-any-scheme',
    requirement: 'EMU-8',
    description: 'The daemon takes its token under any scheme.',
    alters: received((request, headers) => {
      const given = headers.get('authorization');
      if (given) headers.set('authorization', `Bearer ${given.split(' ').at(-1)}`);
      return new Request(request, { headers });
    }),
    caughtBy: ['proof/token'],
  },
  {
    name: 'proof-missing-is-malformed',
    requirement: 'EMU-8',
    description: 'A proof that lacks a header is proof_malformed.',
    alters: renames('proof_missing', 'proof_malformed'),
    caughtBy: ['proof/missing', 'proof/order', 'suspend/daemon-token-dies'],
  },
  {
    name: 'proof-not-needed',
    requirement: 'SIGN-7',
    description: 'The daemon takes requests without a proof.',
    alters: accepts('proof_missing'),
    caughtBy: ['proof/missing', 'proof/v2-once', 'suspend/daemon-token-dies'],
  },
  {
    name: 'proof-nonce-not-needed',
    requirement: 'EMU-8',
    description: 'A v2 proof without its nonce is taken for a v1 proof.',
    alters: received((request, headers) => {
      if (!headers.has(NONCE)) headers.delete(SIGNATURE_V2);
      return new Request(request, { headers });
    }),
    caughtBy: ['proof/missing'],
  },
  {
    name: 'proof-malformed-is-bad',
    requirement: 'EMU-8',
    description: 'A malformed proof is bad_signature.',
    alters: renames('proof_malformed', 'bad_signature'),
    caughtBy: ['proof/malformed', 'proof/order'],
  },
  {
    name: 'proof-not-verified',
    requirement: 'SIGN-4',
    description: 'The daemon does not verify signatures.',
    alters: accepts('bad_signature'),
    caughtBy: [
      'proof/one-bit',
      'proof/bound-to-its-route',
      'proof/hints',
      'proof/nonces-of-interns-apart',
      'proof/order',
    ],
  },
  {
    name: 'proof-v2-not-looked-at',
    requirement: 'SIGN-7',
    description: 'The daemon verifies the v1 signature only.',
    alters: received((request, headers) => {
      if (headers.has(SIGNATURE_V2) && headers.has(NONCE)) {
        headers.delete(SIGNATURE_V2);
        headers.delete(NONCE);
      }
      return new Request(request, { headers });
    }),
    caughtBy: [
      'proof/v2-once',
      'proof/v2-race',
      'proof/v1-again',
      'proof/bound-to-its-route',
      'proof/one-bit',
      'proof/accepted',
    ],
  },
  {
    name: 'proof-body-not-looked-at',
    requirement: 'SIGN-4',
    description: 'The daemon takes a proof for any body.',
    alters: daemons(({ body, request }) => {
      const { error } = body as { error?: { metadata?: { hint?: string } } };
      return error?.metadata?.hint === 'digest_mismatch' ? ok(request) : undefined;
    }),
    caughtBy: ['proof/bound-to-its-route', 'proof/one-bit', 'proof/hints', 'proof/order'],
  },
  {
    name: 'proof-route-not-looked-at',
    requirement: 'SIGN-4',
    description: 'The daemon takes a v2 proof for any route.',
    alters: daemons(({ body, request }) => {
      const { error } = body as { error?: { metadata?: { hint?: string } } };
      return error?.metadata?.hint === 'route_mismatch' ? ok(request) : undefined;
    }),
    caughtBy: ['proof/bound-to-its-route', 'proof/hints'],
  },
  {
    name: 'proof-without-hints',
    requirement: 'EMU-8',
    description: 'A bad signature comes without a hint.',
    alters: daemons(({ reason }) => (reason === 'bad_signature' ? refuse('bad_signature') : undefined)),
    caughtBy: ['proof/hints', 'proof/nonces-of-interns-apart'],
  },
  {
    name: 'proof-of-any-intern',
    requirement: 'EMU-8',
    description: 'The daemon takes proofs for other interns.',
    alters: daemons(({ body, request }) => {
      const { error } = body as { error?: { metadata?: { hint?: string } } };
      return error?.metadata?.hint === 'wrong_intern' ? ok(request) : undefined;
    }),
    caughtBy: ['proof/nonces-of-interns-apart'],
  },
  {
    name: 'proof-nonce-before-signature',
    requirement: 'EMU-8',
    description: 'A used nonce is told before a bad signature.',
    alters: () => {
      const used = new Set<string>();
      return daemons(({ status, reason, request }) => {
        const nonce = request.headers.get(NONCE) ?? '';
        if (status === 200) used.add(nonce);
        return reason === 'bad_signature' && used.has(nonce) ? refuse('nonce_reused') : undefined;
      });
    },
    caughtBy: ['proof/order'],
  },
  {
    name: 'proof-time-before-form',
    requirement: 'EMU-8',
    description: 'The age of a proof is told before its form.',
    alters: () => {
      let now = () => 0;
      return {
        clock(clock) {
          now = () => clock.now();
          return clock;
        },
        ...daemons(({ reason, request }) =>
          reason === 'proof_malformed' && Number(request.headers.get(`${PREFIX}-timestamp`)) * 1_000 + 60_000 < now()
            ? refuse('proof_expired')
            : undefined,
        ),
      };
    },
    caughtBy: ['proof/order'],
  },
  {
    name: 'proof-on-one-route-only',
    requirement: 'EMU-8',
    description: 'The daemon serves POST /api/invoke only.',
    alters: received((request) =>
      new URL(request.url).pathname === '/api/invoke' && request.method === 'POST'
        ? request
        : reply(404, {
            error: { code: 404, message: 'Not found', metadata: { reason: 'not_found', retryable: false } },
          }),
    ),
    caughtBy: ['proof/any-route', 'proof/accepted'],
  },
  {
    name: 'proof-path-decoded',
    requirement: 'EMU-8',
    description: 'The daemon shows the path decoded.',
    alters: daemons(({ status, body }) => {
      if (status !== 200) return undefined;
      const { verified } = body as { verified: { path: string } };
      return reply(200, { ...body, verified: { ...verified, path: decodeURIComponent(verified.path) } });
    }),
    caughtBy: ['proof/any-route'],
  },
  {
    name: 'proof-does-not-say-for-whom',
    requirement: 'EMU-8',
    description: 'The daemon does not tell the user it verified.',
    alters: daemons(({ status, body }) => {
      if (status !== 200) return undefined;
      const { user: _, ...verified } = (body as { verified: Json }).verified;
      return reply(200, { ...body, verified });
    }),
    caughtBy: ['proof/accepted'],
  },
  {
    name: 'proof-v2-again',
    requirement: 'SIGN-7',
    description: 'A v2 proof is taken any number of times.',
    alters: accepts('nonce_reused'),
    caughtBy: ['proof/v2-once', 'proof/v2-race', 'proof/v1-again'],
  },
  {
    name: 'proof-v2-again-at-once',
    requirement: 'SIGN-7',
    description: 'A nonce is noted a moment too late: requests sent at once are all taken.',
    alters: () => {
      const fresh = new Set<string>();
      return daemons(({ status, reason, request }) => {
        const nonce = request.headers.get(NONCE) ?? '';
        if (status === 200) {
          fresh.add(nonce);
          setImmediate(() => fresh.delete(nonce));
        }
        return reason === 'nonce_reused' && fresh.has(nonce) ? ok(request) : undefined;
      });
    },
    caughtBy: ['proof/v2-race'],
  },
  {
    name: 'proof-v1-once',
    requirement: 'SIGN-7',
    description: 'A v1 proof is taken once.',
    alters: () => {
      const used = new Set<string>();
      return daemons(({ status, request }) => {
        const signature = request.headers.get(`${PREFIX}-signature`) ?? '';
        if (status !== 200 || request.headers.has(NONCE)) return undefined;
        if (used.has(signature)) return refuse('nonce_reused');
        used.add(signature);
        return undefined;
      });
    },
    caughtBy: ['proof/v1-again'],
  },
  {
    name: 'proof-used-up-by-a-refusal',
    requirement: 'SIGN-7',
    description: 'A v2 proof that was refused cannot be used any more.',
    alters: () => {
      const used = new Set<string>();
      return daemons(({ status, reason, request }) => {
        const nonce = request.headers.get(NONCE);
        if (nonce === null) return undefined;
        if (status === 200 && used.has(nonce)) return refuse('nonce_reused');
        if (reason === 'bad_signature') used.add(nonce);
        return undefined;
      });
    },
    caughtBy: [
      'proof/refused-is-not-used-up',
      'proof/one-bit',
      'proof/bound-to-its-route',
      'proof/nonces-of-interns-apart',
    ],
  },
  {
    name: 'proof-for-ten-minutes',
    requirement: 'SIGN-7',
    description: 'A proof is taken for ten minutes.',
    alters: numbers({ proof_window: 600_000 }),
    caughtBy: ['proof/window', 'proof/order'],
  },
  {
    name: 'proof-for-30-seconds',
    requirement: 'SIGN-7',
    description: 'A proof is taken for 30 seconds.',
    alters: numbers({ proof_window: 30_000 }),
    caughtBy: ['proof/window'],
  },
  {
    name: 'proof-for-ever',
    requirement: 'SIGN-7',
    description: 'A proof is taken however old it is.',
    alters: numbers({ proof_window: 1_000_000_000_000 }),
    caughtBy: ['proof/old-is-refused', 'proof/window', 'proof/order'],
  },
  {
    name: 'proof-of-any-time-to-come',
    requirement: 'SIGN-7',
    description: 'A proof from the future is not told from others.',
    alters: renames('proof_from_future', 'bad_signature'),
    caughtBy: ['proof/from-the-future'],
  },
]);
