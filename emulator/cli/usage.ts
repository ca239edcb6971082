/** A command that was not used as it can be: one line for whoever typed it, and exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
