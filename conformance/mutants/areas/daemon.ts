import { refusal } from '../../../emulator/wire/answer.js';
import type { Json } from '../../../emulator/wire/json.js';
import { defineMutants, type Mutation } from '../mutant.js';
import { answers, body, errors, field, jsonReply, withoutHeader } from '../operators/answers.js';
import { all, byAlias } from '../operators/exchange.js';
import { aliasOf, handles, refusesCalls, routes, settings } from '../operators/parts.js';

const NOT_STORED = 'cache-control';

/** Changes the caller of a reveal, as the log has it. */
const revealedBy = (change: (caller: RevealedBy, token: string | null) => RevealedBy): Mutation =>
  handles('daemon', (call, handle) =>
    handle(Object.create(call, { caller: { value: change(call.caller, call.intern.daemon_token) } }) as typeof call),
  );
type RevealedBy = Parameters<Parameters<typeof handles>[1]>[0]['caller'];

const attachedTo = (internId: string | undefined) =>
  jsonReply(200, { origin: 'http://127.0.0.1:4684', token: `emu-dtok-${internId}` }, { [NOT_STORED]: 'no-store' });

interface DaemonAnswer {
  readonly status: number;
  readonly reason: string | undefined;
  readonly hint: unknown;
  readonly request: Request;
}

/** The answer of a daemon that accepts every request. */
const ok = (request: Request) =>
  Response.json({ ok: true, verified: { version: 'v1', method: request.method, path: new URL(request.url).pathname } });

const refuse = (reason: string, status = 401) => refusal(status, 'Refused', reason);

/** Changes what the daemons answer; undefined leaves it. `begin` is called for each emulator. */
const daemons = (begin: () => (answered: DaemonAnswer) => Response | undefined): Mutation => ({
  aroundDaemon: (next) => {
    const change = begin();
    return async (request) => {
      const response = await next(request.clone());
      const { error } = (await response.clone().json()) as { error?: { metadata?: Json } };
      const { reason, hint } = error?.metadata ?? {};
      const answered = { status: response.status, reason: reason as string | undefined, hint, request };
      return change(answered) ?? response;
    };
  },
});

/** Changes requests before a daemon sees them. */
const received = (change: (request: Request, headers: Headers) => Request | Response): Mutation => ({
  aroundDaemon: (next) => async (request) => {
    const changed = change(request, new Headers(request.headers));
    return changed instanceof Response ? changed : next(changed);
  },
});

const NONCE = 'x-ori-invoke-nonce';
const SIGNATURE_V2 = 'x-ori-invoke-signature-v2';

const accepts = (when: (answered: DaemonAnswer) => boolean) =>
  daemons(() => (answered) => (when(answered) ? ok(answered.request) : undefined));

const renames = (from: string, to: string) =>
  daemons(
    () =>
      ({ reason }) =>
        reason === from ? refuse(to) : undefined,
  );

export const DAEMON = defineMutants({
  'daemon-can-be-stored': withoutHeader(NOT_STORED, { of: 'daemon', status: 200 }),
  'daemon-needs-the-vault-grant': routes('daemon', { credential: 'oauth_vault' }),
  'daemon-under-other-names': body('daemon', ({ token, ...json }) => ({ ...json, daemon_token: token })),
  // The access of an intern that does not run is answered with a token to come.
  'daemon-of-a-stopped-intern': answers(
    { of: 'daemon', status: 409, reason: 'intern_not_running' },
    (_, { internId }) => attachedTo(internId),
  ),
  'daemon-of-one-that-boots': refusesCalls(
    'daemon',
    ({ intern }) => intern.record.status === 'provisioning',
    attachedTo('any'),
  ),
  'daemon-unreachable-is-502': errors({ status: 409, reason: 'intern_unreachable' }, { status: 502 }),
  'reveal-logged-by-member': revealedBy(({ subject: _, ...caller }) => caller),
  'reveal-logged-with-the-token': revealedBy((caller, token) => ({ ...caller, subject: `${caller.subject} ${token}` })),
  'daemon-alias-gone': routes(aliasOf('daemon'), undefined),
  'daemon-alias-by-api-key': routes(aliasOf('daemon'), { credential: 'any' }),
  'daemon-alias-can-be-stored': withoutHeader(NOT_STORED, { of: all('daemon', byAlias), status: 200 }),
  'daemon-of-the-first-boot': field('daemon', 'token', (token, { internId, first }) => first(internId, token)),
  // The alias reveals the token of the first boot.
  'daemon-alias-of-the-first-boot': field(all('daemon', byAlias), 'token', (token, { internId, first }) =>
    first(internId, token),
  ),
  'daemon-alias-does-not-say-it-is-one': withoutHeader('deprecation', { of: all('daemon', byAlias) }),
});

/** The verdicts of daemons on proofs (PROOF). */
export const PROOF = defineMutants({
  'proof-by-any-token': accepts(({ reason }) => reason === 'token_invalid'),
  // The daemon of a suspended intern takes proofs as before.
  'proof-of-a-suspended-intern': accepts(
    ({ reason, request }) => reason === 'token_invalid' && request.headers.has(SIGNATURE_V2),
  ),
  'proof-not-needed': accepts(({ reason }) => reason === 'proof_missing'),
  'proof-malformed-is-bad': renames('proof_malformed', 'bad_signature'),
  'proof-not-verified': accepts(({ reason }) => reason === 'bad_signature'),
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
    new URL(request.url).pathname === '/api/invoke' && request.method === 'POST' ? request : refuse('not_found', 404),
  ),
  // A nonce is noted a moment too late: requests sent at once are all accepted.
  'proof-v2-again-at-once': {
    aroundDaemon: (next) => {
      const used = new Set<string>();
      return async (request) => {
        const nonce = request.headers.get(NONCE) ?? '';
        const isFirst = !used.has(nonce);
        const response = await next(request.clone());
        const text = await response.clone().text();
        if (response.status === 200) used.add(nonce);
        return isFirst && text.includes('nonce_reused') ? ok(request) : response;
      };
    },
  },
  'proof-nonce-not-remembered': accepts(({ reason }) => reason === 'nonce_reused'),
  // A v2 proof that was refused cannot be used any more.
  'proof-used-up-by-a-refusal': daemons(() => {
    const used = new Set<string>();
    return ({ status, reason, request }) => {
      const nonce = request.headers.get(NONCE);
      if (nonce === null) return undefined;
      if (status === 200 && used.has(nonce)) return refuse('nonce_reused');
      if (reason === 'bad_signature') used.add(nonce);
      return undefined;
    };
  }),
  'proof-for-ever': settings({ proof_window: 1_000_000_000_000 }),
  // A proof from the future is refused like any other.
  'proof-of-any-time-to-come': renames('proof_from_future', 'bad_signature'),
  // The user that is sent with a proof may be another than it was made for.
  'proof-of-any-user': accepts(({ hint }) => hint === 'user_mismatch'),
  'proof-of-any-route': accepts(({ hint }) => hint === 'route_mismatch'),
  // A request without a body is taken with the proof of any.
  'proof-without-its-body': {
    aroundDaemon: (next) => async (request) => {
      const body = await request.clone().text();
      const response = await next(request.clone());
      return body === '' && (await response.clone().text()).includes('digest_mismatch') ? ok(request) : response;
    },
  },
});
