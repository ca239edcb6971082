import { JsonSyntaxError, parseJson } from '../contract/json.js';
import { suggestion } from '../contract/nearest.js';
import { problem, words } from '../contract/problem.js';
import { type Kept, SNAPSHOT_VERSION, snapshotFileSchema } from '../contract/snapshot.js';
import { nameSchema } from '../contract/space.js';
import type { SnapshotView } from '../contract/views.js';
import { ControlError } from '../control/error.js';
import type { SnapshotsPart } from '../control/snapshots.js';
import type { EndedRuns } from '../domain/run-index.js';
import type { SnapshotFiles } from '../store/snapshot-files.js';

/** A snapshot in this process: what outlives it, and the runs that had ended. */
export interface Snapshot {
  readonly kept: Kept;
  readonly runs: EndedRuns;
}

export interface SnapshotsDeps {
  /** Everything as it is now. */
  keep(): Snapshot;
  restore(snapshot: Snapshot): Promise<void>;
  /** The place of a secret that the key of this emulator does not open; undefined if it opens all. */
  sealedOtherwise(rows: Kept['state']['secrets']): number | undefined;
  /** The files of snapshots, if they outlive the process. */
  readonly files: SnapshotFiles | undefined;
}

/** The snapshot that always exists. */
const START = 'start';
const MOST = 100;
const NO_RUNS: EndedRuns = { runs: [], gone: [] };

/** Snapshots by name (SPACE-2). A snapshot that cannot be written, read or used is refused, and changes nothing. */
export function createSnapshots({ keep, restore, files, sealedOtherwise }: SnapshotsDeps): SnapshotsPart {
  const snapshots = new Map<string, Snapshot>([[START, keep()]]);

  /** From the file of another process. */
  const load = (name: string): Snapshot | undefined => {
    if (!nameSchema().safeParse(name).success) return undefined;
    const text = files?.read(name);
    if (text === undefined) return undefined;
    const wrong = (what: string) => new ControlError(409, `the snapshot ${name} cannot be used: ${what}`);
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      throw error instanceof JsonSyntaxError ? wrong(`it is not JSON: ${error.message}`) : error;
    }
    const version = (value as { version?: unknown } | null)?.version;
    if (typeof version === 'number' && version > SNAPSHOT_VERSION)
      throw wrong(`its format is version ${version}, this release reads up to ${SNAPSHOT_VERSION}`);
    const read = snapshotFileSchema().safeParse(value, { error: words });
    if (!read.success) throw wrong(problem(read.error, 'the whole'));
    const { kept } = read.data;
    if (sealedOtherwise(kept.state.secrets) !== undefined)
      throw wrong('its secrets were sealed with another key than that of this store');
    return { kept, runs: NO_RUNS };
  };
  const find = (name: string): Snapshot => {
    const known = snapshots.get(name) ?? load(name);
    if (!known)
      throw new ControlError(
        404,
        `snapshot ${name} does not exist${suggestion(name, names())}; known: ${names().join(', ')}`,
      );
    snapshots.set(name, known);
    return known;
  };
  const names = () => [...new Set([...snapshots.keys(), ...(files?.names() ?? [])])].sort();

  const view = (name: string): SnapshotView => {
    const { kept } = find(name);
    return {
      name,
      now: new Date(kept.clock.now).toISOString(),
      interns: kept.state.interns.length,
      scripts: kept.state.scripts.length,
      faults: kept.faults.length,
      turns_per_minute: kept.settings.turns_per_minute,
    };
  };
  const ofStart = (name: string) => {
    if (name === START) throw new ControlError(409, `${START} is the snapshot of the start: choose another name`);
  };

  return {
    put(name) {
      ofStart(name);
      const valid = nameSchema().safeParse(name);
      if (!valid.success) throw new ControlError(400, `name: ${valid.error.issues[0]?.message}`);
      const like = names().find((known) => known !== name && known.toLowerCase() === name.toLowerCase());
      if (like !== undefined)
        throw new ControlError(
          409,
          `snapshot ${name}: ${like} differs in letter case alone, which many file systems ignore`,
        );
      if (snapshots.size > MOST && !snapshots.has(name))
        throw new ControlError(409, `there are ${MOST} snapshots already: delete one first`);
      const snapshot = keep();
      const { kept } = snapshot;
      const file = { format: 'intern-emulator-snapshot', version: SNAPSHOT_VERSION, name, kept };
      files?.write(name, JSON.stringify(file));
      snapshots.set(name, snapshot);
      return view(name);
    },
    list: () =>
      names().map((name) => {
        try {
          return view(name);
        } catch (error) {
          return { name, unusable: (error as Error).message };
        }
      }),
    get: view,
    restore: (name) => restore(find(name)),
    delete(name) {
      ofStart(name);
      if (!snapshots.has(name) && !names().includes(name)) find(name);
      files?.delete(name);
      snapshots.delete(name);
    },
  };
}
