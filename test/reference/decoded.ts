import { pipeline, type Readable } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
} from 'node:zlib';
import type { Has } from './flaws.js';

const lenient = { finishFlush: constants.Z_SYNC_FLUSH };

/** A body without its coding. It ends in an error if the body does, or if the coded one has no trailer. */
export function decoded(body: Readable, coding: string | undefined, has: Has): Readable {
  if (coding === undefined || coding === 'identity' || has('noUnzip')) return body;
  if (coding === 'gzip' && has('firstMember')) return body.compose(firstMember) as unknown as Readable;
  const options = has('trailerUnneeded') ? lenient : {};
  const makers: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
    gzip: () => createGunzip(options),
    deflate: () => (has('deflateIsRaw') ? createInflateRaw(options) : createInflate(options)),
    br: () => createBrotliDecompress(has('trailerUnneeded') ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}),
  };
  const make = makers[coding];
  if (make === undefined) throw new TypeError(`unknown coding ${coding}`);
  const decoder = make();
  pipeline(body, decoder, () => {});
  return decoder as unknown as Readable;
}

/** The mistake of a client that takes the first member of gzip for all. */
async function* firstMember(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  const whole = Buffer.concat(parts);
  const next = whole.indexOf(Buffer.from([0x1f, 0x8b, 0x08]), 3);
  yield gunzipSync(next === -1 ? whole : whole.subarray(0, next));
}
