/** A bounded number of runs at once. */
export function createSlots(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return {
    /** Resolves with what gives the place back; it may be called more than once. */
    async take(): Promise<() => void> {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      let held = true;
      return () => {
        if (held) release();
        held = false;
      };
    },
  };
}
