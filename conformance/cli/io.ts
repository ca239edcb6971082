import type { Host } from '../probe/time.js';

/** The outputs and the environment of a command. */
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
  /** Claims the second Ctrl-C, which otherwise ends the process: it then aborts the returned signal. */
  readonly again?: (() => AbortSignal) | undefined;
  /** Resolves once npm, which started this process, has ended. For commands that do not end by themselves. */
  readonly gone?: (() => Promise<void> | undefined) | undefined;
  readonly host: Host;
}
