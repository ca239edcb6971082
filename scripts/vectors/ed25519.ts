import { encode, hashToScalar, L, multiply, P, Point, TORSION, toBytes } from './edwards.js';

/** One signature, and whether a strict verifier accepts it. */
export interface SignatureVector {
  name: string;
  comment: string;
  /** All in hexadecimal. */
  public_key: string;
  message: string;
  signature: string;
  accept: boolean;
}

const torsion = (count: number) => multiply(BigInt(count), TORSION);
const message = (name: string, attempt: number) => Buffer.from(`${name} ${attempt}`);
const scalar = (text: string) => hashToScalar(Buffer.from(text));

/** Tries messages until one fits; `make` decides which fit. */
function search(
  name: string,
  comment: string,
  accept: boolean,
  make: (message: Buffer) => Made | undefined,
): SignatureVector {
  for (let attempt = 0; ; attempt++) {
    const text = message(name, attempt);
    const made = make(text);
    if (!made) continue;
    return {
      name,
      comment,
      public_key: made.key.toString('hex'),
      message: text.toString('hex'),
      signature: Buffer.concat([made.r, made.s]).toString('hex'),
      accept,
    };
  }
}
interface Made {
  key: Buffer;
  r: Buffer;
  s: Buffer;
}

/**
 * A signature by a key with a part of small order (`keyTorsion`) under an R with one (`rTorsion`), such that the
 * equation without the cofactor does (or does not) hold. Both secret parts may be zero.
 */
function mixed(
  name: string,
  comment: string,
  parts: { secret: bigint; keyTorsion: number; nonce: bigint; rTorsion: number; holds: boolean; accept: boolean },
): SignatureVector {
  const key = multiply(parts.secret, Point.BASE).add(torsion(parts.keyTorsion));
  const r = multiply(parts.nonce, Point.BASE).add(torsion(parts.rTorsion));
  return search(name, comment, parts.accept, (text) => {
    const h = hashToScalar(encode(r), encode(key), text);
    const residue = torsion(parts.rTorsion).add(multiply(h % 8n, torsion(parts.keyTorsion)));
    if (residue.equals(Point.ZERO) !== parts.holds) return undefined;
    return { key: encode(key), r: encode(r), s: toBytes((parts.nonce + h * parts.secret) % L) };
  });
}

/** The encodings of `point` other than its canonical one: y + p where that fits, and the sign bit where x is 0. */
function otherEncodings(point: Point): Buffer[] {
  const { x, y } = point.toAffine();
  const ys = y < 19n ? [y, y + P] : [y];
  const signs = x === 0n ? [0n, 1n] : [x & 1n];
  const all = ys.flatMap((value) => signs.map((sign) => toBytes(value | (sign << 255n))));
  return all.filter((bytes) => !bytes.equals(encode(point)));
}

/** Signatures at the edges of Ed25519 verification, in the classes of "Taming the many EdDSAs" (Chalkias et al., 2020). */
export function signatureVectors(): SignatureVector[] {
  const secret = scalar('secret');
  const nonce = scalar('nonce');
  const plain = { secret, keyTorsion: 0, nonce, rTorsion: 0, holds: true };
  const vectors: SignatureVector[] = [
    mixed('valid', 'key and R of prime order', { ...plain, accept: true }),
    mixed('mixed_key_and_r', 'key and R with parts of small order that cancel: the equation without cofactor holds', {
      ...plain,
      keyTorsion: 1,
      rTorsion: 3,
      accept: true,
    }),
    mixed('mixed_cofactored_only', 'key and R with parts of small order: only the equation with cofactor holds', {
      ...plain,
      keyTorsion: 1,
      rTorsion: 3,
      holds: false,
      accept: false,
    }),
    mixed('mixed_key_cofactored_only', 'key with a part of small order: only the equation with cofactor holds', {
      ...plain,
      keyTorsion: 1,
      holds: false,
      accept: false,
    }),
    mixed('small_r', 'R of small order', { ...plain, keyTorsion: 1, nonce: 0n, rTorsion: 5, accept: false }),
  ];
  for (let order = 0; order < 8; order++) {
    vectors.push(
      mixed(`small_key_${order}`, 'key of small order: one signature fits many messages', {
        ...plain,
        secret: 0n,
        keyTorsion: order,
        rTorsion: (8 - order) % 8,
        accept: false,
      }),
      mixed(`small_key_and_r_${order}`, 'key and R of small order, S is zero: no secret is needed', {
        ...plain,
        secret: 0n,
        nonce: 0n,
        keyTorsion: order,
        rTorsion: (8 - order) % 8,
        accept: false,
      }),
    );
  }

  const prime = multiply(secret, Point.BASE);
  const key = prime.add(TORSION);
  const r = multiply(nonce, Point.BASE);
  const withS = (name: string, comment: string, change: (s: bigint) => bigint) =>
    search(name, comment, false, (text) => {
      const h = hashToScalar(encode(r), encode(prime), text);
      return { key: encode(prime), r: encode(r), s: toBytes(change((nonce + h * secret) % L)) };
    });
  vectors.push(
    withS('s_plus_order', 'S is raised by the group order: a second signature of the same message', (s) => s + L),
    withS('s_plus_many_orders', 'S is raised until its highest bits are set', (s) => s + 14n * L),
    withS('s_is_order', 'S is the group order itself', () => L),
    withS('s_all_ones', 'S has every bit set', () => 2n ** 256n - 1n),
  );

  // Points whose y has a second encoding are of small order (0 and 1), so only those can be written differently.
  for (const point of [0, 1, 2, 3, 4, 5, 6, 7].map(torsion)) {
    for (const other of otherEncodings(point)) {
      const name = other.toString('hex').replace(/^(..)(?:.*)(..)$/, '$1_$2');
      vectors.push(
        search(`r_not_canonical_${name}`, 'R is not canonically encoded, and hashed as it is', false, (text) => {
          const h = hashToScalar(other, encode(prime), text);
          const hMixed = hashToScalar(other, encode(key), text);
          const cancels = point.add(multiply(hMixed % 8n, TORSION)).equals(Point.ZERO);
          if (point.equals(Point.ZERO)) return { key: encode(prime), r: other, s: toBytes((h * secret) % L) };
          return cancels ? { key: encode(key), r: other, s: toBytes((hMixed * secret) % L) } : undefined;
        }),
        search(
          `key_not_canonical_${name}`,
          'the key is not canonically encoded, and hashed as it is',
          false,
          (text) => {
            const wanted = r.subtract(point);
            const h = hashToScalar(encode(wanted), other, text);
            const cancels = multiply(h % 8n, point).equals(point);
            return cancels ? { key: other, r: encode(wanted), s: toBytes(nonce) } : undefined;
          },
        ),
      );
    }
  }
  return vectors;
}
