import type { Random } from '../clock/random.js';

/** Ids of requests that have none of their own (BASE-6). */
export interface RequestIds {
  next(): string;
  state(): { stem: string; count: number };
  restore(state: { stem: string; count: number }): void;
}

/** A random beginning and a count: each is as unique as a random id, and made at once. */
export function createRequestIds(random: Pick<Random, 'uuid'>): RequestIds {
  let stem = `${random.uuid().slice(0, 13)}-`;
  let count = 0;
  return {
    next: () => `${stem}${(++count).toString(36)}`,
    state: () => ({ stem, count }),
    restore(state) {
      ({ stem, count } = state);
    },
  };
}
