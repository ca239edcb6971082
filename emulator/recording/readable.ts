import type { CapturedWrite } from './capture.js';
import { decodeWrites, sha256 } from './coding.js';
import type { LeftOut } from './format.js';

/** A body as it can be searched: text, or bytes that are nearly text; its writes with their times. */
export interface Readable {
  readonly writes: readonly CapturedWrite[];
  readonly bytes: Buffer;
  /** The bytes as text, if they are UTF-8. */
  readonly text: string | undefined;
  /** The missing part, and the reason. */
  readonly leftOut: LeftOut | undefined;
}

/** The bytes as text, or undefined if they are not UTF-8. Bytes with a NUL are not text: UTF-16, say. */
function utf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether all but a few bytes are text: then a credential among them is visible. */
function isNearlyText(bytes: Uint8Array): boolean {
  let plain = 0;
  for (const byte of bytes)
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d) plain++;
  return plain * 8 >= bytes.length * 7;
}

/** Cuts a body after its last whole character. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  const from = Math.max(0, bytes.length - 3);
  for (let at = bytes.length - 1; at >= from; at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return bytes.length - at < size ? bytes.subarray(0, at) : bytes;
  }
  return bytes;
}

const NOT_TEXT = 'it is not text';

/**
 * Reads a body: decodes it, each write at its time. A body that cannot be read, because of its coding or because it is
 * not text, leaves only its length and digest: a credential in it could not be seen.
 *
 * @param contentEncoding the header, undefined if there is none
 * @param cut the part of the body that did not arrive, or was not kept
 * @param limit bytes that a body may decode to
 */
export async function readBody(
  contentEncoding: string | undefined,
  raw: readonly CapturedWrite[],
  cut: LeftOut | undefined,
  limit: number,
): Promise<Readable> {
  const length = cut?.length ?? raw.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const nothing = (why: string): Readable => {
    const digest = cut === undefined && { sha256: sha256(Buffer.concat(raw.map((write) => write.bytes))) };
    const whole = cut === undefined ? why : `${why}; ${cut.why}`;
    return { writes: [], bytes: Buffer.alloc(0), text: undefined, leftOut: { length, ...digest, why: whole } };
  };
  const { writes, problem } = await decodeWrites(contentEncoding, raw, limit);
  const bytes = Buffer.concat(writes.map((write) => write.bytes));
  if (bytes.length === 0 && problem !== undefined) return nothing(problem);
  const whole = utf8(bytes);
  const text = whole ?? utf8(withoutHalfCharacter(bytes));
  if (text === undefined && !isNearlyText(bytes)) return nothing(NOT_TEXT);
  const why = [problem, cut?.why].filter((one) => one !== undefined).join('; ');
  const digest = cut?.sha256 !== undefined && { sha256: cut.sha256 };
  return { writes, bytes, text, leftOut: why === '' ? undefined : { length, ...digest, why } };
}
