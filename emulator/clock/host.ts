/** The host's own time, for the few things that follow it whatever clock an emulator has: sockets that must drain. */
export const hostDelay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** The monotonic clock in ms. `performance` has the same, and Node loads it when it is first asked for: 2 ms of a start. */
function steadyNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/**
 * The host's time in whole ms since the epoch. It never goes back, because the monotonic clock counts it. If the host's
 * time is found ahead (it was set forward, or the machine has slept), this follows. If the host's time was set back,
 * the count stays.
 */
export function hostTime(): () => number {
  let wall = Date.now();
  let steady = steadyNow();
  return () => {
    const counted = Math.floor(wall + steadyNow() - steady);
    const found = Date.now();
    if (found <= counted) return counted;
    wall = found;
    steady = steadyNow();
    return found;
  };
}

const SECOND = 1_000;
const HOUR = 3_600_000;

/**
 * How far a clock may run ahead by itself: an hour for each second of the host's time. A single step may be longer; the
 * next one then waits until the difference has been made up.
 */
export function createAllowance() {
  let since = Number.NEGATIVE_INFINITY;
  let spent = 0;
  return {
    /** Takes `ms`, or returns in how many ms of the host's time to ask again. */
    take(ms: number): number {
      const left = since + SECOND * Math.max(1, spent / HOUR) - performance.now();
      if (left <= 0) {
        since = performance.now();
        spent = 0;
      }
      if (spent > 0 && spent + ms > HOUR) return Math.ceil(left);
      spent += ms;
      return 0;
    },
  };
}

/** Calls `work` again and again, without keeping the process alive for it. The result stops it. */
export const hostEvery = (ms: number, work: () => void): (() => void) => {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
};

/** Blocks the whole thread. Only for what must be known before anything else can go on. */
export const hostWait = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

/** The host's date, whatever clock an emulator has. Unix ms. */
export const hostNow = (): number => Date.now();
