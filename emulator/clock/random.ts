import { type Cipher, createCipheriv, hash, randomBytes } from 'node:crypto';

/** The position of a source: it alone decides what the source yields next. A secret, as the seed is. */
export interface RandomState {
  readonly seed: string;
  readonly stream: string;
  /** How many bytes of the keystream were drawn. */
  readonly drawn: number;
  /** The beginning of the current block in the keystream, and how much of the block was used. */
  readonly block: number;
  readonly at: number;
}

/** Bytes that can be written in the usual spellings: a `Buffer`, for programs without the types of Node too. */
export interface Bytes extends Uint8Array {
  toString(encoding?: 'hex' | 'base64' | 'base64url'): string;
}

/** The one source of ids and randomness of an emulator. */
export interface Random {
  /** The seed it was made from: the same seed and the same calls yield the same values. */
  readonly seed: string;
  bytes(length: number): Bytes;
  /** A version 4 UUID. */
  uuid(): string;
  /** A credential: `prefix` and 32 Base64url characters (192 bits). */
  token(prefix: string): string;
  /** At least 0, below 1. */
  float(): number;
  state(): RandomState;
  /** Continues from the position of this or another source. */
  restore(state: RandomState): void;
}

const BLOCK = 4096;
const ZEROS = Buffer.alloc(BLOCK);

/** An AES-256-CTR keystream over a key made from seed and stream, from a multiple of 16 bytes on. */
function keystream(seed: string, stream: string, from: number): Cipher {
  const key = hash('sha256', JSON.stringify([seed, stream]), 'buffer');
  const counter = Buffer.alloc(16);
  counter.writeBigUInt64BE(BigInt(from / 16), 8);
  return createCipheriv('aes-256-ctr', key, counter);
}

/**
 * An AES-256-CTR keystream over a key made from the seed: fast, reproducible, and unpredictable without the seed, which
 * tokens and nonces need. `stream` separates sources of one seed (each opening of a store takes its own, so that a
 * restarted emulator never repeats an id or a nonce). A source that is never used costs nothing.
 */
export function createRandom(given: string = randomBytes(16).toString('hex'), name = ''): Random {
  let seed = given;
  let stream = name;
  let cipher: Cipher | undefined;
  let block: Buffer = ZEROS;
  let blockFrom = 0;
  let drawn = 0;
  let at = BLOCK;

  const draw = (length: number): Buffer => {
    cipher ??= keystream(seed, stream, drawn);
    // In whole blocks of the cipher, so that another source can continue there.
    const whole = Math.ceil(length / 16) * 16;
    drawn += whole;
    return cipher.update(whole === BLOCK ? ZEROS : Buffer.alloc(whole));
  };
  /** The place of the next `length` bytes in the block, which is renewed if it does not hold them. */
  const take = (length: number): number => {
    if (at + length > BLOCK) {
      blockFrom = drawn;
      block = draw(BLOCK);
      at = 0;
    }
    at += length;
    return at - length;
  };
  const bytes = (length: number): Buffer => {
    if (length > BLOCK) return draw(length).subarray(0, length);
    const start = take(length);
    return Buffer.from(block.subarray(start, start + length));
  };
  return {
    get seed() {
      return seed;
    },
    bytes,
    uuid() {
      const start = take(16);
      const hex = block.toString('hex', start, start + 16);
      const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
      // Joined, not concatenated: ids are kept, and V8 would keep each of the parts.
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `${variant}${hex.slice(17, 20)}`,
        hex.slice(20),
      ].join('-');
    },
    token: (prefix) => prefix + bytes(24).toString('base64url'),
    float: () => bytes(6).readUIntBE(0, 6) / 2 ** 48,
    state: () => ({ seed, stream, drawn, block: blockFrom, at }),
    restore(state) {
      ({ seed, stream, drawn, block: blockFrom, at } = state);
      cipher = undefined;
      if (at < BLOCK) block = keystream(seed, stream, blockFrom).update(ZEROS);
    },
  };
}
