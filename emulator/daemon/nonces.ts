/** Which nonces were used, for as long as a proof that carries them could still be accepted. */
export interface Nonces {
  has(internId: string, nonce: string): boolean;
  /** Marks a nonce as used; false when it was before. `timestamp` is the proof's, in Unix seconds. */
  take(internId: string, nonce: string, timestamp: number): boolean;
  /** Whether the memory still reaches back to proofs of that second: what it forgot can't be told from unused. */
  remembers(timestamp: number): boolean;
  /** Forgets proofs made before that second. */
  forgetBefore(timestamp: number): void;
  /** How many are held. */
  readonly size: number;
}

/**
 * Nonces, and which of them came in which second. Only seconds within the window can hold any, so that what is kept
 * never exceeds what was accepted within one window, and forgetting costs one step per nonce gone.
 */
export function createNonces(): Nonces {
  const used = new Set<string>();
  const bySecond = new Map<number, string[]>();
  let forgotten = Number.NEGATIVE_INFINITY;
  const key = (internId: string, nonce: string) => `${internId}\n${nonce}`;
  return {
    get size() {
      return used.size;
    },
    has: (internId, nonce) => used.has(key(internId, nonce)),
    take(internId, nonce, timestamp) {
      const wanted = key(internId, nonce);
      if (used.has(wanted)) return false;
      used.add(wanted);
      const list = bySecond.get(timestamp);
      if (list) list.push(wanted);
      else bySecond.set(timestamp, [wanted]);
      return true;
    },
    remembers: (timestamp) => timestamp >= forgotten,
    forgetBefore(timestamp) {
      if (timestamp <= forgotten) return;
      forgotten = timestamp;
      for (const [second, list] of bySecond) {
        if (second >= timestamp) continue;
        for (const one of list) used.delete(one);
        bySecond.delete(second);
      }
    },
  };
}
