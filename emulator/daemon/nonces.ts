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
 * Nonces by the second of their proof. Only seconds within the window can hold any, so that what is kept never exceeds
 * what was accepted within one window, and forgetting costs one step per second gone.
 */
export function createNonces(): Nonces {
  const bySecond = new Map<number, Set<string>>();
  let forgotten = Number.NEGATIVE_INFINITY;
  let size = 0;
  const key = (internId: string, nonce: string) => `${internId}\n${nonce}`;
  const held = (wanted: string) => {
    for (const set of bySecond.values()) if (set.has(wanted)) return true;
    return false;
  };
  return {
    get size() {
      return size;
    },
    has: (internId, nonce) => held(key(internId, nonce)),
    take(internId, nonce, timestamp) {
      const wanted = key(internId, nonce);
      if (held(wanted)) return false;
      const set = bySecond.get(timestamp);
      if (set) set.add(wanted);
      else bySecond.set(timestamp, new Set([wanted]));
      size++;
      return true;
    },
    remembers: (timestamp) => timestamp >= forgotten,
    forgetBefore(timestamp) {
      if (timestamp <= forgotten) return;
      forgotten = timestamp;
      for (const [second, set] of bySecond) {
        if (second >= timestamp) continue;
        size -= set.size;
        bySecond.delete(second);
      }
    },
  };
}
