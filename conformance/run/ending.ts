import { type Stop, Stopped } from '../framework/stop.js';
import type { Host } from '../probe/time.js';
import type { Limit } from './budget.js';

/** ms between two estimates of the clean-up. */
const LOOKED = 1_000;
const SOONEST = 50;
/** The share of the time that is kept for what is under way when nothing more is begun, at most so many ms of it. */
const LAST = { share: 0.1, most: 30_000 };
/** And the share that is kept for a second look at most. */
const SECOND_LOOK = 0.2;

/** The end of a run: a limit, an obstacle, or a stop from outside. Times in ms. */
export function createEnding(
  host: Pick<Host, 'later' | 'now'>,
  { limit, signal }: { readonly limit?: Limit | undefined; readonly signal?: AbortSignal | undefined },
) {
  const over = new AbortController();
  let stopped: Stop | undefined;
  let stopTimer = () => {};
  let left = () => Number.POSITIVE_INFINITY;
  let owed = () => 0;
  let again = () => 0;
  const end = (why: Stop) => over.abort(new Stopped(why));
  const interrupted = () => end({ kind: 'interrupted' });
  return {
    /** Aborts when what is under way is to end too. */
    get signal(): AbortSignal {
      return over.signal;
    },
    /** Why the run is over, where it is. The first reason counts. */
    get stopped(): Stop | undefined {
      return stopped ?? (over.signal.aborted ? ({ kind: 'interrupted' } as const) : undefined);
    },
    /** Why nothing more is begun, though what is under way may go on. */
    get near(): Stop | undefined {
      const most = limit?.most ?? Number.POSITIVE_INFINITY;
      if (most === Number.POSITIVE_INFINITY) return undefined;
      return left() < Math.min(LAST.share * most, LAST.most) + Math.min(again(), SECOND_LOOK * most) ||
        owed() > (0.5 - LAST.share) * most
        ? limit?.stop
        : undefined;
    },
    /** Begins nothing more; what is under way goes on. */
    stop(why: Stop) {
      stopped ??= why;
    },
    /** Ends what is under way, too. */
    end,
    /**
     * Watches the time and the signal of the caller, until it is closed. `kept`: of the time, what the clean-up will take;
     * `looks`: what a second look at what was found will take.
     */
    begin(kept = () => 0, looks = () => 0) {
      if (signal?.aborted) interrupted();
      signal?.addEventListener('abort', interrupted, { once: true });
      if (limit === undefined || !Number.isFinite(limit.most)) return;
      const until = host.now() + limit.most;
      owed = kept;
      again = looks;
      left = () => until - Math.min(kept(), limit.most / 2) - host.now();
      const watch = () => {
        if (left() > 2 * SOONEST) {
          // A request under way may add to the clean-up as much time as passes: half of the time left is never too late.
          stopTimer = host.later(Math.min(Math.max(left() / 2, SOONEST), LOOKED), watch);
          return;
        }
        stopped = limit.stop;
        end(stopped);
      };
      watch();
    },
    close() {
      stopTimer();
      signal?.removeEventListener('abort', interrupted);
    },
  };
}
export type Ending = ReturnType<typeof createEnding>;
