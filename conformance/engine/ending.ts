import { type Stop, Stopped } from '../framework/stop.js';
import type { Host } from '../probe/time.js';

/** What ends a run: a budget is spent, something cannot go on, or somebody said stop. Times in ms. */
export function createEnding(
  host: Pick<Host, 'later'>,
  { maxTime, signal }: { readonly maxTime?: number | undefined; readonly signal?: AbortSignal | undefined },
) {
  const over = new AbortController();
  let stopped: Stop | undefined;
  let stopTimer = () => {};
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
    /** Begins nothing more; what is under way goes on. */
    stop(why: Stop) {
      stopped ??= why;
    },
    /** Ends what is under way, too. */
    end,
    /** Watches the time and the signal of the caller, until it is closed. */
    begin() {
      if (signal?.aborted) interrupted();
      signal?.addEventListener('abort', interrupted, { once: true });
      if (maxTime === undefined) return;
      stopTimer = host.later(maxTime, () => {
        stopped = { kind: 'time', ms: maxTime };
        end(stopped);
      });
    },
    close() {
      stopTimer();
      signal?.removeEventListener('abort', interrupted);
    },
  };
}
export type Ending = ReturnType<typeof createEnding>;
