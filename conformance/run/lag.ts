/** How long reads wait after a write, in ms, and how often it was measured. */
export interface Lag {
  readonly list: number;
  readonly read: number;
  readonly measured: number;
  /** What never showed what was written: it is not waited for again. */
  readonly never: readonly ('list' | 'read')[];
}
export const NO_LAG: Lag = { list: 0, read: 0, measured: 0, never: [] };
