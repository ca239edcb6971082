import { expect, test } from 'vitest';
import { jsonOf, MAX_NESTING, nestingOf } from './nesting.js';

const deep = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

test.each([
  ['1', 0],
  ['"[["', 0],
  ['{"a\\"[":[{}]}', 3],
  ['[[],[[]]]', 3],
  [deep(20_000), 20_000],
  ['['.repeat(100_000), 100_000],
])('%.20s has its levels', (json, levels) => {
  expect(nestingOf(json)).toBe(levels);
});

test('what is too deep, or no JSON, has no value', () => {
  expect(jsonOf(deep(MAX_NESTING))).toBeDefined();
  expect(jsonOf(deep(MAX_NESTING + 2))).toBeUndefined();
  expect(jsonOf('{')).toBeUndefined();
});
