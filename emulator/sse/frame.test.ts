import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineJson } from './frame.js';
import '../../test/same-draws.js';

test('any text is one line of JSON, equal when it is read again', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\n', '\r', '\u0085', '\u2028', '\ud800', '"', '\\'), fc.string()),
  });
  fc.assert(
    fc.property(text, (value) => {
      const json = lineJson(value);
      expect(JSON.parse(json)).toBe(value);
      expect(json).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
      // No lone surrogate is left that UTF-8 could lose.
      expect(new TextDecoder().decode(new TextEncoder().encode(json))).toBe(json);
    }),
  );
});
