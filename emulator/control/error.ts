import { oneLine } from '../contract/visible.js';

/** The longest message, in characters: lists of known names are long. */
const LONGEST = 2_000;

/** A refusal of the control interface, with a message for a person: one line, whatever of the request it repeats. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(oneLine(message, LONGEST));
  }
}

/** The refusal of an error that is the caller's mistake: errors of the parts say so by the status that they have. */
export function callerMistake(error: unknown): ControlError | undefined {
  if (error instanceof ControlError) return error;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  // Any other status is that of a part which failed.
  const isMistake = typeof status === 'number' && status >= 400 && status < 500;
  return error instanceof Error && isMistake ? new ControlError(status, error.message) : undefined;
}
