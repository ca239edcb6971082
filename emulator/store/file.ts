import { existsSync } from 'node:fs';
import { LowSync } from 'lowdb';
import { type Contents, createAdapter } from './adapter.js';
import { Damage, StoreError, systemReason } from './errors.js';
import { type Files, realFiles } from './files.js';
import { lock } from './lock.js';
import type { Change } from './log.js';
import { createTables } from './memory.js';
import { FORMAT, type Format } from './migrations.js';
import type { Store } from './store.js';

export interface FileStoreOptions {
  /** Called when a write begins to wait, its result when it is done: `clock.hold`, so that advancing waits for writes. */
  hold?: () => () => void;
  /** Waits for the disk at each commit: survives the loss of power too, at some milliseconds a commit. */
  fsync?: boolean;
  /** For tests: the file system, and the versions of the format. */
  files?: Files;
  format?: Format;
}

/** Below this, a log is not worth compacting before the store is closed. Bytes. */
const SMALLEST_LOG_TO_COMPACT = 1024 * 1024;

/**
 * Opens a store that is kept in a file: JSON at `path` for reading, editing and checking in, and beside it, while it is
 * open, `<path>.log` with what was committed since and `<path>.lock`. A commit costs one short write, whatever the store
 * holds. Closing brings all of it into the one file.
 *
 * @throws StoreError `damaged` where the file is no store of ours or not as it should be: it is then renamed, its log
 *   too, and otherwise untouched; `newer` where a later release wrote it; `locked` while another process has it open;
 *   `unreadable` and `unwritable` as the file system says
 */
export function openFileStore(path: string, options: FileStoreOptions = {}): Store {
  const files = options.files ?? realFiles;
  const file = files.existsSync(path) ? files.realpathSync(path) : path;
  const unlock = lock(files, file);
  try {
    return openLocked(file, files, unlock, options);
  } catch (error) {
    const told = error instanceof Damage ? setAside(files, file, error) : error;
    unlock();
    throw told;
  }
}

function openLocked(path: string, files: Files, unlock: () => void, options: FileStoreOptions): Store {
  const { hold = () => () => {}, fsync = false, format = FORMAT } = options;
  const unwritable = (what: string, cause: unknown) =>
    new StoreError('unwritable', path, `${path}: ${what}: ${systemReason(cause)}`, { cause });

  let pending: Change[] = [];
  const tables = createTables((name, id, row) => {
    pending.push(row === null ? ['delete', name, id] : ['put', name, row]);
  });
  const adapter = createAdapter(files, path, format, fsync);
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
  /** Whether the rows in memory can only be kept by a whole snapshot: they were replaced, and writing that failed. */
  let replaced = false;
  let scheduled = false;
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  /** Size of the log at which it is compacted next. */
  let limit = 0;
  const setLimit = () => {
    limit = Math.max(SMALLEST_LOG_TO_COMPACT, adapter.snapshotSize);
  };
  setLimit();

  /** Everything in memory into a new snapshot. */
  const compact = () => {
    if (pending.length > 0 || replaced) commit++;
    try {
      db.write();
    } catch (error) {
      throw unwritable('cannot write it', error);
    }
    pending = [];
    replaced = false;
    setLimit();
  };

  const write = () => {
    if (replaced) return compact();
    if (pending.length === 0) return;
    try {
      adapter.log.append({ commit: commit + 1, changes: pending });
    } catch (error) {
      // The changes stay pending: the next commit has to bring them along.
      throw unwritable('cannot write its log', error);
    }
    commit++;
    pending = [];
  };

  const flush = () => {
    scheduled = false;
    const told = waiting;
    waiting = [];
    try {
      write();
    } catch (error) {
      for (const { reject } of told) reject(error as Error);
      return;
    }
    for (const { resolve } of told) resolve();
    if (adapter.log.size < limit) return;
    try {
      compact();
    } catch {
      // Nothing is lost, the log has it all; closing tries again and tells.
      limit = adapter.log.size * 2;
    }
  };

  const ensureOpen = () => {
    if (closed) throw new StoreError('closed', path, `${path}: the store is closed`);
  };

  return {
    collection: tables.collection,
    async commit() {
      ensureOpen();
      if (pending.length === 0 && !replaced) return;
      await new Promise<void>((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (scheduled) return;
        scheduled = true;
        const release = hold();
        // One turn later: whatever else this turn of the event loop commits leaves in the same write.
        setImmediate(() => {
          if (scheduled) flush();
          release();
        });
      });
    },
    snapshot: tables.snapshot,
    async replace(state) {
      ensureOpen();
      tables.load(state);
      pending = [];
      replaced = true;
      compact();
    },
    async close() {
      if (closed) return;
      closed = true;
      if (scheduled) flush();
      try {
        if (pending.length > 0 || replaced || adapter.log.size > 0) compact();
        adapter.close(true);
      } catch (error) {
        adapter.close(false);
        throw error;
      } finally {
        unlock();
      }
    },
  };
}

/** Renames a damaged store and its log to the first free name, and tells of it. */
function setAside(files: Files, path: string, damage: Damage): StoreError {
  const taken = (name: string) => existsSync(name) || existsSync(`${name}.log`);
  let number = 1;
  while (taken(`${path}.damaged-${number}`)) number++;
  const aside = `${path}.damaged-${number}`;
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
