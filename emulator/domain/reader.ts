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

/** A class, since thousands may wait at once. */
class RunReader implements Reader {
  readonly sessionId: string;
  readonly model: string | null;
  private listener: (() => void) | undefined;
  constructor(
    private readonly run: Run,
    private readonly cancel: (run: Run) => void,
  ) {
    this.sessionId = run.sessionId;
    this.model = run.model;
  }
  ready(): boolean {
    return !this.run.atWork;
  }
  complete(): boolean {
    return !this.run.atWork && this.run.status === 'ended';
  }
  take(limit: number): RunEvent[] {
    return takeEvents(this.run, limit);
  }
  listen(wake: () => void): void {
    this.listener = wake;
  }
  wake(): void {
    this.listener?.();
  }
  finish(): void {
    this.listener = undefined;
    if (this.run.reader === this) this.run.reader = undefined;
    if (this.run.status === 'ended') clearEvents(this.run);
  }
  leave(): void {
    this.cancel(this.run);
    this.finish();
  }
  ended(): Run['ended'] {
    return this.run.ended;
  }
}

/** Attaches a reader to a run, at the position where the last one stopped. */
export const attachReader = (run: Run, cancel: (run: Run) => void): Reader => new RunReader(run, cancel);
