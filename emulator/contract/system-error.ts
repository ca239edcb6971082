/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The system's error for a path or port, in words. */
export function inWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOENT: 'no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a directory',
    EEXIST: 'a file is in the way',
    ENOTDIR: 'a file is in the way',
    EROFS: 'the disk is read-only',
    EADDRINUSE: 'it is in use',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'no such host',
    // Of fetch, which gives it no code.
    'bad port': 'fetch calls no such port; choose another',
  };
  return known[code ?? message] ?? messageOf(error);
}
