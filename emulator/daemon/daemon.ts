import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock/clock.js';
import type { FairQueue } from '../clock/fair-queue.js';
import {
  DAEMON_BODY_CAP,
  DAEMON_ERRORS,
  DAEMON_REFUSALS,
  type DaemonHint,
  type RefusalKey,
} from '../contract/daemon.js';
import { Refusal, rowEnvelope } from '../contract/errors.js';
import { type Profile, proofHeaders } from '../contract/profile.js';
import { givenRequestId } from '../contract/request-id.js';
import type { InternRow } from '../contract/state.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { readReceivedBody } from '../requests/request-body.js';
import type { ProofFieldName, ProofFields } from '../signing/canonical.js';
import type { VerifyKey } from '../signing/verify.js';
import { diagnose, hintOf } from './diagnose.js';
import type { Issued } from './issued.js';
import { createNonces, type KeptNonces, type Nonces } from './nonces.js';
import type { Refused } from './proof.js';
import { splitRequestTarget } from './request-target.js';
import type { FindIntern, InternRows } from './tokens.js';
import { type Trace, verifyProof } from './verify-proof.js';

export interface DaemonDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly heavyWork: FairQueue;
  readonly interns: InternRows;
  readonly findIntern: FindIntern;
  readonly profile: Profile;
  publicKey(): VerifyKey;
  /** `proof_window` in ms, as it is now. */
  settings(): { readonly proof_window: number };
  /** The emulator's own signatures, for hints only. */
  readonly issued: Issued;
  /** The known OAuth subjects, for hints only. */
  subjects(): Iterable<string>;
  readonly requireV2?: boolean | undefined;
  /** Used nonces, if they outlive the process; by default they are in memory. */
  readonly kept?: KeptNonces | undefined;
  readonly lifecyclePlan?: (intern: InternRow) => { readonly daemon: 'reachable' | 'unreachable' };
  /** An id for a request that has none of its own (BASE-6). */
  requestId(): string;
  /** Receives every request: never a token or a signature. */
  readonly onRequest?: ((request: DaemonRequest) => void) | undefined;
  /** Receives what goes wrong. */
  readonly log?: ((record: { event: string; [detail: string]: unknown }) => void) | undefined;
}

export interface DaemonRequest {
  /** When it came, in ms. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The intern whose daemon it was for; undefined for an unknown token. */
  readonly internId: string | undefined;
  /** The user that an accepted proof names. */
  readonly user: string | undefined;
  readonly wrong: string | undefined;
  /** A refusal: the request as it came, the part of its body that was read, and the answer. */
  readonly refused?: {
    readonly id: string;
    readonly by: RefusalKey;
    readonly request: ReceivedRequest;
    readonly url: string;
    readonly body: Uint8Array | undefined;
    readonly answer: Omit<DaemonResponse, 'status'>;
  };
}

interface DaemonResponse {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly answer: DaemonResponse;
  readonly internId?: string;
  readonly user?: string;
  /** Of a refusal. */
  readonly wrong?: string;
  readonly by?: RefusalKey;
  readonly body?: Uint8Array;
}

/** The emulated intern daemon. `nonces` is its memory, for the signing lab to inspect. */
export interface Daemon {
  /**
   * `incoming` is the request as a listener received it: its target, before any URL parser resolved its dots, and its
   * body, whatever the method. Without it the URL and the body of the request are what was received.
   */
  fetch(request: ReceivedRequest, incoming?: IncomingMessage): Promise<Response>;
  readonly nonces: Nonces;
}

/** A field that differs, in words; of digests both values, since the body that was sent is what people look for. */
const different = (signed: ProofFields, received: ProofFields) => (name: ProofFieldName) =>
  name === 'body_sha256' ? `body: its digest is ${received[name]}, signed was ${signed[name]}` : name;

const answerOf = (value: unknown, status: number, headers: Record<string, string> = {}): DaemonResponse => ({
  status,
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
});

function refusal({ reason, detail }: Refused, hint?: DaemonHint): DaemonResponse {
  const body = {
    error: {
      code: 401,
      message: `${DAEMON_REFUSALS[reason].message}: ${detail}`,
      metadata: { reason, retryable: false, ...(hint && { hint }) },
    },
  };
  const challenge = reason === 'token_invalid' ? { 'www-authenticate': 'Bearer' } : {};
  return answerOf(body, 401, challenge);
}

const failure = (key: keyof typeof DAEMON_ERRORS): DaemonResponse =>
  answerOf(rowEnvelope(DAEMON_ERRORS[key]), DAEMON_ERRORS[key].status);

/**
 * Verifies as an intern's daemon must, from the request alone, in this order: token, presence, form, time, signature,
 * nonce. It accepts any method and route. A refused proof leaves its nonce unused (SIGN-7).
 */
export function createDaemon(deps: DaemonDeps): Daemon {
  const { clock, profile, issued } = deps;
  const layout = profile.proof_layout;
  const names = proofHeaders(profile);
  const { kept } = deps;
  const nonces = createNonces(kept?.rows, kept?.since);
  const { findIntern } = deps;
  const verifier = {
    get key() {
      return deps.publicKey();
    },
    layout,
    names,
    nonces,
    requireV2: deps.requireV2 ?? false,
  };

  /** The request that a wrong signature was made for, if that can be found out. */
  const explainBadSignature = ({ proof, expected, badVersion }: Trace, body: Uint8Array, search: string) => {
    if (!proof || !expected || badVersion === undefined) return undefined;
    const suspects = {
      internIds: [...deps.interns.values()].map((row) => row.id),
      users: deps.subjects(),
      body,
      search,
    };
    const signature = badVersion === 'v2' ? (proof.signatureV2 ?? '') : proof.signature;
    const made = diagnose({ key: deps.publicKey(), layout, issued }, badVersion, signature, expected, suspects);
    return (
      made && {
        detail: `${badVersion} was made for another ${made.differing.map(different(made.fields, expected)).join(', ')}`,
        hint: hintOf(made.differing),
      }
    );
  };

  const respondTo = async (request: ReceivedRequest, incoming: IncomingMessage | undefined): Promise<Outcome> => {
    const authorization = request.headers.get('authorization') ?? '';
    const token = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];
    const intern = token === undefined ? undefined : findIntern(token);
    if (!intern) {
      const detail = token === undefined ? 'no bearer token was sent' : 'no running intern has this token';
      return {
        answer: refusal({ reason: 'token_invalid', detail }),
        wrong: `token_invalid: ${detail}`,
        by: 'token_invalid',
      };
    }
    const internId = intern.id;
    const refuse = (refused: Refused, read?: { body: Uint8Array; hint?: DaemonHint | undefined }): Outcome => ({
      answer: refusal(refused, read?.hint),
      internId,
      wrong: `${refused.reason}: ${refused.detail}`,
      by: refused.reason,
      ...(read && { body: read.body }),
    });
    if (deps.lifecyclePlan?.(intern).daemon === 'unreachable')
      return {
        answer: failure('unreachable'),
        internId,
        wrong: "the intern's script makes its daemon unreachable",
        by: 'daemon_unreachable',
      };

    const { path, search } = splitRequestTarget(incoming?.url ?? request.url);
    const verify = (bodySha256: string | undefined, now: number, window: number) =>
      verifyProof(verifier, {
        intern,
        headers: request.headers,
        method: request.method,
        path,
        bodySha256,
        now,
        window,
      });
    // An error that is known already is reported before the body is read.
    const early = verify(undefined, clock.now(), deps.settings().proof_window).verdict;
    if (early.result === 'refused') return refuse(early);

    const body = await readReceivedBody(request, incoming, DAEMON_BODY_CAP).catch((error: Error) => error);
    if (body instanceof Refusal)
      return {
        answer: failure('too_large'),
        internId,
        wrong: `the body exceeds ${DAEMON_BODY_CAP} bytes`,
        by: body.key,
      };
    if (body instanceof Error)
      return { answer: failure('broken_off'), internId, wrong: `the body broke off: ${body}`, by: 'invalid_body' };
    const bodySha256 = hash('sha256', body, 'hex');
    await deps.heavyWork.next();

    // From here until its nonce is used nothing waits: of two requests with one nonce, one is verified completely
    // before the other.
    const now = clock.now();
    const { proof_window: window } = deps.settings();
    const expired = (at: number) => Math.floor((at - window) / 1_000);
    nonces.forgetBefore(expired(Math.min(now, kept?.earliest() ?? now)), expired(now));
    const { verdict, trace } = verify(bodySha256, now, window);
    if (verdict.result !== 'accepted') {
      if (verdict.result === 'pending') throw new Error('a proof with its body is pending');
      const made = explainBadSignature(trace, body, search);
      return refuse(made ? { reason: verdict.reason, detail: made.detail } : verdict, { body, hint: made?.hint });
    }
    const { verified } = verdict;
    if (verified.nonce !== undefined) {
      nonces.take(internId, verified.nonce, Number(verified.timestamp));
      // Accepted only once its nonce is sure to stay used, even if the process dies.
      if (kept) await kept.commit();
    }
    return { answer: answerOf({ ok: true, verified }, 200), internId, user: verified.user };
  };

  return {
    nonces,
    async fetch(request, incoming) {
      const { method } = request;
      const at = clock.now();
      const id = givenRequestId(request.headers.get('x-request-id')) ?? deps.requestId();
      const respond = ({ answer, internId, user, wrong, by, body: read }: Outcome): Response => {
        const { status, body } = answer;
        const end = request.url.indexOf('/', request.url.indexOf('://') + 3);
        const path = incoming?.url ?? request.url.slice(end);
        const url = request.url.slice(0, end) + path;
        // Not Response.json: a listener serves a Response made from text without a stream in between.
        const detail =
          wrong === undefined ? {} : { 'x-emulator-detail': wrong.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) };
        const headers = { ...answer.headers, ...detail, 'x-request-id': id };
        const refused = by && { id, by, request, url, body: read, answer: { body, headers } };
        deps.onRequest?.({ at, method, path, status, internId, user, wrong, ...(refused && { refused }) });
        return new Response(body, { status, headers });
      };
      try {
        return respond(await respondTo(request, incoming));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        deps.log?.({ level: 'error', event: 'daemon_error', request_id: id, method, message });
        return respond({
          answer: failure('internal'),
          wrong: 'the emulator failed; see the log',
          by: 'internal_error',
        });
      }
    },
  };
}
