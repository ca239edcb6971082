import type { ProofFields } from '../signing/canonical.js';

/** What the emulator's own signatures were made over, so that a refusal can say so. Never part of a verdict. */
export interface Issued {
  add(signature: string, fields: ProofFields): void;
  get(signature: string): ProofFields | undefined;
}

/** Remembers the last `most` signatures. */
export function createIssued(most = 10_000): Issued {
  const bySignature = new Map<string, ProofFields>();
  return {
    add(signature, fields) {
      bySignature.delete(signature);
      bySignature.set(signature, fields);
      if (bySignature.size <= most) return;
      for (const oldest of bySignature.keys()) {
        bySignature.delete(oldest);
        break;
      }
    },
    get: (signature) => bySignature.get(signature),
  };
}
