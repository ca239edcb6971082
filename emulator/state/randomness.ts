import { createRandom, type Random } from '../clock/random.js';
import type { Store } from '../store/store.js';

/** Counts the openings of a store: it returns 1 for a new one. */
function countOpening(store: Store): number {
  const meta = store.collection('meta');
  const last = meta.get('openings')?.value;
  const openings = typeof last === 'number' ? last + 1 : 1;
  meta.put({ id: 'openings', value: openings });
  return openings;
}

/**
 * The randomness of an emulator: one seed, and a source of its own for each part that draws from it. Each opening of a
 * store takes streams of its own: a restarted emulator repeats no id and no nonce.
 */
export function createRandomness(given: string | undefined, store: Store) {
  const openings = countOpening(store);
  const { seed } = createRandom(given);
  const sources = new Map<string, Random>();
  return {
    /** The sources made so far, by their parts. */
    sources: sources as ReadonlyMap<string, Random>,
    of(part: string): Random {
      const source = createRandom(seed, `${openings} ${part}`);
      sources.set(part, source);
      return source;
    },
  };
}

export type Randomness = ReturnType<typeof createRandomness>;
