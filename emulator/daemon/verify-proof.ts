import { type DaemonReason, FUTURE_TOLERANCE_SECONDS, type Verified } from '../contract/daemon.js';
import type { ProofHeaders } from '../contract/profile.js';
import { canonicalise, type ProofFields, type ProofLayout, type ProofVersion } from '../signing/canonical.js';
import { decodeSignature, type VerifyKey, verifyBytes } from '../signing/verify.js';
import type { Nonces } from './nonces.js';
import { type ReceivedProof, type Refused, readProof } from './proof.js';

/** The checks of a daemon, in this order; the first that fails is the reason of the refusal. */
export const PROOF_CHECKS = ['token', 'presence', 'form', 'time', 'signature', 'nonce'] as const;
export type ProofCheck = (typeof PROOF_CHECKS)[number];

const CHECK_OF: Readonly<Record<DaemonReason, ProofCheck>> = {
  token_invalid: 'token',
  proof_missing: 'presence',
  proof_malformed: 'form',
  proof_expired: 'time',
  proof_from_future: 'time',
  bad_signature: 'signature',
  nonce_reused: 'nonce',
};

export interface VerifyDeps {
  readonly key: VerifyKey;
  readonly layout: ProofLayout;
  readonly names: ProofHeaders;
  readonly nonces: Pick<Nonces, 'has' | 'remembers'>;
  readonly requireV2: boolean;
}

/** A request with a proof, as a daemon received it. */
export interface ReceivedRequest {
  /** The intern whose daemon is addressed, and what is wrong with the token that should name it. */
  readonly intern: { readonly id: string | undefined; readonly problem?: string | undefined };
  readonly headers: Headers;
  readonly method: string;
  readonly path: string;
  /** Undefined while the body is still unread: then signature and nonce are not checked yet. */
  readonly bodySha256: string | undefined;
  /** ms since 1970. */
  readonly now: number;
  /** How old a proof may be, in ms. */
  readonly window: number;
}

/** The verdict on a proof. It is `pending` if the body is missing and nothing before it was wrong. */
export type ProofVerdict =
  | { readonly result: 'accepted'; readonly verified: Verified }
  | ({ readonly result: 'refused' } & Refused)
  | { readonly result: 'pending' };

export interface Trace {
  /** The check that failed; those before it passed, those after it were not reached. */
  readonly failed: ProofCheck | undefined;
  /** Undefined if it is incomplete or malformed. */
  readonly proof: ReceivedProof | undefined;
  /** The fields that the signatures must be made over, once all of them are known. */
  readonly expected: ProofFields | undefined;
  /** The first signature that does not verify. */
  readonly badVersion: ProofVersion | undefined;
}

/** The fields that a request's signatures must be made over. */
const expectedFields = (
  proof: ReceivedProof,
  id: string,
  request: ReceivedRequest,
  body_sha256: string,
): ProofFields => ({
  intern_id: id,
  timestamp: proof.timestamp,
  user: proof.user,
  body_sha256,
  ...(proof.nonce !== undefined && { nonce: proof.nonce, method: request.method, path: request.path }),
});

/**
 * Whether a proof is too old or from the future: exactly `window` ms old and exactly five seconds ahead are still
 * accepted (SIGN-7). The age counts from the start of the second that the timestamp names.
 */
function verifyTime(
  proof: ReceivedProof,
  { now, window }: ReceivedRequest,
  nonces: VerifyDeps['nonces'],
): Refused | undefined {
  const seconds = Number(proof.timestamp);
  const age = now - seconds * 1_000;
  if (age > window) {
    return { reason: 'proof_expired', detail: `it is ${age / 1_000} s old, the window is ${window / 1_000} s` };
  }
  if (age < -FUTURE_TOLERANCE_SECONDS * 1_000) {
    const ahead = `it is ${-age / 1_000} s ahead, ${FUTURE_TOLERANCE_SECONDS} s are tolerated`;
    const slip = seconds >= 1e12 ? '; the timestamp looks like milliseconds' : '';
    return { reason: 'proof_from_future', detail: ahead + slip };
  }
  // Only after the window was widened: a nonce of that time may have been used and forgotten.
  if (proof.version === 'v2' && !nonces.remembers(seconds)) {
    return { reason: 'proof_expired', detail: 'it is older than the memory of used nonces' };
  }
  return undefined;
}

/** Whether one signature verifies over the fields. Fields that cannot be signed never verify. */
export function verifySignature(
  key: VerifyKey,
  layout: ProofLayout,
  version: ProofVersion,
  signature: string,
  fields: ProofFields,
): boolean {
  const decoded = decodeSignature(signature);
  if (!decoded) return false;
  try {
    return verifyBytes(key, canonicalise(layout, version, fields), decoded);
  } catch {
    return false;
  }
}

/** The first of a proof's signatures that does not verify; undefined if all do. With v2 both must. */
function badSignature(
  { key, layout }: VerifyDeps,
  proof: ReceivedProof,
  fields: ProofFields,
): ProofVersion | undefined {
  if (!verifySignature(key, layout, 'v1', proof.signature, fields)) return 'v1';
  if (proof.signatureV2 !== undefined && !verifySignature(key, layout, 'v2', proof.signatureV2, fields)) return 'v2';
  return undefined;
}

/**
 * Verifies a proof as an intern's daemon must, from the request alone (SIGN-4, SIGN-7). It uses no nonce up: the code
 * that acts on the verdict does.
 */
export function verifyProof(deps: VerifyDeps, request: ReceivedRequest): { verdict: ProofVerdict; trace: Trace } {
  const { intern, headers, method, path, bodySha256 } = request;
  const internId = intern.id;
  const read = readProof(headers, deps.names, deps.requireV2);
  const proof = 'reason' in read ? undefined : read;
  const expected =
    proof && internId !== undefined && bodySha256 !== undefined
      ? expectedFields(proof, internId, request, bodySha256)
      : undefined;
  const outcome = (verdict: ProofVerdict, badVersion?: ProofVersion) => {
    const failed = verdict.result === 'refused' ? CHECK_OF[verdict.reason] : undefined;
    return { verdict, trace: { failed, proof, expected, badVersion } };
  };
  const refused = (why: Refused, badVersion?: ProofVersion) => outcome({ result: 'refused', ...why }, badVersion);

  if (internId === undefined || intern.problem !== undefined)
    return refused({ reason: 'token_invalid', detail: intern.problem ?? 'no running intern has this token' });
  if ('reason' in read) return refused(read);
  const late = verifyTime(read, request, deps.nonces);
  if (late) return refused(late);
  if (!expected || bodySha256 === undefined) return outcome({ result: 'pending' });
  const bad = badSignature(deps, read, expected);
  if (bad) return refused({ reason: 'bad_signature', detail: `${bad}, over the request as received` }, bad);
  if (read.nonce !== undefined && deps.nonces.has(internId, read.nonce))
    return refused({ reason: 'nonce_reused', detail: 'a v2 proof is accepted once' });
  const { version, user, timestamp, nonce } = read;
  const verified: Verified = {
    version,
    intern_id: internId,
    user,
    timestamp,
    method,
    path,
    body_sha256: bodySha256,
    ...(nonce !== undefined && { nonce }),
  };
  return outcome({ result: 'accepted', verified });
}
