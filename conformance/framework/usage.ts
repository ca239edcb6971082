/** The kit was called in a way that means nothing. Exit 2, one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
