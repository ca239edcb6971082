import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock/clock.js';
import {
  DAEMON_BODY_CAP,
  DAEMON_ERRORS,
  DAEMON_REFUSALS,
  type DaemonAccepted,
  type DaemonHint,
  type DaemonReason,
  type DaemonRefused,
  type Verified,
} from '../contract/daemon.js';
import { rowEnvelope } from '../contract/errors.js';
import { type Profile, proofHeaders } from '../contract/profile.js';
import type { InternRow } from '../contract/state.js';
import type { VerifyKey } from '../signing/verify.js';
import { readBody, readIncoming } from './body.js';
import { diagnose, hintOf } from './diagnose.js';
import type { Issued } from './issued.js';
import { badSignature, expectedFields, judgeTime, type ReceivedRequest } from './judge.js';
import { createNonces, type Nonces } from './nonces.js';
import { type ReceivedProof, type Refused, readProof } from './proof.js';
import { splitTarget } from './target.js';
import { createTokens, type Interns } from './tokens.js';

export interface DaemonParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly interns: Interns;
  readonly profile: Profile;
  readonly publicKey: VerifyKey;
  /** `proof_window` in ms, as it is now. */
  settings(): { readonly proof_window: number };
  /** What the emulator signed, for hints only. */
  readonly issued: Issued;
  /** The OAuth subjects there are, for hints only. */
  subjects(): Iterable<string>;
  readonly requireV2?: boolean | undefined;
  /** Unix seconds: v2 proofs made before may have been accepted by a process whose memory is gone, and are refused. */
  readonly remembersFrom?: number | undefined;
  readonly lifecyclePlan?: (intern: InternRow) => { readonly daemon: 'reachable' | 'unreachable' };
  /** Told of every request: never of a token or a signature. */
  readonly log?: ((record: { event: string; [detail: string]: unknown }) => void) | undefined;
}

/** The fake intern daemon. `nonces` is its memory, for the signing lab to look at. */
export interface Daemon {
  /**
   * `incoming` is the request as a listener received it: its target, before any URL parser resolved its dots, and its
   * body, whatever the method. Without it the URL and the body of the request are what was received.
   */
  fetch(request: Request, incoming?: IncomingMessage): Promise<Response>;
  readonly nonces: Nonces;
}

/** Not Response.json: a listener serves a Response made from text without a stream in between. */
const respond = (value: unknown, status: number, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });

function refusal({ reason, detail }: Refused, hint?: DaemonHint): Response {
  const body: DaemonRefused = {
    error: {
      code: 401,
      message: `${DAEMON_REFUSALS[reason]}: ${detail}`,
      metadata: { reason, retryable: false, ...(hint && { hint }) },
    },
  };
  const challenge = reason === 'token_invalid' ? { 'www-authenticate': 'Bearer' } : {};
  return respond(body, 401, challenge);
}

const failure = (key: keyof typeof DAEMON_ERRORS): Response =>
  respond(rowEnvelope(DAEMON_ERRORS[key]), DAEMON_ERRORS[key].status);

/**
 * Verifies as an intern's daemon has to, from the request alone, in this order: token, presence, form, time, signature,
 * nonce. Any method and route is taken. A refused proof leaves its nonce unused (SIGN-7).
 */
export function createDaemon(parts: DaemonParts): Daemon {
  const { clock, profile, publicKey, issued } = parts;
  const layout = profile.proof_layout;
  const names = proofHeaders(profile);
  const nonces = createNonces();
  if (parts.remembersFrom !== undefined) nonces.forgetBefore(parts.remembersFrom);
  const findIntern = createTokens(parts.interns);

  const explain = (
    proof: ReceivedProof,
    request: ReceivedRequest,
    bad: 'v1' | 'v2',
    body: Uint8Array,
    search: string,
  ) => {
    const suspects = {
      internIds: [...parts.interns.values()].map((row) => row.id),
      users: parts.subjects(),
      body,
      search,
    };
    const signature = bad === 'v2' ? (proof.signatureV2 ?? '') : proof.signature;
    const made = diagnose({ key: publicKey, layout, issued }, bad, signature, expectedFields(proof, request), suspects);
    const detail = made
      ? `${bad} was made for another ${made.differing.join(', ')}`
      : `${bad}, over the request as received`;
    return { detail, hint: made && hintOf(made.differing) };
  };

  const judge = async (
    request: Request,
    incoming: IncomingMessage | undefined,
  ): Promise<{ response: Response; internId?: string; reason?: DaemonReason }> => {
    const authorization = request.headers.get('authorization') ?? '';
    const token = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
    const intern = token === undefined ? undefined : findIntern(token);
    if (!intern) {
      const detail = token === undefined ? 'no bearer token was sent' : 'no running intern has this token';
      return { response: refusal({ reason: 'token_invalid', detail }), reason: 'token_invalid' };
    }
    const internId = intern.id;
    const refuse = (refused: Refused, hint?: DaemonHint) => ({
      response: refusal(refused, hint),
      internId,
      reason: refused.reason,
    });
    if (parts.lifecyclePlan?.(intern).daemon === 'unreachable') return { response: failure('unreachable'), internId };

    const proof = readProof(request.headers, names, parts.requireV2 ?? false);
    if ('reason' in proof) return refuse(proof);
    const late = judgeTime(proof, clock.now(), parts.settings().proof_window, nonces);
    if (late) return refuse(late);

    const body = await (readIncoming(incoming, DAEMON_BODY_CAP) ??
      readBody(request, DAEMON_BODY_CAP, incoming !== undefined));
    if (!body) return { response: failure('too_large'), internId };
    const { path, search } = splitTarget(incoming?.url ?? request.url);
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const received = { internId, method: request.method, path, bodySha256 };

    // From here to the end nothing waits: of two requests with one nonce, one is judged whole before the other.
    const now = clock.now();
    const { proof_window: window } = parts.settings();
    nonces.forgetBefore(Math.floor((now - window) / 1_000));
    const tooLate = judgeTime(proof, now, window, nonces);
    if (tooLate) return refuse(tooLate);
    const bad = badSignature(publicKey, layout, proof, expectedFields(proof, received));
    if (bad) {
      const { detail, hint } = explain(proof, received, bad, body, search);
      return refuse({ reason: 'bad_signature', detail }, hint);
    }
    if (proof.nonce !== undefined && !nonces.take(internId, proof.nonce, Number(proof.timestamp))) {
      return refuse({ reason: 'nonce_reused', detail: 'a v2 proof is accepted once' });
    }
    const verified: Verified = {
      version: proof.version,
      intern_id: internId,
      user: proof.user,
      timestamp: proof.timestamp,
      ...(proof.nonce !== undefined && { nonce: proof.nonce }),
      method: received.method,
      path,
      body_sha256: bodySha256,
    };
    const accepted: DaemonAccepted = { ok: true, verified };
    return { response: respond(accepted, 200), internId };
  };

  return {
    nonces,
    async fetch(request, incoming) {
      const { method } = request;
      try {
        const { response, internId, reason } = await judge(request, incoming);
        parts.log?.({ event: 'daemon', method, status: response.status, intern_id: internId, reason });
        return response;
      } catch (error) {
        parts.log?.({ event: 'daemon_error', method, message: error instanceof Error ? error.message : String(error) });
        return failure('internal');
      }
    },
  };
}
