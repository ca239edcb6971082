import type { Clock } from './types.js';

/**
 * A queue for long computations: one of them is done per round of the event loop, so that due timers and short requests
 * come in between.
 */
export interface FairQueue {
  /** Resolves, in the order of asking, when the work may be done; undefined if it may be done at once. */
  next(): Promise<void> | undefined;
}

/**
 * Work that waits in the queue holds the clock.
 *
 * @param every one computation in so many rounds: a round accepts one connection, so those who come wait for as many
 */
export function createFairQueue(clock: Pick<Clock, 'hold'>, every = 1): FairQueue {
  const waiting: (() => void)[] = [];
  /** Whether one computation was started in the rounds of the event loop that are its own. */
  let taken = false;
  const take = () => {
    taken = true;
    let rounds = every;
    const pass = () => {
      if (--rounds > 0) return void setImmediate(pass);
      taken = false;
      waiting.shift()?.();
    };
    setImmediate(pass);
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
