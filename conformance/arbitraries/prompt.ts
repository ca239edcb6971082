import fc from 'fast-check';
import { text } from './text.js';

/** Pieces of content that break careless framing, lone surrogates aside. */
export const said = (maxLength = 40): fc.Arbitrary<string> => text({ minLength: 1, maxLength });

/** Text with halves of surrogate pairs in it: JSON can carry them, UTF-8 cannot. */
export const surrogates = (): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('\ud800', '\udfff', '\ud83d', 'a', '😀', '\n'), { minLength: 1, maxLength: 8 })
    .map((units) => units.join(''))
    .filter((text) => /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text));
