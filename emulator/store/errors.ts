/** Why a store cannot be opened or written. */
export type StoreErrorCode =
  | 'damaged'
  | 'foreign'
  | 'locked'
  | 'newer'
  | 'unreadable'
  | 'unwritable'
  | 'replaced'
  | 'closed';

/**
 * A store file that cannot be used. The message names the file, what is wrong and where, and the new name of a
 * damaged file.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly code: StoreErrorCode,
    readonly file: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A damage found while reading. The opener of the store sets the files aside and reports it in a {@link StoreError}.
 */
export class Damage extends Error {
  override readonly name = 'Damage';
  constructor(
    readonly file: string,
    readonly what: string,
  ) {
    super(what);
  }
}

/** A file that is not a store of ours and stays as it is. The opener of the store says so in a {@link StoreError}. */
export class Foreign extends Damage {}

/** The words of the operating system, without the path that our own message already names. */
export function systemReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    EACCES: 'permission denied',
    ELOOP: 'it is a link, and may lead elsewhere',
    EPERM: 'not permitted',
    EISDIR: 'it is a directory',
    ENOENT: 'no such directory',
    ENOTDIR: 'a part of the path is not a directory',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    EMFILE: 'too many open files',
  };
  if (code !== undefined) return known[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}
