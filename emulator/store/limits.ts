import type { CollectionName, IdempotencyRow, Rows } from '../contract/state.js';

/** How many rows to keep of a kind that nothing else deletes: the newest. */
export const NEWEST_KEPT = 10_000;

/**
 * The rows that are counted, by collection. Rows that go with their intern are not: creates without a key,
 * and unfinished ones.
 */
export const COUNTED: { readonly [N in CollectionName]?: (row: Rows[N]) => boolean } = {
  sessions: () => true,
  questions: () => true,
  reveals: () => true,
  scim_jobs: () => true,
  idempotency: (row: IdempotencyRow) => !row.derived && row.answer !== null,
};
