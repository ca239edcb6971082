import type { Clock } from '../clock/clock.js';
import type { Run, Sleep } from './run.js';

/** Why a run was ended from outside, as the reason of its signal and of its sleeps. */
export class RunEndedError extends Error {
  override readonly name = 'RunEndedError';
}

/**
 * The number of sleeps of an ended run that are rejected: the `finally` blocks of a behaviour may sleep too. Later ones
 * never end.
 */
const WAITS_AFTER_END = 16;

/** After this many sleeps for no time, a behaviour gives others a turn. */
const ZERO_WAITS = 1_024;
/** How many such turns an advance of the clock waits for: a behaviour that polls must not hold it forever. */
const HELD_TURNS = 1_000;

export interface SleepsDeps {
  readonly clock: Pick<Clock, 'timer'>;
  /** A run sleeps for no time. */
  readonly waitedForNoTime: (run: Run) => void;
  /** A run sleeps. */
  readonly asleep: (run: Run, ms: number) => void;
  /** Gives others a turn; an advance of the clock waits for it if `hold` is set. */
  readonly letOthersRun: (run: Run, hold: boolean) => Promise<void>;
}

/** A promise that rejects, but does not crash the process if nobody awaits it. */
const rejected = (reason: unknown): Promise<never> => {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  return promise;
};

/** The `clock.sleep` of behaviours: every sleep ends with its run. */
export function createSleeps({ clock, waitedForNoTime, asleep, letOthersRun }: SleepsDeps) {
  return {
    sleep(run: Run, ms: number, signal?: AbortSignal): Promise<void> {
      if (run.status === 'ended') {
        // A behaviour that catches this and sleeps again would spin forever, and give nothing else a turn.
        if (++run.zeroWaits > WAITS_AFTER_END) return new Promise(() => {});
        return rejected(new RunEndedError('the run ended'));
      }
      if (signal?.aborted) return rejected(signal.reason);
      if (typeof ms !== 'number' || Number.isNaN(ms)) {
        return rejected(new TypeError(`clock.sleep(${String(ms)}): expected a number of milliseconds`));
      }
      if (ms <= 0) {
        waitedForNoTime(run);
        return ++run.zeroWaits % ZERO_WAITS === 0
          ? letOthersRun(run, run.zeroWaits <= ZERO_WAITS * HELD_TURNS)
          : Promise.resolve();
      }
      const sleeping = new Promise<void>((resolve, reject) => {
        const pending: Sleep = { timer: undefined, reject };
        const leave = () => {
          run.sleeps?.delete(pending);
          pending.timer?.cancel();
          reject(signal?.reason);
        };
        if (Number.isFinite(ms)) {
          pending.timer = clock.timer(
            ms,
            () => {
              run.sleeps?.delete(pending);
              signal?.removeEventListener('abort', leave);
              resolve();
            },
            'work',
          );
        }
        // The run's own signal needs no listener: its sleeps end with it.
        if (signal && signal !== run.scope.signal) signal.addEventListener('abort', leave, { once: true });
        run.sleeps ??= new Set();
        run.sleeps.add(pending);
      });
      asleep(run, ms);
      // This promise, too, may be awaited only later, or never.
      sleeping.catch(() => {});
      return sleeping;
    },

    /** Ends the sleeps of a run that has ended. */
    end(run: Run, reason: RunEndedError | undefined) {
      const { sleeps } = run;
      run.sleeps = undefined;
      for (const sleep of sleeps ?? []) {
        sleep.timer?.cancel();
        sleep.reject(reason);
      }
    },
  };
}
