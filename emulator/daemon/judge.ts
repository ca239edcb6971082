import { FUTURE_TOLERANCE_SECONDS } from '../contract/daemon.js';
import { canonicalise, type ProofFields, type ProofLayout, type ProofVersion } from '../signing/canonical.js';
import { decodeSignature, type VerifyKey, verifyBytes } from '../signing/verify.js';
import type { Nonces } from './nonces.js';
import type { ReceivedProof, Refused } from './proof.js';

/** What a daemon received, as far as a proof is bound to it. */
export interface ReceivedRequest {
  readonly internId: string;
  readonly method: string;
  readonly path: string;
  readonly bodySha256: string;
}

/** The fields that a request's signatures have to be made over. */
export const expectedFields = (proof: ReceivedProof, request: ReceivedRequest): ProofFields => ({
  intern_id: request.internId,
  timestamp: proof.timestamp,
  user: proof.user,
  body_sha256: request.bodySha256,
  ...(proof.nonce !== undefined && { nonce: proof.nonce, method: request.method, path: request.path }),
});

/**
 * Judges the age of a proof on `now` (ms): exactly `window` ms old and exactly five seconds ahead are still taken
 * (SIGN-7). The age counts from the start of the second that the timestamp names.
 */
export function judgeTime(proof: ReceivedProof, now: number, window: number, nonces: Nonces): Refused | undefined {
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

/** Whether one signature verifies over the fields. Fields that can't be signed never verify. */
export function verifies(
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

/** The first of a proof's signatures that doesn't verify; undefined when all do. With v2 both have to. */
export function badSignature(
  key: VerifyKey,
  layout: ProofLayout,
  proof: ReceivedProof,
  fields: ProofFields,
): ProofVersion | undefined {
  if (!verifies(key, layout, 'v1', proof.signature, fields)) return 'v1';
  if (proof.signatureV2 !== undefined && !verifies(key, layout, 'v2', proof.signatureV2, fields)) return 'v2';
  return undefined;
}
