import type { Random } from '../clock/random.js';

/**
 * Ids of requests that have none of their own (BASE-6): a random beginning and a count. Each is as unique as a random
 * id, and made at once.
 */
export function createRequestIds(random: Pick<Random, 'uuid'>) {
  let stem = `${random.uuid().slice(0, 13)}-`;
  let count = 0;
  return {
    next: () => `${stem}${(++count).toString(36)}`,
    state: () => ({ stem, count }),
    restore(state: { stem: string; count: number }): void {
      ({ stem, count } = state);
    },
  };
}

export type RequestIds = ReturnType<typeof createRequestIds>;
