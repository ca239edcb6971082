import { createHash } from 'node:crypto';

/**
 * Just enough of edwards25519 (RFC 8032, section 5.1) to build signatures that no signer would make. Slow, not constant
 * in time, and for making test vectors only.
 */
export interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

export const P = 2n ** 255n - 19n;
/** Order of the base point. */
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const mod = (value: bigint, by = P) => ((value % by) + by) % by;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = mod(base);
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
const inverse = (value: bigint) => power(value, P - 2n);

const D = mod(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

export const ZERO: Point = { x: 0n, y: 1n };

/** A point as (X/Z, Y/Z): additions need no division. */
interface Projective {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
}

function addProjective(p: Projective, q: Projective): Projective {
  const a = mod(p.z * q.z);
  const b = mod(a * a);
  const c = mod(p.x * q.x);
  const d = mod(p.y * q.y);
  const e = mod(D * c * d);
  const f = b - e;
  const g = b + e;
  return {
    x: mod(a * f * ((p.x + p.y) * (q.x + q.y) - c - d)),
    y: mod(a * g * (d + c)),
    z: mod(f * g),
  };
}

const project = ({ x, y }: Point): Projective => ({ x, y, z: 1n });
function normalise({ x, y, z }: Projective): Point {
  const factor = inverse(z);
  return { x: mod(x * factor), y: mod(y * factor) };
}

export const add = (a: Point, b: Point): Point => normalise(addProjective(project(a), project(b)));

export const negate = ({ x, y }: Point): Point => ({ x: mod(-x), y });

export function multiply(scalar: bigint, point: Point): Point {
  let result = project(ZERO);
  let double = project(point);
  for (let left = scalar; left > 0n; left >>= 1n) {
    if (left & 1n) result = addProjective(result, double);
    double = addProjective(double, double);
  }
  return normalise(result);
}

export const equal = (a: Point, b: Point) => a.x === b.x && a.y === b.y;

export function toBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(32);
  for (let at = 0; at < 32; at++) bytes[at] = Number((value >> BigInt(8 * at)) & 255n);
  return bytes;
}

export function toNumber(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return value;
}

/** The encoding of a point: y, and the lowest bit of x on top. */
export const encode = ({ x, y }: Point): Buffer => toBytes(y | ((x & 1n) << 255n));

/** The points with this y; throws where there are none. `odd` picks one of the two. */
export function pointOf(y: bigint, odd: boolean): Point {
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * ROOT_OF_MINUS_ONE);
  if (mod(x * x) !== square) throw new Error('no point has this y');
  return { x: (x & 1n) === (odd ? 1n : 0n) ? x : mod(-x), y: mod(y) };
}

export const BASE = pointOf(mod(4n * inverse(5n)), false);

/** A point of order eight. */
export const TORSION: Point = (() => {
  for (let y = 2n; ; y++) {
    let point: Point;
    try {
      point = multiply(L, pointOf(y, false));
    } catch {
      continue;
    }
    if (!equal(multiply(4n, point), ZERO)) return point;
  }
})();

/** SHA-512 of the parts, as a number modulo the order of the base point. */
export const hashToScalar = (...parts: Uint8Array[]): bigint => {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return mod(toNumber(hash.digest()), L);
};
