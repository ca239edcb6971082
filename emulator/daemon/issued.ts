import type { ProofFields } from '../signing/canonical.js';

/**
 * How far `most` may be exceeded, so that the oldest are dropped together: taking them one by one from a map gets ever
 * slower.
 */
const SLACK = 1.1;

/**
 * The inputs of the emulator's own signatures, so that a refusal can name them; they are never part of a verdict. The
 * last `most` are remembered, and some before them: by default the inputs of the last 1,000 proofs with a route.
 */
export function createIssued(most = 2_000) {
  const bySignature = new Map<string, ProofFields>();
  return {
    add(signature: string, fields: ProofFields): void {
      bySignature.delete(signature);
      bySignature.set(signature, fields);
      if (bySignature.size <= most * SLACK) return;
      for (const oldest of bySignature.keys()) {
        if (bySignature.size <= most) break;
        bySignature.delete(oldest);
      }
    },
    get: (signature: string) => bySignature.get(signature),
  };
}

export type Issued = ReturnType<typeof createIssued>;
