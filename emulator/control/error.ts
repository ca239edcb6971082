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
