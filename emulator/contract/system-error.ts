/** What the system says of a path or port, in words. */
export function inWords(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'permission denied',
    EISDIR: 'it is a directory',
    EADDRINUSE: 'it is taken',
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'there is no such host',
  };
  return known[code ?? ''] ?? (error instanceof Error ? error.message : String(error));
}
