import type { CollectionName } from '../contract/state.js';
import type { Change } from './memory.js';

/** The changes that one commit is to make durable. */
export interface Batch {
  readonly changes: readonly Change[];
  /** Whether they stay in memory where the disk refuses them, to be brought along by the next commit. */
  readonly keep: boolean;
  resolve(): void;
  reject(error: Error): void;
}

/** A row that is not written as it is now. */
export interface Dirty {
  readonly collection: CollectionName;
  readonly id: string;
  /** Whether it was deleted since it was written, perhaps to be put again: at another place in the order of rows. */
  readonly deleted: boolean;
}

/** What of the rows is not written yet, and which commit waits for it. */
export function createBatches() {
  const dirty = new Map<string, Dirty>();
  /** Changes since the last commit. */
  let open: Change[] = [];
  let waiting: Batch[] = [];
  return {
    add(change: Change) {
      open.push(change);
      const key = `${change.collection}\n${change.id}`;
      const known = dirty.get(key);
      // A row that was deleted and put again comes last of all.
      if (known?.deleted && !change.gone) dirty.delete(key);
      dirty.set(key, { ...change, deleted: change.gone || (known?.deleted ?? false) });
    },
    /** Ends the batch of what was changed since the last commit. */
    close(batch: Omit<Batch, 'changes'>) {
      waiting.push({ ...batch, changes: open });
      open = [];
    },
    /** The batches that wait, in order; none does afterwards. */
    take(): Batch[] {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    pending: () => dirty.size > 0,
    /** The rows to write: what they are by now is what counts. */
    dirty: () => [...dirty.values()],
    /** Everything is. */
    written() {
      dirty.clear();
      open = [];
    },
  };
}
