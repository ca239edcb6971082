import { StoreError, systemReason } from './errors.js';
import { type Files, realFiles, writeAll } from './files.js';

/**
 * A secret kept beside the file of a store, because the store itself is made to be shown and checked in. Only its owner
 * may read it.
 */
export interface KeyFile {
  readonly path: string;
  /** The secret; undefined if there is none. */
  read(): string | undefined;
  /** Writes it whole or not at all. It is on the disk on return. */
  write(text: string): void;
}

/** Which keys are kept: what is added to the name of the store, and what belongs there. */
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
        const stats = files.statSync(file, { throwIfNoEntry: false });
        if (!stats) return undefined;
        if (!stats.isFile()) throw new StoreError('foreign', file, `${file}: it is no file; ${content} belongs there`);
        // It may have been copied, or restored, without its mode.
        if ((stats.mode & 0o077) !== 0) files.chmodSync(file, 0o600);
        return files.readFileSync(file, 'utf8');
      } catch (error) {
        throw error instanceof StoreError ? error : failed('read', error);
      }
    },
    write(text) {
      const next = `${file}.tmp`;
      try {
        const fd = files.openSync(next, 'w', 0o600);
        try {
          writeAll(files, fd, Buffer.from(text), 0);
          files.fdatasyncSync(fd);
        } finally {
          files.closeSync(fd);
        }
        files.renameSync(next, file);
      } catch (error) {
        throw failed('write', error);
      }
    },
  };
}
