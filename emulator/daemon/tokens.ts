import { createHash, timingSafeEqual } from 'node:crypto';
import type { InternRow } from '../contract/state.js';

/** The interns of an emulator, as a store's collection holds them. */
export interface Interns {
  readonly size: number;
  get(id: string): InternRow | undefined;
  values(): Iterable<InternRow>;
}

const digest = (token: string) => createHash('sha256').update(token).digest();

/**
 * Finds the running intern that a daemon token belongs to. Tokens are compared by their digests and in constant time
 * (AUTH-9). Where a token was found is remembered, so that only an unknown one looks through all interns.
 */
export function createTokens(interns: Interns) {
  const found = new Map<string, string>();
  let last = { token: '', digest: Buffer.alloc(32) };
  // One client after another asks one intern: its token need not be digested each time.
  const digestOf = (token: string) => {
    if (last.token !== token) last = { token, digest: digest(token) };
    return last.digest;
  };
  const belongs = (row: InternRow | undefined, wanted: Buffer): row is InternRow =>
    row !== undefined &&
    row.record.status === 'running' &&
    row.daemon_token !== null &&
    timingSafeEqual(digestOf(row.daemon_token), wanted);

  return (token: string): InternRow | undefined => {
    const wanted = digest(token);
    const key = wanted.toString('base64');
    const known = found.get(key);
    if (known !== undefined) {
      const row = interns.get(known);
      if (belongs(row, wanted)) return row;
      found.delete(key);
    }
    for (const row of interns.values()) {
      if (!belongs(row, wanted)) continue;
      // Tokens of earlier boots are never asked for again: start over before they pile up.
      if (found.size > 2 * interns.size + 64) found.clear();
      found.set(key, row.id);
      return row;
    }
    return undefined;
  };
}
