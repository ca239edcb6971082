import type { Collection } from '../store/store.js';

/** Of what grows with every request and is never done with, this many rows of a kind are kept: the newest. */
export const KEPT = 10_000;

/** Forgets the oldest rows beyond {@link KEPT}; those that are `wanted` outlast others, but not the bound. */
export function keepNewest<R extends { id: string }>(
  rows: Pick<Collection<R>, 'size' | 'values' | 'delete'>,
  wanted: (row: R) => boolean = () => false,
): void {
  while (rows.size > KEPT) {
    let oldest: R | undefined;
    for (const row of rows.values()) {
      oldest ??= row;
      if (wanted(row)) continue;
      oldest = row;
      break;
    }
    if (oldest) rows.delete(oldest.id);
  }
}
