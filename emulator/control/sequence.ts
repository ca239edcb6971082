/** The order of all that changes, for those who look on: each change takes the next number. */
export interface Sequence {
  /** The number of the last change; 0 before the first. */
  readonly last: number;
  /** Counts so many changes, one by default; the first of their numbers. */
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
