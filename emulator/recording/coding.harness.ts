import { createGzip } from 'node:zlib';
import type { CapturedWrite } from './capture.js';

/** Texts in gzip, a write each, `step` ms after the one before. */
export async function gzipped(texts: readonly string[], step: number): Promise<CapturedWrite[]> {
  const gzip = createGzip();
  const writes: CapturedWrite[] = [];
  for (const [at, text] of texts.entries()) {
    await new Promise<void>((resolve) => gzip.write(text, () => gzip.flush(() => resolve())));
    // From Node 26 on one read gives one buffer of several.
    const pieces: Buffer[] = [];
    for (let piece = gzip.read(); piece !== null; piece = gzip.read()) pieces.push(piece);
    writes.push({ at: at * step, bytes: Buffer.concat(pieces) });
  }
  return writes;
}
