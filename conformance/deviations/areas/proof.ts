import type { Json } from '../combinators/exchange.js';
import { settings } from '../combinators/parts.js';
import { defineDeviations, type Mutant } from '../mutant.js';

interface DaemonAnswer {
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
const daemons = (change: (answered: DaemonAnswer) => Response | undefined): Mutant => ({
  aroundDaemon: (next) => async (request) => {
    const response = await next(request.clone());
    const body = (await response.clone().json()) as Json & { error?: { metadata?: { reason?: string } } };
    const reason = body.error?.metadata?.reason;
    return change({ status: response.status, body, request, ...(reason ? { reason } : {}) }) ?? response;
  },
});

/** Changes requests before a daemon sees them. */
const received = (change: (request: Request, headers: Headers) => Request | Response): Mutant => ({
  aroundDaemon: (next) => async (request) => {
    const changed = change(request, new Headers(request.headers));
    return changed instanceof Response ? changed : next(changed);
  },
});

const PREFIX = 'x-ori-invoke';
const NONCE = `${PREFIX}-nonce`;
const SIGNATURE_V2 = `${PREFIX}-signature-v2`;

const accepts = (...reasons: string[]) =>
  daemons(({ reason, request }) => (reason !== undefined && reasons.includes(reason) ? ok(request) : undefined));

const renames = (from: string, to: string) => daemons(({ reason }) => (reason === from ? refuse(to) : undefined));

export const PROOF = defineDeviations({
  'proof-by-any-token': {
    description: 'The daemon takes any token.',
    mutant: accepts('token_invalid'),
  },
  'proof-of-a-suspended-intern': {
    description: 'The daemon of a suspended intern takes proofs as before.',
    mutant: daemons(({ reason, request }) =>
      reason === 'token_invalid' && [...request.headers.keys()].some((name) => name.endsWith('-signature-v2'))
        ? ok(request)
        : undefined,
    ),
  },
  'proof-not-needed': {
    description: 'The daemon takes requests without a proof.',
    mutant: accepts('proof_missing'),
  },
  'proof-malformed-is-bad': {
    description: 'A malformed proof is bad_signature.',
    mutant: renames('proof_malformed', 'bad_signature'),
  },
  'proof-not-verified': {
    description: 'The daemon does not verify signatures.',
    mutant: accepts('bad_signature'),
  },
  'proof-v2-not-looked-at': {
    description: 'The daemon verifies the v1 signature only.',
    mutant: received((request, headers) => {
      if (headers.has(SIGNATURE_V2) && headers.has(NONCE)) {
        headers.delete(SIGNATURE_V2);
        headers.delete(NONCE);
      }
      return new Request(request, { headers });
    }),
  },
  'proof-on-one-route-only': {
    description: 'The daemon serves POST /api/invoke only.',
    mutant: received((request) =>
      new URL(request.url).pathname === '/api/invoke' && request.method === 'POST'
        ? request
        : reply(404, {
            error: { code: 404, message: 'Not found', metadata: { reason: 'not_found', retryable: false } },
          }),
    ),
  },
  'proof-v2-again-at-once': {
    description: 'A nonce is noted a moment too late: requests sent at once are all accepted.',
    mutant: {
      aroundDaemon: (next) => {
        const used = new Set<string>();
        return async (request) => {
          const nonce = request.headers.get(NONCE) ?? '';
          const isFirst = !used.has(nonce);
          const response = await next(request.clone());
          const body = await response.clone().text();
          if (response.status === 200) used.add(nonce);
          return isFirst && body.includes('nonce_reused') ? ok(request) : response;
        };
      },
    },
  },
  'proof-nonce-not-remembered': {
    description: 'The daemon takes a v2 proof again and again.',
    mutant: accepts('nonce_reused'),
  },
  'proof-used-up-by-a-refusal': {
    description: 'A v2 proof that was refused cannot be used any more.',
    mutant: () => {
      const used = new Set<string>();
      return daemons(({ status, reason, request }) => {
        const nonce = request.headers.get(NONCE);
        if (nonce === null) return undefined;
        if (status === 200 && used.has(nonce)) return refuse('nonce_reused');
        if (reason === 'bad_signature') used.add(nonce);
        return undefined;
      });
    },
  },
  'proof-for-ever': {
    description: 'A proof is taken however old it is.',
    mutant: settings({ proof_window: 1_000_000_000_000 }),
  },
  'proof-of-any-time-to-come': {
    description: 'A proof from the future is refused like any other.',
    mutant: renames('proof_from_future', 'bad_signature'),
  },
  'proof-of-any-user': {
    description: 'The user that is sent with a proof may be another than it was made for.',
    mutant: daemons(({ body, request }) =>
      (body as { error?: { metadata?: { hint?: unknown } } }).error?.metadata?.hint === 'user_mismatch'
        ? ok(request)
        : undefined,
    ),
  },
});
