import fc from 'fast-check';

const UNIT = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789');

/** Longest name there may be. */
export const LONGEST_SECRET = 255;

/** Names that begin with `base`, itself a valid name: words joined by single underscores, the longest often. */
export const secretNameFrom = (base: string): fc.Arbitrary<string> =>
  fc.oneof(
    {
      arbitrary: fc
        .array(fc.string({ unit: UNIT, minLength: 1, maxLength: 8 }), { maxLength: 4 })
        .map((words) => [base, ...words].join('_')),
      weight: 3,
    },
    { arbitrary: UNIT.map((char) => base.padEnd(LONGEST_SECRET, char)), weight: 1 },
  );
