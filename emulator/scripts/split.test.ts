import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Segment, split } from './split.js';
import '../../test/same-draws.js';

const FAMILY = '👨‍👩‍👧‍👦';

describe('split', () => {
  test.each([
    ['abc', 1, ['abc']],
    ['abc', 3, ['a', 'b', 'c']],
    ['abc', 9, ['a', 'b', 'c']],
    ['abcd', 3, ['a', 'b', 'cd']],
    ['', 4, ['']],
    ['😀😀', 2, ['😀', '😀']],
    ['👨‍👩‍👧e\u0301x', 3, ['👨‍👩‍👧', 'e\u0301', 'x']],
  ])('%j into %i', (text, count, pieces) => {
    expect(split(text, count)).toEqual(pieces);
  });

  test('cuts long texts where the segmenter would cut the whole of them', () => {
    const part = fc.constantFrom(
      'a',
      '\r\n',
      FAMILY,
      '🇩🇪',
      '🇩',
      'e\u0301',
      '\u200d',
      'नि',
      '가',
      '각',
      '\ud83d',
      '\udc68',
      '\u0301',
    );
    const whole = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 200 }), (parts, times) => {
        const text = parts.join('').repeat(times);
        expect(split(text, 10_000_000)).toEqual(Array.from(whole.segment(text), (found) => found.segment));
      }),
      { numRuns: 60 },
    );
  });

  test('looks at each part of a text a bounded number of times, also where all of it is one character', () => {
    const whole = new Intl.Segmenter('en', { granularity: 'grapheme' });
    /** The input of the segmenter, weighted as its time grows: with the square of the length. */
    const work = (text: string, weigh: (length: number) => number) => {
      let sum = 0;
      const counting: Segment = (part) => {
        sum += weigh(part.length);
        return whole.segment(part);
      };
      split(text, 10, counting);
      return sum;
    };
    const square = (length: number) => length * length;
    expect(work(FAMILY.repeat(8_000), square) / work(FAMILY.repeat(2_000), square)).toBeLessThan(4.5);
    const one = (marks: number) => `é${'\u0301'.repeat(marks)}`;
    expect(work(one(80_000), (length) => length) / 80_000).toBeLessThan(5);
  });
});
