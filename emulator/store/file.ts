import { basename, dirname } from 'node:path';
import { LowSync } from 'lowdb';
import { FORMAT, type Format } from '../contract/migrations.js';
import { removeUnfinished } from '../contract/replace-file.js';
import { type Contents, createAdapter } from './adapter.js';
import { createBatches, type Dirty } from './batches.js';
import { difference } from './difference.js';
import { Damage, Foreign, StoreError, systemReason } from './errors.js';
import { type Files, freeName, realFiles } from './files.js';
import { createHold } from './hold.js';
import { keyFileOf } from './key-file.js';
import { locate } from './location.js';
import { type LockHost, lock } from './lock.js';
import type { LoggedChange as LogChange } from './log.js';
import { createTables, type StoredChange } from './memory.js';
import { snapshotFilesOf } from './snapshot-files.js';
import type { Store } from './store.js';

export interface FileStoreOptions {
  /**
   * Called when a write begins to wait; its result is called when the write is done. It is `clock.hold`, so that
   * advancing waits for writes.
   */
  hold?: () => () => void;
  /** Waits for the disk at each commit: survives a loss of power too, at some milliseconds a commit. */
  fsync?: boolean;
  /** Called with rows that have their earlier values again, because the disk refused the change. */
  undone?: (rows: readonly Pick<StoredChange, 'collection' | 'id'>[]) => void;
  /** Receives a record of a write that the disk refused, and of a lock that was taken over. */
  log?: (record: Record<string, unknown>) => void;
  /** How the lock is renewed and waited for. Without it, it is not. */
  host?: LockHost;
  /** For tests: the file system, and the versions of the format. */
  files?: Files;
  format?: Format;
}

/** A smaller log is not worth compacting before the store is closed. Bytes. */
const SMALLEST_LOG_TO_COMPACT = 1024 * 1024;

/**
 * Opens a store that is kept in a file: JSON at `path` for reading, editing and checking in, and beside it, while it is
 * open, `<path>.log` with later commits and `<path>.lock`. A commit costs one short write, whatever the store holds.
 * Closing merges all of it into the one file.
 *
 * @throws StoreError `foreign` if the file at the path is not a store of ours; it stays as it is. `damaged` if it is a
 *   damaged store of ours; it is then renamed, its log too, and otherwise untouched. `newer` if a later release wrote it;
 *   `locked` while it is open, here or in another process; `unreadable` and `unwritable` as the file system says
 */
export function openFileStore(path: string, options: FileStoreOptions = {}): Store {
  const { files = realFiles, log = () => {}, host } = options;
  const file = locate(files, path);
  const unlock = lock(files, file, host, (evidence) =>
    log({ level: 'warn', event: 'store_lock_taken_over', ...evidence }),
  );
  const hold = createHold(files, file);
  const adapter = createAdapter(files, file, hold, options.format ?? FORMAT, options.fsync ?? false);
  try {
    removeUnfinished(dirname(file), basename(file));
    removeUnfinished(`${file}.snapshots`);
    return openLocked(file, adapter, unlock, options);
  } catch (error) {
    adapter.close(false);
    const reported =
      error instanceof Foreign
        ? new StoreError('foreign', file, `${error.file}: ${error.what}; it was left as it is`, { cause: error })
        : error instanceof Damage
          ? setAside(files, file, error)
          : error;
    unlock();
    throw reported;
  }
}

function openLocked(
  path: string,
  adapter: ReturnType<typeof createAdapter>,
  unlock: () => void,
  options: FileStoreOptions,
): Store {
  const { hold = () => () => {}, undone = () => {}, log = () => {}, files = realFiles } = options;
  const unwritable = (what: string, cause: unknown) =>
    new StoreError('unwritable', path, `${path}: ${what}: ${systemReason(cause)}`, { cause });

  const batches = createBatches();
  const tables = createTables(batches.add);
  let commit = 0;
  const contents: Contents = {
    get commit() {
      return commit;
    },
    rows: tables.rows,
  };
  const db = new LowSync<Contents>(adapter, contents);
  db.read();
  if (db.data === contents) {
    try {
      db.write();
    } catch (error) {
      throw unwritable('cannot create it', error);
    }
  } else {
    commit = db.data.commit;
    tables.load(db.data.rows);
    db.data = contents;
  }

  let closed = false;
  let scheduled = false;
  /** Size of the log at which it is compacted next. */
  let limit = 0;
  const setLimit = () => {
    limit = Math.max(SMALLEST_LOG_TO_COMPACT, adapter.snapshotSize);
  };
  setLimit();

  /** Throws where somebody else has put a file in place of ours: nothing is written over it. */
  const placed = () => {
    const place = adapter.place();
    if (place !== 'replaced') return place;
    const what =
      'another file took its place while it was open; that file was left as it is, and nothing more is written';
    throw new StoreError('replaced', path, `${path}: ${what}`);
  };

  /** Writes everything in memory into a new snapshot. */
  const compact = () => {
    placed();
    const last = commit;
    commit++;
    try {
      db.write();
    } catch (error) {
      commit = last;
      throw unwritable('cannot write it', error);
    }
    batches.written();
    setLimit();
  };

  const changesOf = ({ collection, id, deleted }: Dirty): LogChange[] => {
    const row = tables.collection(collection).get(id);
    const gone: LogChange[] = deleted || row === undefined ? [['delete', collection, id]] : [];
    return row === undefined ? gone : [...gone, ['put', collection, row]];
  };
  const append = (changes: LogChange[]) => {
    if (changes.length === 0) return;
    // A store that is gone is written whole again.
    if (placed() === 'gone') return compact();
    try {
      adapter.log.append({ commit: commit + 1, changes });
    } catch (error) {
      throw unwritable('cannot write its log', error);
    }
    commit++;
    batches.written();
  };
  const write = () => append(batches.dirty().flatMap(changesOf));

  const flush = () => {
    scheduled = false;
    const waiting = batches.take();
    try {
      write();
    } catch (error) {
      log({ level: 'error', event: 'store_failed', error: (error as Error).message });
      const changes = waiting.flatMap((batch) => (batch.keep ? [] : batch.changes));
      for (const change of changes.toReversed()) tables.undo(change);
      if (changes.length > 0) undone(changes);
      for (const { reject } of waiting) reject(error as Error);
      return;
    }
    for (const { resolve } of waiting) resolve();
    if (adapter.log.size < limit) return;
    try {
      compact();
    } catch {
      // Nothing is lost, since the log has it all. Closing tries again and reports the error.
      limit = adapter.log.size * 2;
    }
  };

  const ensureOpen = () => {
    if (closed) throw new StoreError('closed', path, `${path}: the store is closed`);
  };
  const letGo = (remove: boolean) => {
    try {
      return adapter.close(remove);
    } finally {
      unlock();
    }
  };

  return {
    collection: tables.collection,
    keyFile: keyFileOf(path, files),
    vaultKeyFile: keyFileOf(path, files, 'vault'),
    snapshotFiles: snapshotFilesOf(path, files),
    async commit({ keep = false } = {}) {
      ensureOpen();
      if (!batches.pending()) return;
      await new Promise<void>((resolve, reject) => {
        batches.close({ keep, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        const release = hold();
        // One turn later, so that all commits of this turn of the event loop leave in the same write.
        setImmediate(() => {
          if (scheduled) flush();
          release();
        });
      });
    },
    snapshot: tables.snapshot,
    async replace(state) {
      ensureOpen();
      const before = tables.snapshot();
      // A restored state shares most of its rows with the present one, so the difference is soon written.
      const changes = batches.pending() ? undefined : difference(before, state);
      tables.load(state);
      try {
        if (changes) append(changes);
        else compact();
      } catch (error) {
        log({ level: 'error', event: 'store_failed', error: (error as Error).message });
        tables.load(before);
        throw error;
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      if (scheduled) flush();
      try {
        if (batches.pending() || adapter.log.size > 0) compact();
      } catch (error) {
        const left = letGo(false);
        if (left === undefined) throw error;
        const what = `${(error as Error).message}; what it does not hold is in ${left}`;
        throw new StoreError('replaced', path, what, { cause: error });
      }
      letGo(true);
    },
  };
}

/** Renames a damaged store and its log to the first free name, and reports it. */
function setAside(files: Files, path: string, damage: Damage): StoreError {
  const aside = freeName(files, `${path}.damaged`, '', '.log');
  const moved: string[] = [];
  try {
    for (const [from, to] of [
      [path, aside],
      [`${path}.log`, `${aside}.log`],
    ] as const) {
      if (!files.existsSync(from)) continue;
      files.renameSync(from, to);
      moved.push(to);
    }
  } catch (error) {
    const what = `${damage.what}; it could not be set aside: ${systemReason(error)}`;
    return new StoreError('damaged', path, `${damage.file}: ${what}`, { cause: error });
  }
  const what = `${damage.file}: ${damage.what}; set aside untouched as ${moved.join(' and ')}`;
  return new StoreError('damaged', path, what, { cause: damage });
}
