/** A misused command: one line for the user, and exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
