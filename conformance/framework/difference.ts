import type { Mistake, ValueChange } from './finding.js';

/** One thing that is not as expected, where two records are compared: an answer to a case, a recorded exchange. */
export interface Difference {
  readonly what: string;
  /** The value, or fixed words for what should be there. */
  readonly expected: unknown;
  readonly actual: unknown;
  /** The change, where it says more than both values side by side. */
  readonly change?: ValueChange;
}

/** A difference as a finding. */
const foundOf = ({ what, expected, actual, change }: Difference): Mistake => ({
  wanted: {
    kind: 'value',
    path: what,
    rule: typeof expected === 'string' ? { kind: 'holds', words: expected } : { kind: 'is', value: expected },
  },
  got: actual,
  of: what,
  ...(change === undefined ? {} : { change }),
});

/** The differences of one comparison as one finding: the first, and the others beside it. */
export function foundOfAll(
  differences: readonly [Difference, ...Difference[]],
): Mistake & { readonly others?: readonly Mistake[] } {
  const [first, ...others] = differences;
  return { ...foundOf(first), ...(others.length === 0 ? {} : { others: others.map(foundOf) }) };
}
