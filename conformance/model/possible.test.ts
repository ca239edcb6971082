import { expect, test } from 'vitest';
import { possible } from './possible.js';

const values = (all: ReadonlySet<string> | undefined) => (all === undefined ? undefined : [...all].sort());

test('an accepted write leaves its value, a refused one what was there', () => {
  const name = possible(['a'], 1);
  name.asks(2, () => ['b']);
  name.answered(2, true, 20);
  expect([values(name.since(21)), name.because]).toEqual([['b'], [2]]);
  name.asks(3, () => ['c']);
  name.answered(3, false, 30);
  expect([values(name.since(31)), name.because]).toEqual([['b'], [2]]);
});

test('while a write is under way, and after one that nobody answered, both may be so', () => {
  const name = possible(['a'], 1);
  name.asks(2, () => ['b']);
  expect(values(name.since(15))).toEqual(['a', 'b']);
  expect(values(name.since(15, 2))).toEqual(['a']);
  name.answered(2, undefined, 20);
  expect(values(name.since(21))).toEqual(['a', 'b']);
});

test('a read that was under way while a write was answered may show either', () => {
  const name = possible(['a'], 1);
  name.asks(2, () => ['b']);
  name.answered(2, true, 20);
  expect(values(name.since(19))).toEqual(['a', 'b']);
  expect(values(name.since(20))).toEqual(['b']);
});

test('writes that overlap may have taken effect in either order', () => {
  const name = possible(['a'], 1);
  name.asks(2, () => ['b']);
  name.asks(3, () => ['c']);
  name.answered(2, true, 20);
  name.answered(3, true, 30);
  expect(values(name.since(31))?.filter((value) => value !== 'a')).toEqual(['b', 'c']);
});

test('a read narrows; what contradicts all that is known teaches nothing', () => {
  const name = possible<string>();
  expect(name.since(0)).toBeUndefined();
  name.narrow(['a'], 1, 10, 9);
  expect(values(name.since(11))).toEqual(['a']);
  name.narrow(['z'], 2, 20, 19);
  expect(values(name.since(21))).toEqual(['a']);
});

test('a read that overlaps a write does not say which of both came last', () => {
  const name = possible(['a'], 1);
  name.asks(3, () => ['b']);
  name.answered(3, undefined, 30);
  name.narrow(['a'], 2, 40, 20);
  expect(values(name.since(41))).toEqual(['a', 'b']);
  name.narrow(['a'], 4, 60, 50);
  expect(values(name.since(61))).toEqual(['a']);
  const unknown = possible<string>();
  unknown.asks(3, () => ['b']);
  unknown.answered(3, undefined, 30);
  unknown.narrow(['a'], 2, 40, 20);
  expect(unknown.since(41)).toBeUndefined();
});
