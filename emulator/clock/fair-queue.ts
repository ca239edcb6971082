import type { Clock } from './types.js';

/**
 * A queue for long computations: one of them is done per round of the event loop, so that due timers and short requests
 * come in between.
 */
export interface FairQueue {
  /** Resolves, in the order of asking, when the work may be done; undefined if it may be done at once. */
  next(): Promise<void> | undefined;
}

/** Work that waits in the queue holds the clock. */
export function createFairQueue(clock: Pick<Clock, 'hold'>): FairQueue {
  const waiting: (() => void)[] = [];
  /** Whether one computation was started in this round of the event loop. */
  let taken = false;
  const take = () => {
    taken = true;
    setImmediate(() => {
      taken = false;
      waiting.shift()?.();
    });
  };
  return {
    next() {
      if (!taken) return void take();
      return new Promise((resolve) => {
        const release = clock.hold();
        waiting.push(() => {
          release();
          take();
          resolve();
        });
      });
    },
  };
}
