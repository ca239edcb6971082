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

/** The answer of a daemon that accepts every request. */
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
  // The daemon takes any token.
  'proof-by-any-token': accepts('token_invalid'),
  // The daemon of a suspended intern takes proofs as before.
  'proof-of-a-suspended-intern': daemons(({ reason, request }) =>
    reason === 'token_invalid' && [...request.headers.keys()].some((name) => name.endsWith('-signature-v2'))
      ? ok(request)
      : undefined,
  ),
  // The daemon takes requests without a proof.
  'proof-not-needed': accepts('proof_missing'),
  'proof-malformed-is-bad': renames('proof_malformed', 'bad_signature'),
  // The daemon does not verify signatures.
  'proof-not-verified': accepts('bad_signature'),
  // The daemon verifies the v1 signature only.
  'proof-v2-not-looked-at': received((request, headers) => {
    if (headers.has(SIGNATURE_V2) && headers.has(NONCE)) {
      headers.delete(SIGNATURE_V2);
      headers.delete(NONCE);
    }
    return new Request(request, { headers });
  }),
  // The daemon serves POST /api/invoke only.
  'proof-on-one-route-only': received((request) =>
    new URL(request.url).pathname === '/api/invoke' && request.method === 'POST'
      ? request
      : reply(404, {
          error: { code: 404, message: 'Not found', metadata: { reason: 'not_found', retryable: false } },
        }),
  ),
  // A nonce is noted a moment too late: requests sent at once are all accepted.
  'proof-v2-again-at-once': {
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
  // The daemon takes a v2 proof again and again.
  'proof-nonce-not-remembered': accepts('nonce_reused'),
  // A v2 proof that was refused cannot be used any more.
  'proof-used-up-by-a-refusal': () => {
    const used = new Set<string>();
    return daemons(({ status, reason, request }) => {
      const nonce = request.headers.get(NONCE);
      if (nonce === null) return undefined;
      if (status === 200 && used.has(nonce)) return refuse('nonce_reused');
      if (reason === 'bad_signature') used.add(nonce);
      return undefined;
    });
  },
  // A proof is taken however old it is.
  'proof-for-ever': settings({ proof_window: 1_000_000_000_000 }),
  // A proof from the future is refused like any other.
  'proof-of-any-time-to-come': renames('proof_from_future', 'bad_signature'),
  // The user that is sent with a proof may be another than it was made for.
  'proof-of-any-user': daemons(({ body, request }) =>
    (body as { error?: { metadata?: { hint?: unknown } } }).error?.metadata?.hint === 'user_mismatch'
      ? ok(request)
      : undefined,
  ),
});
