import type { CollectionName, Rows, State } from '../contract/state.js';
import type { KeyFile } from './key-file.js';
import type { SnapshotFiles } from './snapshot-files.js';

/** Rows of one kind by id, in memory, in insertion order. Rows are values: put a changed copy, never change one. */
export interface Collection<R extends { id: string }> {
  readonly size: number;
  get(id: string): R | undefined;
  has(id: string): boolean;
  values(): IterableIterator<R>;
  put(row: R): void;
  delete(id: string): boolean;
}

/**
 * The state of an emulator. Reads and puts are immediate and in memory. A put is durable (survives `kill -9`)
 * once a {@link Store.commit} called after it resolves. An answer that acknowledges a change waits for that.
 */
export interface Store {
  collection<N extends CollectionName>(name: N): Collection<Rows[N]>;
  /**
   * Resolves once everything put so far is durable; at once in memory. Commits that wait together are written together.
   *
   * If the disk refuses it, everything put since the commit before is undone, so that nothing unstored shows, and the
   * promise rejects with a StoreError. With `keep` the changes stay, and the next commit tries them again: for what the
   * emulator does by itself and acknowledges to nobody.
   */
  commit(options?: { keep?: boolean }): Promise<void>;
  /** The present state as a value: its rows are shared with the store, and neither changes them. */
  snapshot(): State;
  /** Replaces everything, or nothing if the disk refuses it. Durable when it resolves. */
  replace(state: State): Promise<void>;
  /** Writes the rest, compacts, releases the file. */
  close(): Promise<void>;
  /** The file of the signing key, which is not part of the state; undefined for a store in memory. */
  readonly keyFile?: KeyFile;
  /** The file of the key that seals secrets; undefined for a store in memory. */
  readonly vaultKeyFile?: KeyFile;
  /** The files of snapshots; undefined for a store in memory. */
  readonly snapshotFiles?: SnapshotFiles;
}
