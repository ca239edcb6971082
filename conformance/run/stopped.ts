import type { Finding } from '../framework/assert.js';

/** Thrown where a request would leave although the run is over: a budget is spent, or somebody said stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
  /** @param finding what ended it, where that is a finding against the target */
  constructor(
    message: string,
    readonly finding?: Finding,
  ) {
    super(message);
  }
}

/** Thrown where a check would go on although it was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
