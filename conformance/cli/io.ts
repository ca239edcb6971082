import type { Host } from '../probe/time.js';

/** Where a call of the kit writes, and what it learns of its surroundings. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
  /** Whether `err` is a terminal whose line can be overwritten. */
  readonly live: boolean;
  /** Asks the person at the terminal, if there is one. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  readonly width: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the run early; it still cleans up. */
  readonly signal: AbortSignal;
  /** Claims the second Ctrl-C, which else ends the process: it aborts what this returns. */
  readonly again?: (() => AbortSignal) | undefined;
  /** Resolves once npm, which started this process, is gone: for a command that does not end by itself. */
  readonly gone?: (() => Promise<void> | undefined) | undefined;
  readonly host: Host;
}
