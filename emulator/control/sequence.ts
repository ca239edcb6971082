/** The order of all changes, for the observers: each change takes the next number. */
export function createSequence() {
  let last = 0;
  return {
    /** The number of the last change; 0 before the first. */
    get last() {
      return last;
    },
    /** Takes a number of numbers; returns the first. */
    next(count = 1) {
      last += count;
      return last - count + 1;
    },
  };
}

export type Sequence = ReturnType<typeof createSequence>;
