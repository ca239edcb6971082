/** The mode that a clock reports; an automatic one reports virtual. */
export type ClockMode = 'real' | 'virtual' | 'frozen';

/**
 * The kinds of clock: `real` follows the host's, `virtual` stands still until it is advanced, `auto` is a virtual one
 * that advances by itself to what work waits for.
 */
export type ClockKind = 'real' | 'virtual' | 'auto';

/**
 * The purpose of a timer. `work` continues when it fires, and waits for nothing else: an `auto` clock advances to it by
 * itself. A `deadline` ends or keeps alive something that waits for somebody: an `auto` clock only passes it on its
 * way.
 */
export type TimerKind = 'work' | 'deadline';

/** A pending call on a clock. */
export interface Timer {
  cancel(): void;
}

/**
 * The one clock of an emulator. Everything that waits, expires or carries a time uses it; nothing else reads the time.
 * Times are milliseconds since the Unix epoch, durations milliseconds.
 */
export interface Clock {
  readonly mode: ClockMode;
  now(): number;
  /**
   * Calls `fire` after `ms`; `kind` is `deadline` by default. An error that it throws is reported, and stops nothing.
   */
  timer(ms: number, fire: () => void, kind?: TimerKind): Timer;
  /** Resolves after `ms`, as `work`, for no time at once; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Something is in progress that an `advance` must wait for (a write to disk, say). Call the result when it is done.
   */
  hold(): () => void;
}

/** The acts that only the owner of a clock may do. */
export interface ClockControl extends Clock {
  /**
   * Moves the time ahead, firing timers in due order, each settled before the next.
   *
   * Rejects with a RangeError if `ms` is not a duration or leads beyond the end of the year 9999; with the signal's
   * reason once it aborts, or that of {@link interrupt}: the clock then stays where it is.
   */
  advance(ms: number, signal?: AbortSignal): Promise<void>;
  /** Ends the advances that are in progress or wait for their turn. */
  interrupt(reason: unknown): void;
  /** Stops a real or automatic clock where it is. A virtual clock always stands still. */
  freeze(): void;
  /** Lets a frozen clock run on from where it stopped. */
  resume(): void;
  /** Moves to a time, back or ahead, without firing anything on the way, and stands still there or runs on. */
  restore(to: { readonly now: number; readonly frozen: boolean }): void;
  /** Drops every pending timer: nothing fires afterwards, and nothing keeps the process alive. */
  close(): void;
}

export interface ClockOptions {
  /** The start of a virtual or automatic clock; 2026-01-01 by default. */
  readonly start?: number;
  /**
   * Called with an error that a timer threw. By default it becomes an uncaught exception, as with the host's timers.
   */
  readonly onError?: (error: unknown) => void;
  /** Called when an automatic clock has advanced by itself. */
  readonly onAdvance?: () => void;
}
