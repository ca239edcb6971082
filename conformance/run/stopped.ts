/** Thrown where a request would leave although the run is over: a budget is spent, or somebody said stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Thrown where a check would go on although it was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
