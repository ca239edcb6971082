import type { Clock } from './types.js';

/**
 * For work that computes for long: of all that is in it, one is done per round of the event loop, so that timers which are
 * due and short requests go in between.
 */
export interface FairQueue {
  /** Resolves, in the order of asking, when the work may be done; undefined where it may be at once. */
  next(): Promise<void> | undefined;
}

/** Whoever waits in it holds the clock. */
export function createFairQueue(clock: Pick<Clock, 'hold'>): FairQueue {
  const waiting: (() => void)[] = [];
  /** Whether one was let through in this round of the event loop. */
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
