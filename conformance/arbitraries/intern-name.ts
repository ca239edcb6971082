import fc from 'fast-check';

const LETTER = 'abcdefghijklmnopqrstuvwxyz';
const UNIT = fc.constantFrom(...`${LETTER}0123456789`);

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

/** Texts that are not names, each one change away from `base`, which is one of at most 15 characters. */
export const badNames = (base: string): string[] => [
  '',
  'a',
  `-${base}`,
  `${base}-`,
  `${base}--a`,
  `1${base}`,
  `${base} `,
  ` ${base}`,
  `${base}\n`,
  `${base}_a`,
  `${base}é`,
  base.toUpperCase(),
  `${base.slice(0, 1).toUpperCase()}${base.slice(1)}`,
  base.padEnd(LONGEST + 1, 'a'),
  base.padEnd(200, 'a'),
];

/** A name with one character in it that no name has. */
export const badName = (base: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(base.length), fc.constantFrom(...'_./\\:@ \tAZé\u0000\u2010٣😀'))
    .map(([at, char]) => `${base.slice(0, at)}${char}${base.slice(at)}`);
