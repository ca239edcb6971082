import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError, systemReason } from './errors.js';
import { type Files, realFiles, writeAll } from './files.js';

/** Texts by name, in a folder beside the file of a store. Only its owner may read them. All calls throw StoreError. */
export interface SnapshotFiles {
  names(): string[];
  read(name: string): string | undefined;
  /** Writes it whole or not at all. It is on the disk on return. */
  write(name: string, text: string): void;
  delete(name: string): void;
}

const END = '.json';

/**
 * Those of the store at `path`, links followed: `<path>.snapshots/<name>.json`. The folder is made on first use.
 *
 * @internal
 */
export function snapshotFilesOf(path: string, files: Files = realFiles): SnapshotFiles {
  const folder = `${path}.snapshots`;
  const fileOf = (name: string) => join(folder, name + END);
  const attempt = <T>(what: 'read' | 'write', file: string, work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      const reason = `${file}: cannot ${what} it: ${systemReason(cause)}`;
      throw new StoreError(what === 'read' ? 'unreadable' : 'unwritable', file, reason, { cause });
    }
  };
  return {
    names: () =>
      attempt('read', folder, () =>
        files.existsSync(folder)
          ? readdirSync(folder)
              .filter((name) => name.endsWith(END))
              .map((name) => name.slice(0, -END.length))
          : [],
      ),
    read: (name) =>
      attempt('read', fileOf(name), () =>
        files.existsSync(fileOf(name)) ? files.readFileSync(fileOf(name), 'utf8') : undefined,
      ),
    write(name, text) {
      const file = fileOf(name);
      attempt('write', file, () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const unfinished = `${file}.tmp`;
        const fd = files.openSync(unfinished, 'w', 0o600);
        try {
          writeAll(files, fd, Buffer.from(text), 0);
          files.fdatasyncSync(fd);
        } catch (error) {
          files.unlinkSync(unfinished);
          throw error;
        } finally {
          files.closeSync(fd);
        }
        files.renameSync(unfinished, file);
      });
    },
    delete(name) {
      attempt('write', fileOf(name), () => files.existsSync(fileOf(name)) && files.unlinkSync(fileOf(name)));
    },
  };
}
