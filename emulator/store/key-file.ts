import { constants } from 'node:fs';
import { NO_LINK, replaceFile } from '../contract/replace-file.js';
import { StoreError, systemReason } from './errors.js';
import { type Files, realFiles, writeAll } from './files.js';

/**
 * A secret kept beside the file of a store, because the store itself is made to be shown and checked in. Only its owner
 * may read it: one that is a link, or that others may read, is refused.
 */
export interface KeyFile {
  readonly path: string;
  /** The secret; undefined if there is none. */
  read(): string | undefined;
  /** Writes it whole or not at all. It is on the disk on return. */
  write(text: string): void;
}

/** The keys that are kept: the ending of each file's name, and its content. */
const KEYS = { signing: ['.key', 'the signing key'], vault: ['.vault-key', 'the key of the vaults'] } as const;

/**
 * A key file of the store at `path`, links followed: `<path>.key` for signing, `<path>.vault-key` for the values of
 * secrets. Both calls throw StoreError.
 *
 * @internal
 */
export function keyFileOf(path: string, files: Files = realFiles, kind: keyof typeof KEYS = 'signing'): KeyFile {
  const [end, content] = KEYS[kind];
  const file = path + end;
  const failed = (what: string, cause: unknown) =>
    new StoreError(
      what === 'read' ? 'unreadable' : 'unwritable',
      file,
      `${file}: cannot ${what} it: ${systemReason(cause)}`,
      { cause },
    );
  return {
    path: file,
    read() {
      try {
        const refused = (what: string) => new StoreError('foreign', file, `${file}: ${what}`);
        const stats = files.lstatSync(file, { throwIfNoEntry: false });
        if (!stats) return undefined;
        if (!stats.isFile())
          throw refused(`it is ${stats.isSymbolicLink() ? 'a link' : 'no file'}; ${content} belongs there`);
        const fd = files.openSync(file, constants.O_RDONLY | NO_LINK);
        try {
          const mode = files.fstatSync(fd).mode & 0o777;
          if ((mode & 0o077) !== 0 && process.platform !== 'win32')
            throw refused(`others may use ${content}: its mode is ${mode.toString(8)}; chmod 600 it, or remove it`);
          return files.readFileSync(fd, 'utf8');
        } finally {
          files.closeSync(fd);
        }
      } catch (error) {
        throw error instanceof StoreError ? error : failed('read', error);
      }
    },
    write(text) {
      try {
        replaceFile(file, 0o600, (fd) => writeAll(files, fd, Buffer.from(text), 0), files);
      } catch (error) {
        throw failed('write', error);
      }
    },
  };
}
