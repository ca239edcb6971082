import { createCipheriv, createHash, randomBytes } from 'node:crypto';

/** The one source of ids and randomness of an emulator. */
export interface Random {
  /** The seed it was made from: give it again, and the same calls yield the same values. */
  readonly seed: string;
  bytes(length: number): Buffer;
  /** A version 4 UUID. */
  uuid(): string;
  /** A credential: `prefix` and 32 Base64url characters (192 bits). */
  token(prefix: string): string;
  /** At least 0, below 1. */
  float(): number;
}

const BLOCK = 4096;

/**
 * An AES-256-CTR keystream over a key made from the seed: fast, reproducible, and unpredictable to whoever doesn't know
 * the seed, which tokens and nonces need. `stream` separates sources of one seed (each opening of a store takes its own,
 * so that a restarted emulator never repeats an id or a nonce).
 */
export function createRandom(seed: string = randomBytes(16).toString('hex'), stream = ''): Random {
  const key = createHash('sha256')
    .update(JSON.stringify([seed, stream]))
    .digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const zeros = Buffer.alloc(BLOCK);
  let block = cipher.update(zeros);
  let at = 0;
  /** Where the next `length` bytes stand in the block, which is renewed when it doesn't hold them. */
  const take = (length: number): number => {
    if (at + length > BLOCK) {
      block = cipher.update(zeros);
      at = 0;
    }
    at += length;
    return at - length;
  };
  const bytes = (length: number): Buffer => {
    if (length > BLOCK) return cipher.update(Buffer.alloc(length));
    const start = take(length);
    return Buffer.from(block.subarray(start, start + length));
  };
  return {
    seed,
    bytes,
    uuid() {
      const start = take(16);
      const hex = block.toString('hex', start, start + 16);
      const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    token: (prefix) => prefix + bytes(24).toString('base64url'),
    float: () => bytes(6).readUIntBE(0, 6) / 2 ** 48,
  };
}
