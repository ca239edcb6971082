/** A unit that is known to fail (KIT-10). */
export interface KnownFailure {
  readonly id: string;
  /** Why it may fail for now. */
  readonly reason?: string;
  /** Where to read more: an issue. */
  readonly link?: string;
  /** The last day, as YYYY-MM-DD in UTC, on which it may fail. After it the failure counts again. */
  readonly expires?: string;
  /** It fails at times: it may pass too. */
  readonly flaky?: true;
}

/** The entry of a baseline for a result. */
export interface KnownAs extends Omit<KnownFailure, 'id' | 'flaky'> {
  /** Of an entry that may pass too: how often it failed, of how many tries that came to a verdict. */
  readonly flaky?: { readonly failed: number; readonly of: number };
  /** Its last day is over: a failure counts again. */
  readonly expired?: true;
}

/** The state of the baseline after a run. */
export interface BaselineResult {
  readonly known: readonly string[];
  /** Entries that hold no longer: of units that do not fail, or do not exist. */
  readonly stale: readonly string[];
}

/** The findings that count as failures: stated sentences alone, published ones too, or also those that a judge saw once. */
export type FailOn = 'fail' | 'warn' | 'once';
