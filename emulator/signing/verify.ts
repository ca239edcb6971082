import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** A public key that passed {@link importPublicKey}. */
export interface VerifyKey {
  readonly raw: Buffer;
  readonly key: KeyObject;
}

/** The order of the base point, little-endian. */
const L = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');
/** The prime of the field, 2^255 - 19, little-endian. */
const P = Buffer.from('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', 'hex');
/** The y coordinates of the eight points of small order: 0, 1, -1, and the two of order eight. */
const SMALL_ORDER_Y = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => Buffer.from(hex, 'hex'));

/** Whether `a` is less than `b`, both little-endian and of one length. */
function less(a: Uint8Array, b: Uint8Array): boolean {
  for (let at = a.length - 1; at >= 0; at--) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Whether 32 bytes are the one canonical encoding of a point that is not of small order. A point with x = 0 and the
 * sign bit set has no canonical encoding either; the only such points are of small order.
 */
function isSoundPoint(encoded: Uint8Array): boolean {
  const y = Buffer.from(encoded);
  y[31] = (y[31] ?? 0) & 0x7f;
  return less(y, P) && !SMALL_ORDER_Y.some((small) => small.equals(y));
}

/** Takes a raw Ed25519 public key of 32 bytes. Undefined for a non-canonical or small-order point, or another length. */
export function importPublicKey(raw: Uint8Array): VerifyKey | undefined {
  if (raw.length !== 32 || !isSoundPoint(raw)) return undefined;
  try {
    // OpenSSL takes five times as long for the same in DER.
    const x = Buffer.from(raw).toString('base64url');
    return { raw: Buffer.from(raw), key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
  } catch {
    return undefined;
  }
}

/** 64 bytes in standard Base64: the last character before the padding carries two bits, and its rest is zero. */
const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** Decodes a signature, strictly: canonical padded Base64 of exactly 64 bytes, or undefined. */
export function decodeSignature(text: string): Buffer | undefined {
  return SIGNATURE.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/**
 * Verifies an Ed25519 signature strictly, without the cofactor: 64 bytes, S below the group order (so that nobody can
 * make a second signature from a first), R and the public key canonical and not of small order. OpenSSL alone accepts
 * some small-order points, for which a signature of one message verifies for others.
 */
export function verifyBytes(publicKey: VerifyKey, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  if (!less(signature.subarray(32), L) || !isSoundPoint(signature.subarray(0, 32))) return false;
  return verify(null, bytes, publicKey.key, signature);
}
