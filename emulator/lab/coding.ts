import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  type Deflate,
  type Gzip,
} from 'node:zlib';
import type { Scripted } from '../contract/client-case.js';

export type Encoding = NonNullable<Scripted['encoding']>;

const MAKE: Readonly<Record<Encoding, () => BrotliCompress | Deflate | Gzip>> = {
  gzip: createGzip,
  deflate: createDeflate,
  br: createBrotliCompress,
};

/** A body compressed write by write: each comes out whole, so that a client can decode it before the next. */
export function createCoding(encoding: Encoding) {
  const stream = MAKE[encoding]();
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  const taken = () => Buffer.concat(parts.splice(0));
  const flush = encoding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
  return {
    encode: (bytes: Uint8Array): Promise<Uint8Array> =>
      new Promise((resolve) => {
        stream.write(bytes);
        stream.flush(flush, () => resolve(taken()));
      }),
    /** The end of the coded body. */
    trailer: (): Promise<Uint8Array> =>
      new Promise((resolve) => {
        stream.once('end', () => resolve(taken()));
        stream.end();
      }),
  };
}
