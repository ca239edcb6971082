/** The order of all changes, for the observers: each change takes the next number. */
export interface Sequence {
  /** The number of the last change; 0 before the first. */
  readonly last: number;
  /** Takes a number of numbers, one by default; returns the first. */
  next(count?: number): number;
}

export function createSequence(): Sequence {
  let last = 0;
  return {
    get last() {
      return last;
    },
    next(count = 1) {
      last += count;
      return last - count + 1;
    },
  };
}
