/** What the system says of a path or port, in words. */
export function inWords(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a directory',
    EEXIST: 'a file is in the way',
    ENOTDIR: 'a file is in the way',
    EROFS: 'it is on a disk that is read only',
    EADDRINUSE: 'it is taken',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'there is no such host',
  };
  return known[code ?? ''] ?? (error instanceof Error ? error.message : String(error));
}
