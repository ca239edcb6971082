import type { RunEvent } from '../contract/run.js';
import type { Run } from './run.js';
import { clearEvents, takeEvents } from './run-log.js';

/**
 * The one response that streams a run, seen from the run. It begins at the position where the last one stopped. A
 * class, since thousands may wait at once.
 */
export class Reader {
  readonly sessionId: string;
  /** The model the intern has reported so far, at the position where this reader begins. */
  readonly model: string | null;
  private listener: (() => void) | undefined;
  constructor(
    private readonly run: Run,
    private readonly cancel: (run: Run) => void,
  ) {
    this.sessionId = run.sessionId;
    this.model = run.model;
  }
  /** Whether the reader may take events: the behaviour adds no more for now. */
  ready(): boolean {
    return !this.run.atWork;
  }
  /** Whether the run has ended, so that the reader may take all the rest. */
  complete(): boolean {
    return !this.run.atWork && this.run.status === 'ended';
  }
  /** The ready events, oldest first, up to about `limit` bytes; ends with the event that ends the response. */
  take(limit: number): RunEvent[] {
    return takeEvents(this.run, limit);
  }
  /** Calls `wake` whenever the run becomes idle, until the reader is finished. */
  listen(wake: () => void): void {
    this.listener = wake;
  }
  /** The run has become idle. */
  wake(): void {
    this.listener?.();
  }
  /**
   * The last bytes of the response were handed over: from now on, a disconnect of the client means nothing (CHAT-9).
   */
  finish(): void {
    this.listener = undefined;
    if (this.run.reader === this) this.run.reader = undefined;
    if (this.run.status === 'ended') clearEvents(this.run);
  }
  /** The client is gone while the response streams: cancels the run (CHAT-10). */
  leave(): void {
    this.cancel(this.run);
    this.finish();
  }
  /** How the run ended, once it has. */
  ended(): Run['ended'] {
    return this.run.ended;
  }
}
