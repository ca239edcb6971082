import { readdirSync, type Stats, statSync } from 'node:fs';
import { StoreError } from './errors.js';
import type { Files } from './files.js';

/** The content of a path: the file that was left there, another one, or none. */
export type PathState = 'kept' | 'replaced' | 'gone';

/** Only this system can show which files other processes have open, and can replace an open file. */
const CAN_TELL = process.platform === 'linux';

export function createHold(files: Files, path: string) {
  let held: number | undefined;
  let taken: Stats | undefined;
  const close = () => {
    if (held !== undefined) files.closeSync(held);
    held = undefined;
  };
  return {
    /**
     * Holds the file that is at the path now, and releases the one held before.
     *
     * @throws StoreError `locked` if the file has other names, and is or may be open by one of them
     */
    take(): void {
      taken = files.statSync(path);
      const { dev, ino, nlink } = taken;
      if (nlink > 1 && !CAN_TELL) {
        throw new StoreError(
          'locked',
          path,
          `${path}: it has other names (hard links), and may be open by one of them`,
        );
      }
      close();
      if (!CAN_TELL) return;
      // The file is held before the search for others: if two processes open it at once, at least one finds the other.
      held = files.openSync(path, 'r');
      const holder = nlink > 1 ? openElsewhere(dev, ino, held) : undefined;
      if (holder === undefined) return;
      close();
      const who = holder === process.pid ? 'this process' : `process ${holder}`;
      throw new StoreError('locked', path, `${path}: in use by ${who}, under another name of the file (a hard link)`);
    },
    /** Whether the file that was taken is still at the path, unchanged. */
    place(): PathState {
      const now = files.statSync(path, { throwIfNoEntry: false });
      if (now === undefined) return 'gone';
      const kept = (['dev', 'ino', 'size', 'mtimeMs'] as const).every((what) => now[what] === taken?.[what]);
      return kept ? 'kept' : 'replaced';
    },
    close,
  };
}

/** Keeps the file of a store open, so that a process that opens it by another name (a hard link) can find out. */
export type Hold = ReturnType<typeof createHold>;

/** The process that has a file open, by a descriptor other than our own `held`. Only root sees the processes of other users. */
function openElsewhere(dev: number, ino: number, held: number): number | undefined {
  for (const pid of list('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const fd of list(`/proc/${pid}/fd`)) {
      if (Number(pid) === process.pid && Number(fd) === held) continue;
      const stats = orUndefined(() => statSync(`/proc/${pid}/fd/${fd}`));
      if (stats?.ino === ino && stats.dev === dev) return Number(pid);
    }
  }
  return undefined;
}

const list = (folder: string): string[] => orUndefined(() => readdirSync(folder)) ?? [];

/** Reads a fact of a process, which may be gone, or forbidden, by then. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
