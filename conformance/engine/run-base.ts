import type { Driver } from '../drivers/driver.js';
import type { Host } from '../probe/time.js';
import type { Ledger } from './ledger.js';
import type { RunSettings } from './options.js';

/** A run before anything is sent. */
export interface RunBase {
  readonly driver: Driver;
  readonly host: Host;
  /** 4 characters that tell the names of this run from others. */
  readonly tag: string;
  readonly settings: RunSettings;
  readonly ledger: Ledger;
  /** Aborts when the run is over: a budget is spent, or somebody said stop. */
  readonly signal: AbortSignal;
}
