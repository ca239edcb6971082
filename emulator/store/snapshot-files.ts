import { constants, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NO_LINK, replaceFile } from '../contract/replace-file.js';
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
 * The snapshots of the store at `path`, links followed: `<path>.snapshots/<name>.json`. The folder is made on first use.
 *
 * @internal
 */
export function snapshotFilesOf(path: string, files: Files = realFiles): SnapshotFiles {
  const folder = `${path}.snapshots`;
  const fileOf = (name: string) => join(folder, name + END);
  const attempt = <T>(what: 'read' | 'write', file: string, work: () => T): T => {
    try {
      if (files.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
        throw new Error(`${folder} is a link, and may lead elsewhere`);
      return work();
    } catch (cause) {
      const reason = `${file}: cannot ${what} it: ${systemReason(cause)}`;
      throw new StoreError(what === 'read' ? 'unreadable' : 'unwritable', file, reason, { cause });
    }
  };
  const withoutLinks = (file: string): string => {
    const fd = files.openSync(file, constants.O_RDONLY | NO_LINK);
    try {
      return files.readFileSync(fd, 'utf8');
    } finally {
      files.closeSync(fd);
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
      attempt('read', fileOf(name), () => (files.existsSync(fileOf(name)) ? withoutLinks(fileOf(name)) : undefined)),
    write(name, text) {
      const file = fileOf(name);
      attempt('write', file, () => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        replaceFile(file, 0o600, (fd) => writeAll(files, fd, Buffer.from(text), 0), files);
      });
    },
    delete(name) {
      attempt('write', fileOf(name), () => files.existsSync(fileOf(name)) && files.unlinkSync(fileOf(name)));
    },
  };
}
