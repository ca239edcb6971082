import { hash } from 'node:crypto';
import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type CapturedWrite, inMegabytes } from './capture.js';

/** Most codings within each other. */
const MOST_CODINGS = 4;

const Z = { finishFlush: constants.Z_SYNC_FLUSH };
const BR = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

/** `deflate` with the header of zlib, as it is specified, or without, as some send it. */
function inflater(first: number, second: number): Transform {
  const zlib = (first & 0x0f) === 8 && ((first << 8) + second) % 31 === 0;
  return zlib ? createInflate(Z) : createInflateRaw(Z);
}

/** Makes the decoder of a coding, given the first bytes. A cut body is decoded as far as it goes. */
const DECODERS: ReadonlyMap<string, (first: number, second: number) => Transform> = new Map([
  ['gzip', () => createGunzip(Z)],
  ['x-gzip', () => createGunzip(Z)],
  ['deflate', inflater],
  ['br', () => createBrotliDecompress(BR)],
]);

/** Codings that are decoded here, beside `identity`. */
export const CODINGS: ReadonlySet<string> = new Set(DECODERS.keys());

/** The decoded bytes, and what prevented the rest. */
interface Decoded {
  readonly writes: readonly CapturedWrite[];
  readonly problem?: string | undefined;
}

/** Bytes that are decoded at once. An error loses all that were decoded with it. */
const SLICE = 4_096;
/** Most bytes that are decoded again one by one, to find the last good one. */
const SMALL = 65_536;

/** Decodes one coding. Each write decodes to what its bytes reveal, at its time. */
async function decodeOne(
  coding: string,
  writes: readonly CapturedWrite[],
  limit: number,
  slice = SLICE,
): Promise<Decoded> {
  const joined = Buffer.concat(writes.map((write) => write.bytes).slice(0, 2));
  const decoder = DECODERS.get(coding)?.(joined[0] ?? 0, joined[1] ?? 0);
  if (!decoder) return { writes: [], problem: `content-encoding ${JSON.stringify(coding)} cannot be read` };
  let pieces: Buffer[] = [];
  let length = 0;
  let problem: string | undefined;
  let over = false;
  let wrong = false;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      over = true;
      resolve();
    };
    decoder.on('end', end).on('close', end);
    decoder.on('error', (error) => {
      wrong = true;
      problem ??= `content-encoding ${coding}: ${error.message}`;
      end();
    });
  });
  decoder.on('data', (bytes: Buffer) => {
    length += bytes.length;
    if (length <= limit) pieces.push(bytes);
    else {
      problem ??= `it decodes to more than ${inMegabytes(limit)}`;
      decoder.destroy();
    }
  });
  const decoded: CapturedWrite[] = [];
  const take = (at: number) => {
    if (pieces.length > 0) decoded.push({ at, bytes: Buffer.concat(pieces) });
    pieces = [];
  };
  for (const { at, bytes } of writes) {
    for (let from = 0; from < bytes.length && !over; from += slice) {
      const part = bytes.subarray(from, from + slice);
      await Promise.race([ended, new Promise<void>((resolve) => decoder.write(part, () => resolve()))]);
    }
    take(at);
  }
  if (!over) decoder.end();
  await ended;
  take(writes.at(-1)?.at ?? 0);
  decoder.destroy();
  const size = writes.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (wrong && slice > 1 && size <= SMALL) return decodeOne(coding, writes, limit, 1);
  return { writes: decoded, problem };
}

/**
 * Decodes the writes of a body, each at its time: a list of codings from its end. A cut or wrong body is decoded as far
 * as it goes, and nothing beyond `limit` bytes.
 *
 * @param contentEncoding the header, undefined if there is none
 */
export async function decodeWrites(
  contentEncoding: string | undefined,
  writes: readonly CapturedWrite[],
  limit: number,
): Promise<Decoded> {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  const applied = codings.filter((coding) => coding !== '' && coding !== 'identity').reverse();
  if (writes.every(({ bytes }) => bytes.length === 0)) return { writes };
  if (applied.length > MOST_CODINGS)
    return { writes: [], problem: `content-encoding has over ${MOST_CODINGS} codings` };
  let decoded: Decoded = { writes };
  for (const coding of applied) {
    const next = await decodeOne(coding, decoded.writes, limit);
    decoded = { writes: next.writes, problem: decoded.problem ?? next.problem };
  }
  return decoded;
}

export const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');
