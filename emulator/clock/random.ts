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
  const bytes = (length: number): Buffer => {
    if (length > BLOCK) return cipher.update(Buffer.alloc(length));
    if (at + length > BLOCK) {
      block = cipher.update(zeros);
      at = 0;
    }
    const taken = block.subarray(at, at + length);
    at += length;
    return Buffer.from(taken);
  };
  return {
    seed,
    bytes,
    uuid() {
      const raw = bytes(16);
      raw[6] = ((raw[6] ?? 0) & 0x0f) | 0x40;
      raw[8] = ((raw[8] ?? 0) & 0x3f) | 0x80;
      const hex = raw.toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
    token: (prefix) => prefix + bytes(24).toString('base64url'),
    float: () => bytes(6).readUIntBE(0, 6) / 2 ** 48,
  };
}
