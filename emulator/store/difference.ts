import { COLLECTIONS, type CollectionName, type State } from '../contract/state.js';
import type { LoggedChange } from './log.js';

const NAMES = Object.keys(COLLECTIONS) as CollectionName[];

/**
 * The changes that turn one state into another, by the rows they share. Undefined if they share less than half of them,
 * or if the changes would leave the rows in another order.
 */
export function difference(from: State, to: State): LoggedChange[] | undefined {
  const changes: LoggedChange[] = [];
  let shared = 0;
  for (const name of NAMES) {
    const before = new Map(from[name].map((row) => [row.id, row as { id: string }]));
    const after = new Set(to[name].map(({ id }) => id));
    const order: string[] = [];
    for (const id of before.keys()) {
      if (after.has(id)) order.push(id);
      else changes.push(['delete', name, id]);
    }
    for (const row of to[name]) {
      if (!before.has(row.id)) order.push(row.id);
      if (before.get(row.id) === row) shared++;
      else changes.push(['put', name, row]);
    }
    if (to[name].some(({ id }, index) => order[index] !== id)) return undefined;
  }
  return changes.length <= shared ? changes : undefined;
}
