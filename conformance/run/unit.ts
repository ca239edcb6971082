import { brief } from '../framework/assert.js';
import type { Finding } from '../framework/finding.js';
import type { Stop } from '../framework/stop.js';
import type { Level } from '../requirements/index.js';
import type { CheckResult, RowHead } from './results.js';

/** How a unit is done. */
export interface UnitContext {
  /** The lane that does it, from 0. */
  readonly lane: number;
  /** No other unit is at work. */
  readonly alone: boolean;
  /** Its findings beside others. */
  readonly before?: Finding | undefined;
  /** Aborts when the run is over. */
  readonly signal: AbortSignal;
  /** Lets the next unit begin: from here on this one only watches. */
  free(): void;
}

/** The outcome of a unit. */
export interface Done {
  /** A row for each of its heads. */
  readonly rows: readonly CheckResult[];
  /** The target gave no answer. */
  readonly lost?: boolean;
  /** Why the run is over, where the unit found that. */
  readonly stopped?: Stop;
  /** Work that remains before the lane takes another. */
  settle?(): Promise<void>;
}

/** A unit that must be done alone. `found` is what it found beside others, where it found anything. */
export interface Pending {
  readonly rows?: never;
  readonly found?: Finding | undefined;
}

/** A unit of a run: a check, a client case, a scenario of a recording. */
export interface Unit {
  readonly id: string;
  readonly requirement: string;
  readonly level: Level;
  /** Needs of the unit. A missing need makes it a skip that names it. */
  readonly needs: readonly string[];
  /** Its rows, before anything is known of them. */
  readonly heads: readonly RowHead[];
  /** Never done beside others. */
  readonly alone?: boolean;
  /** Looks at what all others met: it is done after them, costs nothing, and is never left out. */
  readonly watches?: boolean;
  /** It asks for what the watching ones judge. */
  readonly feeds?: boolean;
  /** It is among the units of a run, which has not begun. */
  prepare?(): void;
  /** Does it. An error that it throws is a fault of the kit, unless it ends the run. */
  run(context: UnitContext): Promise<Done | Pending>;
}

/** An error of the kit itself. */
export const faultOf = (error: unknown) => ({
  message: error instanceof Error ? `${error.name}: ${error.message}` : brief(error),
  ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}),
});
