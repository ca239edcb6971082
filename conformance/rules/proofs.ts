import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import type Nacl from 'tweetnacl';
import type { Profile, ProofField, ProofHeaders } from '../../emulator/contract/profile.js';
import { form } from '../model/assert.js';
import type { PublicKey } from '../model/target.js';

/** tweetnacl is CommonJS and calls `require` itself: a bundle can't import it. */
const nacl = createRequire(import.meta.url)('tweetnacl') as typeof Nacl;

/** Base64 of 64 bytes, standard alphabet, padded. */
export const SIGNATURE = form(/^[A-Za-z0-9+/]{86}==$/, 'the Base64 of an Ed25519 signature');

/** Lower-case hexadecimal SHA-256. */
export const sha256 = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** A proof as signing answers it. */
export interface Proof {
  readonly signature: string;
  readonly timestamp: string;
  readonly user: string;
  readonly signatureV2?: string;
  readonly nonce?: string;
}

/** The headers of a proof in an answer, without those that a service adds. */
export const headersIn = (answer: object, names: ProofHeaders): Record<string, unknown> =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => Object.values<string>(names).includes(name)));

/** The request that a proof is for. */
export interface ProofSubject {
  readonly internId: string;
  readonly bodySha256: string;
  readonly route?: { readonly method: string; readonly path: string };
}

const keys = new Map<string, KeyObject>();
function keyOf(x: string): KeyObject {
  const key = keys.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  keys.set(x, key);
  return key;
}

/**
 * A signature is wrong only if OpenSSL and tweetnacl both refuse it. tweetnacl takes thirty times as long, so it verifies only
 * signatures that OpenSSL refuses.
 */
export const verifies = (keys: readonly PublicKey[], bytes: Uint8Array, signature: string): boolean => {
  const signed = Uint8Array.from(Buffer.from(signature, 'base64'));
  return keys.some(
    ({ x }) =>
      verify(null, bytes, keyOf(x), signed) ||
      nacl.sign.detached.verify(bytes, signed, Uint8Array.from(Buffer.from(x, 'base64url'))),
  );
};

/** The bytes that a signature signs, by the layout of the profile. */
export function signedBytes(
  layout: { readonly separator: string },
  fields: readonly ProofField[],
  proof: Proof,
  subject: ProofSubject,
): Uint8Array {
  const values: Record<ProofField, string> = {
    intern_id: subject.internId,
    timestamp: proof.timestamp,
    nonce: proof.nonce ?? '',
    user: proof.user,
    method: subject.route?.method ?? '',
    path: subject.route?.path ?? '',
    body_sha256: subject.bodySha256,
  };
  return new TextEncoder().encode(fields.map((field) => values[field]).join(layout.separator));
}

/** Each signature of a proof, the bytes that it should sign, and whether it verifies. */
export function signaturesOf(
  { profile, target }: { readonly profile: Profile; readonly target: { readonly publicKeys: readonly PublicKey[] } },
  proof: Proof,
  subject: ProofSubject,
): readonly { readonly which: string; readonly bytes: Uint8Array; readonly holds: boolean }[] {
  const { proof_layout: layout } = profile;
  const one = (which: 'v1' | 'v2', signature: string | undefined) => {
    if (signature === undefined) return [];
    const bytes = signedBytes(layout, layout[which], proof, subject);
    return [{ which, bytes, holds: verifies(target.publicKeys, bytes, signature) }];
  };
  return [...one('v1', proof.signature), ...one('v2', proof.signatureV2)];
}
