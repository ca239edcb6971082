import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonSyntaxError, parseJson } from './json.js';
import '../../test/same-draws.js';

const errorOf = (text: string): unknown => {
  try {
    parseJson(text);
  } catch (error) {
    return error;
  }
  return undefined;
};

test.each([
  ['', 'line 1, column 1: expected a value, found the end'],
  ['{"a": 1,}', 'line 1, column 9: expected a key in double quotes, found "}"'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected "," or "}", found "\\""'],
  ['[1, 2', 'line 1, column 6: expected "," or "]", found the end'],
  ['[01]', 'line 1, column 2: expected a value or "]", found "0"'],
  ['{} {}', 'line 1, column 4: expected the end, found "{"'],
  ["{'a': 1}", 'line 1, column 2: expected a key in double quotes or "}", found "\'"'],
  ['{"a" 1}', 'line 1, column 6: expected ":", found "1"'],
])('%j: %s', (text, message) => {
  expect(errorOf(text)).toMatchObject({ name: 'JsonSyntaxError', message });
});

test('every text is parsed as JSON.parse does, or refused with a place', () => {
  const broken = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, put]) => {
    const cut = at % (text.length + 1);
    return text.slice(0, cut) + put + text.slice(cut + 1);
  });
  fc.assert(
    fc.property(broken, (text) => {
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expect(errorOf(text)).toBeInstanceOf(JsonSyntaxError);
        return;
      }
      expect(parseJson(text)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test('text nested very deeply is refused without exhausting the stack', () => {
  expect(errorOf('['.repeat(1_000_000))).toBeInstanceOf(Error);
});

test('a long string is passed over without exhausting the stack', () => {
  expect(errorOf(`["${'\\n'.repeat(1_000_000)}", x]`)).toMatchObject({ column: 2_000_006, found: '"x"' });
});
