import fc from 'fast-check';
import { expect, test } from 'vitest';
import '../../test/same-draws.js';
import { MAX_NESTING } from '../../emulator/contract/nesting.js';
import { parseJson, TooDeep } from './json.js';

const nest = (levels: number, within = '') => `${'[{"a":'.repeat(levels / 2)}[${within}]${'}]'.repeat(levels / 2)}`;

test('JSON is read down to a depth, and no further', () => {
  expect(() => parseJson(nest(MAX_NESTING - 2))).not.toThrow();
  expect(() => parseJson(nest(MAX_NESTING))).toThrow(TooDeep);
  expect(() => parseJson(nest(20_000))).toThrow('JSON of more than 1000 levels');
});

test('brackets in texts are none, nor do escapes end a text', () => {
  const text = JSON.stringify({ a: '['.repeat(5_000), b: '"[\\'.repeat(2_000), c: '\\' });
  expect(parseJson(text)).toEqual(JSON.parse(text));
  expect(() => parseJson(nest(MAX_NESTING - 4, JSON.stringify('"]]'.repeat(100))))).not.toThrow();
  expect(() => parseJson(`${'['.repeat(3_000)}`)).toThrow(TooDeep);
});

test('what is no JSON is none, however long', () => {
  for (const text of ['', '{', 'x'.repeat(5_000), '"'.repeat(5_001)])
    expect(() => parseJson(text)).toThrow(SyntaxError);
});

test('any JSON of no great depth is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.array(fc.json(), { minLength: 40, maxLength: 60 }), (parts) => {
      const text = `[${parts.join(',')}]`;
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});
