/** How many runs there are at most for each that may work: those that only wait take no processor, and all of them memory. */
const ALL = 4;

/** A run's place among the others. */
export interface Slot {
  /** Tells whether it only waits: while it does, another may work in its place. */
  waits(does: boolean): void;
  /** Gives the place back. It may be called more than once. */
  leave(): void;
}

/** Places for runs: no more than `most` are begun at once, beside those that only wait, and `bound` in all. */
export function createSlots(most: number, bound = ALL * most) {
  let [working, all] = [0, 0];
  const queue: (() => void)[] = [];
  const admit = () => {
    while (queue.length > 0 && working < most && all < bound) {
      working++;
      all++;
      queue.shift()?.();
    }
  };
  return {
    async take(): Promise<Slot> {
      await new Promise<void>((resolve) => {
        queue.push(resolve);
        admit();
      });
      let [waiting, left] = [false, false];
      const waits = (does: boolean) => {
        if (left || does === waiting) return;
        waiting = does;
        working += does ? -1 : 1;
        admit();
      };
      return {
        waits,
        leave() {
          if (left) return;
          waits(true);
          left = true;
          all--;
          admit();
        },
      };
    },
  };
}
