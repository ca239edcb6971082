import { createGzip } from 'node:zlib';
import type { CapturedWrite } from './capture.js';

/** Texts in gzip: one write each, `step` ms apart. */
export async function gzipped(texts: readonly string[], step: number): Promise<CapturedWrite[]> {
  const gzip = createGzip();
  const writes: CapturedWrite[] = [];
  for (const [at, text] of texts.entries()) {
    await new Promise<void>((resolve) => gzip.write(text, () => gzip.flush(() => resolve())));
    // Since Node 26, a read returns only the first of several waiting buffers.
    const pieces: Buffer[] = [];
    for (let piece = gzip.read(); piece !== null; piece = gzip.read()) pieces.push(piece);
    writes.push({ at: at * step, bytes: Buffer.concat(pieces) });
  }
  return writes;
}
