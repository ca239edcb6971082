import fc from 'fast-check';

/** Characters that break careless framing: of lines, of JSON, of events, of UTF-8 and UTF-16. */
const AWKWARD = fc.constantFrom(
  '\n',
  '\r',
  '\r\n',
  '"',
  '\\',
  '\u2028',
  '\u2029',
  '\u0000',
  '\ufeff',
  '😀',
  'é',
  'data: ',
  '[DONE]',
  ': ',
);

/** Any code point but surrogates. fast-check's own units for that take a second to set up. */
const codePoint = fc
  .oneof(
    { arbitrary: fc.integer({ min: 0x20, max: 0x7e }), weight: 4 },
    { arbitrary: fc.integer({ min: 0, max: 0xd7ff }), weight: 2 },
    { arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }), weight: 1 },
  )
  .map((code) => String.fromCodePoint(code));

/**
 * Text as people and machines write it: any code point but lone surrogates, awkward ones often. Lengths count units; an
 * awkward one may have several code points.
 */
export const text = (constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ arbitrary: codePoint, weight: 5 }, { arbitrary: AWKWARD, weight: 1 }), constraints)
    .map((units) => units.join(''));

const LETTERS = [...'abcdefgh XYZ 0189'];
const WORDS = [...'abc XYZ 0189 .,;:!?-_()/"\'\\{}[]<>&% éßñ€ωж文😀'];

const kept = (letters: readonly string[]) => (constraints: { minLength?: number; maxLength?: number }) =>
  fc.array(fc.constantFrom(...letters), constraints).map((units) => units.join('').trim() || 'said');

/**
 * Text that any service returns unchanged: no awkward character, none empty, no white space around it. The interface
 * does not state that texts are kept to the letter, and a database may not accept every character.
 */
export const readable = kept(WORDS);

/** The same in plain words, if the target has refused others. */
export const plainText = kept(LETTERS);

/** Pieces of content that break careless framing, lone surrogates aside. */
export const said = (maxLength = 40): fc.Arbitrary<string> => text({ minLength: 1, maxLength });

/** Text with halves of surrogate pairs in it: JSON can carry them, UTF-8 cannot. */
export const surrogates = (): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('\ud800', '\udfff', '\ud83d', 'a', '😀', '\n'), { minLength: 1, maxLength: 8 })
    .map((units) => units.join(''))
    .filter((text) => /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text));
