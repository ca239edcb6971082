import { createHash } from 'node:crypto';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';

/**
 * A point of edwards25519 (RFC 8032, section 5.1), and its arithmetic: the parts of signatures that no signer would
 * make.
 */
export const { Point } = ed25519;
export type Point = InstanceType<typeof Point>;

/** The prime of the field. */
export const P = Point.Fp.ORDER;
/** Order of the base point. */
export const L = Point.Fn.ORDER;

/** A multiple of a point. The library's `multiply` refuses zero, because no secret is zero. */
export const multiply = (scalar: bigint, point: Point): Point => point.multiplyUnsafe(scalar);

/** Little-endian, 32 bytes, the highest bit included. */
export const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

export const encode = (point: Point): Buffer => Buffer.from(point.toBytes());

/** A point of order eight: the first of the library's whose order is not smaller. */
export const TORSION: Point = (() => {
  const points = ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex));
  const found = points.find((point) => !multiply(4n, point).equals(Point.ZERO));
  if (found === undefined) throw new Error('the library names no point of order eight');
  return found;
})();

/** SHA-512 of the parts, as a number modulo the order of the base point. */
export const hashToScalar = (...parts: Uint8Array[]): bigint => {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return BigInt(`0x${hash.digest().reverse().toString('hex')}`) % L;
};
