import type { SyncAdapter } from 'lowdb';
import { type Format, migrate, type RawState } from '../contract/migrations.js';
import type { State } from '../contract/state.js';
import { Damage, StoreError, systemReason } from './errors.js';
import { type Files, freeName } from './files.js';
import type { Hold, PathState } from './hold.js';
import { checkOurs, createLogWriter, type LogWriter, readLog } from './log.js';
import { applyChanges, asState, checkRows, withEveryCollection } from './rows.js';
import { COLLECTION_NAMES, type RowSets, readSnapshot, type Snapshot, writeSnapshot } from './snapshot.js';

/** The value that lowdb reads and writes for us: the rows, and the number of the last commit that changed them. */
export interface Contents {
  commit: number;
  rows: RowSets;
}

/** A lowdb adapter over a snapshot and the log of later commits. */
export interface LogAdapter extends SyncAdapter<Contents> {
  /** Open from the first read or write on. */
  readonly log: LogWriter;
  /** Whether snapshot and log are still where they were left. */
  place(): PathState;
  /** Bytes of the snapshot. */
  readonly snapshotSize: number;
  /** Releases the log; `remove` if the snapshot holds all of it. A log whose snapshot was replaced is set aside, and named. */
  close(remove: boolean): string | undefined;
}

/**
 * Keeps {@link Contents} at `path` as a snapshot, and later commits as a log at `<path>.log`.
 *
 * `write` makes a new snapshot beside the old one, renames it over that, and only then empties the log. The snapshot
 * and each line of the log carry the number of the last commit. So a log that a crash left full is known to be
 * contained, and a log of another snapshot is recognized.
 */
export function createAdapter(files: Files, path: string, hold: Hold, format: Format, fsync: boolean): LogAdapter {
  const logPath = `${path}.log`;
  let log: LogWriter | undefined;
  let snapshotSize = 0;

  const opened = (): LogWriter => {
    if (!log) throw new Error('the log is not open');
    return log;
  };

  const read = (file: string): Buffer | undefined => {
    try {
      if (files.lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
        throw new StoreError('foreign', path, `${file}: it is not a file; it was left as it is`);
      }
      return files.readFileSync(file);
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new StoreError('unreadable', path, `${file}: cannot read it: ${systemReason(error)}`, { cause: error });
    }
  };

  const write = ({ commit, rows }: Contents): void => {
    snapshotSize = writeSnapshot(files, path, format.version, commit, rows);
    // From here on it counts as written, whatever else fails: the log is cleared at the latest before its next entry.
    try {
      hold.take();
    } catch {}
    if (log?.place() === 'gone') {
      log.close();
      log = createLogWriter(files, logPath, 0, fsync);
    } else log?.clear();
  };

  const readState = (snapshot: Snapshot, logBytes: Buffer) => {
    const { entries, whole } = readLog(logPath, logBytes, snapshot.commit);
    const raw: RawState = { ...snapshot.body, version: snapshot.version };
    const changed =
      entries.length === 0
        ? raw
        : applyChanges(
            path,
            raw,
            entries.flatMap(({ changes }) => changes),
          );
    const migrated = withEveryCollection(migrate(changed, format));
    if (!snapshot.untouched || snapshot.version !== format.version) checkRows(path, migrated);
    // A handmade store may lack some collections. A store without any is damaged: taken for an empty one, it would be
    // overwritten.
    if (!COLLECTION_NAMES.some((name) => Object.hasOwn(changed, name)))
      throw new Damage(path, `it holds no collection; expected one of ${COLLECTION_NAMES.join(', ')}`);
    return { state: asState(migrated), commit: entries.at(-1)?.commit ?? snapshot.commit, whole };
  };

  return {
    get log() {
      return opened();
    },
    place() {
      const places = [hold.place(), opened().place()];
      return (['replaced', 'gone'] as const).find((one) => places.includes(one)) ?? 'kept';
    },
    get snapshotSize() {
      return snapshotSize;
    },
    read(): (Contents & { rows: State }) | null {
      const snapshotBytes = read(path);
      const logBytes = read(logPath);
      if (!snapshotBytes) {
        if (!logBytes || logBytes.length === 0) return null;
        checkOurs(logPath, logBytes);
        throw new Damage(logPath, `its snapshot ${path} is missing`);
      }
      hold.take();
      const snapshot = readSnapshot(path, snapshotBytes);
      if (snapshot.version > format.version) {
        const what = `its format is version ${snapshot.version}, this release reads up to ${format.version}`;
        throw new StoreError('newer', path, `${path}: ${what}; it was left as it is`);
      }
      snapshotSize = snapshotBytes.length;
      const { state, commit, whole } = readState(snapshot, logBytes ?? Buffer.alloc(0));
      // A migrated state replaces the old one before anything of the new version joins the log.
      if (snapshot.version !== format.version) write({ commit, rows: state });
      log = createLogWriter(files, logPath, snapshot.version === format.version ? whole : 0, fsync);
      return { commit, rows: state };
    },
    write(contents) {
      write(contents);
      log ??= createLogWriter(files, logPath, 0, fsync);
    },
    close(remove) {
      const kept = log?.place() === 'kept';
      const left = kept && !remove && opened().size > 0 && hold.place() === 'replaced';
      hold.close();
      log?.close();
      log = undefined;
      if (remove && kept) files.unlinkSync(logPath);
      if (!left) return undefined;
      const aside = `${freeName(files, `${path}.left`, '.log')}.log`;
      files.renameSync(logPath, aside);
      return aside;
    },
  };
}
