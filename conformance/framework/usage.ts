/** A mistake in the command line or the options. Exit 2, one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
