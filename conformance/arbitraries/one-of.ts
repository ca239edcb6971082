import fc from 'fast-check';

/** One of some rows, named in a counterexample. */
export const oneOfRows = <T extends object>(rows: readonly T[], name: (row: T) => string): fc.Arbitrary<T> =>
  fc.constantFrom(...rows.map((row) => ({ ...row, [fc.toStringMethod]: () => name(row) })));
