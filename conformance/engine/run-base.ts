import type { Driver } from '../drivers/driver.js';
import type { Host } from '../probe/time.js';
import type { Ledger } from './ledger.js';

/** What decides how a run goes, all of it settled before it begins. Times in ms. */
export interface RunSettings {
  /** Seed of everything generated. */
  readonly seed: string;
  /** Runs of each property. */
  readonly runs: number;
  /** Where a few of many are looked at, all of them are. */
  readonly thorough: boolean;
  readonly readOnly: boolean;
  /** Requests per second; 0 is no limit. */
  readonly rate: number;
  /** How many checks are done at a time. */
  readonly concurrency: number;
  readonly maxRequests: number | undefined;
  /** Until the head of an answer, and again until its end. */
  readonly timeout: number;
  /** Within which an intern has to come up where no clock can be moved. */
  readonly bootTimeout: number;
  /** That a stream may keep a check waiting. */
  readonly streamTimeout: number;
  /** Until the head of the answer to a write, where that may come when the write is done: a boot, a teardown. */
  readonly writeTimeout: number;
  /** After which a check is cancelled. */
  readonly checkTimeout: number;
  /** For the whole clean-up; undefined where the pace of the target decides. */
  readonly cleanupTime: number | undefined;
  /** Candidates that the shrinking of one property may try. */
  readonly shrinkBudget: number;
  /** Where a property goes on: its name and the path that a finding reports. */
  readonly replay: { readonly name: string; readonly path: string } | undefined;
  /** The same by the id of a check. */
  readonly replays?: Readonly<Record<string, { readonly name: string; readonly path: string }>> | undefined;
  /** How the kit was called, for the command that replays a finding. */
  readonly command: string;
  /** Whether what one check found keeps those that build on it from being tried. */
  readonly blocking: boolean;
}

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
