import type { Write } from './capture.js';
import type { RawExchange } from './exchange.js';

/** Writes joined, as another thread takes them over without a copy. */
interface PackedWrites {
  readonly at: Float64Array;
  readonly lengths: Uint32Array;
  readonly bytes: Uint8Array;
}

/** An exchange as it goes to another thread. */
export interface PackedExchange extends Omit<RawExchange, 'writes'> {
  readonly writes: PackedWrites;
}

/** All writes in one piece of memory, which is nobody else's. */
function joined(writes: readonly Write[]): Uint8Array {
  const bytes = new Uint8Array(writes.reduce((sum, write) => sum + write.bytes.length, 0));
  let at = 0;
  for (const write of writes) {
    bytes.set(write.bytes, at);
    at += write.bytes.length;
  }
  return bytes;
}

/** Packs an exchange. `handed` is the memory that goes with it. */
export function pack(raw: RawExchange): { readonly packed: PackedExchange; readonly handed: ArrayBufferLike[] } {
  const { writes, requestBody } = raw;
  const packedWrites: PackedWrites = {
    at: Float64Array.from(writes, (write) => write.at),
    lengths: Uint32Array.from(writes, (write) => write.bytes.length),
    bytes: joined(writes),
  };
  const packed = { ...raw, requestBody: Uint8Array.from(requestBody), writes: packedWrites };
  const { at, lengths, bytes } = packedWrites;
  return { packed, handed: [at, lengths, bytes, packed.requestBody].map(({ buffer }) => buffer) };
}

/** The exchange that was packed. */
export function unpack({ writes: { at, lengths, bytes }, ...raw }: PackedExchange): RawExchange {
  let from = 0;
  const writes = Array.from(lengths, (length, index): Write => {
    const write = { at: at[index] ?? 0, bytes: bytes.subarray(from, from + length) };
    from += length;
    return write;
  });
  return { ...raw, writes };
}
