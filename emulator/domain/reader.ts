import type { RunEvent } from '../contract/run.js';
import type { Run } from './run.js';
import { clearEvents, takeEvents } from './run-log.js';

/** The one response that streams a run, seen from the run. */
export interface Reader {
  readonly sessionId: string;
  /** The model the intern has reported so far, at the position where this reader begins. */
  readonly model: string | null;
  /** Whether there is something to take now, and its behaviour is not still producing more of it. */
  ready(): boolean;
  /** Whether the run has ended, so that all the rest of it can be taken. */
  complete(): boolean;
  /** The ready events, oldest first, up to about `limit` bytes; ends with the event that ends the response. */
  take(limit: number): RunEvent[];
  /** Calls `listener` whenever the run comes to rest, until the reader is finished. */
  listen(listener: () => void): void;
  /** The run has come to rest. */
  wake(): void;
  /**
   * The last bytes of the response were handed over: from now on, a disconnect of the client means nothing (CHAT-9).
   */
  finish(): void;
  /** The client is gone while the response streams: cancels the run (CHAT-10). */
  leave(): void;
  /** How the run ended, once it has. */
  ended(): Run['ended'];
}

/** Attaches a reader to a run, at the position where the last one stopped. */
export function attachReader(run: Run, cancel: (run: Run) => void): Reader {
  let listener: (() => void) | undefined;
  const detach = () => {
    listener = undefined;
    if (run.reader === reader) run.reader = undefined;
    if (run.status === 'ended') clearEvents(run);
  };
  const reader: Reader = {
    sessionId: run.sessionId,
    model: run.model,
    ready: () => !run.atWork,
    complete: () => !run.atWork && run.status === 'ended',
    take: (limit) => takeEvents(run, limit),
    listen(wake) {
      listener = wake;
    },
    wake: () => listener?.(),
    finish: detach,
    leave() {
      cancel(run);
      detach();
    },
    ended: () => run.ended,
  };
  return reader;
}
