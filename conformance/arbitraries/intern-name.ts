import fc from 'fast-check';

const UNIT = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789');

/** The longest possible name. */
export const LONGEST = 17;

/**
 * Names that begin with `base`, itself a valid name: words of letters and digits joined by single hyphens, up to the
 * longest.
 */
export const nameFrom = (base: string): fc.Arbitrary<string> =>
  fc
    .array(fc.string({ unit: UNIT, minLength: 1, maxLength: 4 }), { maxLength: 3 })
    .map((words) => [base, ...words].join('-').slice(0, LONGEST).replace(/-$/, 'x'));
