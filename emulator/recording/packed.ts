import { given } from '../contract/given.js';
import type { CapturedWrite } from './capture.js';
import { sha256 } from './coding.js';
import type { RawExchange } from './exchange.js';
import type { LeftOut } from './format.js';

/** Joined writes, because an exchange may have a million. */
interface PackedWrites {
  readonly at: Float64Array;
  readonly lengths: Uint32Array;
  readonly bytes: Uint8Array;
}

/** An exchange as it goes to another process. */
export interface PackedExchange extends Omit<RawExchange, 'writes'> {
  readonly writes: PackedWrites;
}

export const pack = ({ writes, ...raw }: RawExchange): PackedExchange => ({
  ...raw,
  writes: {
    at: Float64Array.from(writes, (write) => write.at),
    lengths: Uint32Array.from(writes, (write) => write.bytes.length),
    bytes: Buffer.concat(writes.map((write) => write.bytes)),
  },
});

/** Leaves out the bodies of a packed exchange, for a reason. */
export function withoutBodies({ leftOut, ...packed }: PackedExchange, why: string): PackedExchange {
  const left = (bytes: Uint8Array, before?: LeftOut) => {
    if (before !== undefined) return { length: before.length, why: `${why}; ${before.why}` };
    return bytes.length === 0 ? undefined : { length: bytes.length, sha256: sha256(bytes), why };
  };
  return {
    ...packed,
    requestBody: new Uint8Array(),
    writes: { at: new Float64Array(), lengths: new Uint32Array(), bytes: new Uint8Array() },
    leftOut: given({
      request: left(packed.requestBody, leftOut?.request),
      answer: left(packed.writes.bytes, leftOut?.answer),
    }),
  };
}

export function unpack({ writes: { at, lengths, bytes }, ...raw }: PackedExchange): RawExchange {
  let from = 0;
  const writes = Array.from(lengths, (length, index): CapturedWrite => {
    const write = { at: at[index] ?? 0, bytes: bytes.subarray(from, from + length) };
    from += length;
    return write;
  });
  return { ...raw, writes };
}
