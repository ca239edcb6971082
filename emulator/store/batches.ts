import type { CollectionName } from '../contract/state.js';
import type { StoredChange } from './memory.js';

/** The changes that one commit makes durable. */
export interface Batch {
  readonly changes: readonly StoredChange[];
  /** Whether the changes stay in memory if the disk refuses them, to go with the next commit. */
  readonly keep: boolean;
  resolve(): void;
  reject(error: Error): void;
}

/** A row whose present value is not written. */
export interface Dirty {
  readonly collection: CollectionName;
  readonly id: string;
  /** The row was deleted since it was written. If it is put again, it has another place in the order of rows. */
  readonly deleted: boolean;
}

/** The rows that are not written yet, and the commits that wait for them. */
export function createBatches() {
  const dirty = new Map<string, Dirty>();
  /** Changes since the last commit. */
  let open: StoredChange[] = [];
  let waiting: Batch[] = [];
  return {
    add(change: StoredChange) {
      open.push(change);
      const key = `${change.collection}\n${change.id}`;
      const known = dirty.get(key);
      // A row that was deleted and put again comes last.
      if (known?.deleted && !change.gone) dirty.delete(key);
      dirty.set(key, { ...change, deleted: change.gone || (known?.deleted ?? false) });
    },
    /** Ends the batch of what was changed since the last commit. */
    close(batch: Omit<Batch, 'changes'>) {
      waiting.push({ ...batch, changes: open });
      open = [];
    },
    /** The waiting batches, in order; none waits afterwards. */
    take(): Batch[] {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    pending: () => dirty.size > 0,
    /** The rows to write, with their present values. */
    dirty: () => [...dirty.values()],
    /** Everything is written. */
    written() {
      dirty.clear();
      open = [];
    },
  };
}
