import type { DaemonReason } from '../contract/daemon.js';
import type { ProofHeaders } from '../contract/profile.js';
import { PROOF_USER, type Proof } from '../signing/signer.js';
import { decodeSignature } from '../signing/verify.js';

/** A proof as it was found in the headers of a request: complete and of the right form, not yet verified. */
export interface ReceivedProof extends Proof {
  readonly version: 'v1' | 'v2';
}

/** Why a request is refused, and a few words on what was wrong and where. */
export interface Refused {
  readonly reason: DaemonReason;
  readonly detail: string;
}

/**
 * Seconds since 1970 without sign, fraction or leading zero; long enough that milliseconds sent by mistake are
 * "future".
 */
const TIMESTAMP = /^(?:0|[1-9][0-9]{0,14})$/;
/** Visible ASCII without the comma, which joins repeated headers. */
const NONCE = /^[\x21-\x2b\x2d-\x7e]{1,255}$/;

const isSignature = (text: string) => decodeSignature(text) !== undefined;
const SIGNATURE_FORM = 'is not 64 bytes in standard padded Base64';

/**
 * Reads the proof headers: first whether all required ones are there, then whether each is well-formed. A v2 signature
 * and its nonce come together; a request with neither carries a v1 proof.
 */
export function readProof(headers: Headers, names: ProofHeaders, requireV2: boolean): ReceivedProof | Refused {
  const timestamp = headers.get(names.timestamp);
  const user = headers.get(names.user);
  const signature = headers.get(names.signature);
  const signatureV2 = headers.get(names.signatureV2);
  const nonce = headers.get(names.nonce);

  const missing = (name: string): Refused => ({ reason: 'proof_missing', detail: `${name} is missing` });
  if (timestamp === null) return missing(names.timestamp);
  if (user === null) return missing(names.user);
  if (signature === null) return missing(names.signature);
  if (signatureV2 === null && (nonce !== null || requireV2)) return missing(names.signatureV2);
  if (nonce === null && signatureV2 !== null) return missing(names.nonce);

  const malformed = (name: string, value: string, problem: string): Refused => ({
    reason: 'proof_malformed',
    detail: `${name} ${value.includes(', ') ? 'was sent more than once, or holds a comma' : problem}`,
  });
  if (!TIMESTAMP.test(timestamp)) return malformed(names.timestamp, timestamp, 'is not a number of Unix seconds');
  if (!PROOF_USER.test(user)) return malformed(names.user, user, 'is not 1 to 255 visible ASCII characters');
  if (!isSignature(signature)) return malformed(names.signature, signature, SIGNATURE_FORM);
  const v1 = { timestamp, user, signature };
  if (signatureV2 === null || nonce === null) return { version: 'v1', ...v1 };
  if (!isSignature(signatureV2)) return malformed(names.signatureV2, signatureV2, SIGNATURE_FORM);
  if (!NONCE.test(nonce)) return malformed(names.nonce, nonce, 'is not 1 to 255 visible ASCII characters');
  return { version: 'v2', signatureV2, nonce, ...v1 };
}
