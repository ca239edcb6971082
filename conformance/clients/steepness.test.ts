import { expect, test } from 'vitest';
import { cases } from '../../emulator/lab/cases.js';
import { scaled, steepness } from './steepness.js';

/** A client with these times for each size, one run after the other. */
const timesOf = (small: readonly number[], large: readonly number[]) => {
  const turns = { small: 0, large: 0 };
  return async (share: number) => (share < 1 / 4 ? small[turns.small++] : large[turns.large++]);
};

test('four times as long is linear, sixteen times is not', async () => {
  expect(await steepness(timesOf([100], [400]))).toBeUndefined();
  expect(await steepness(timesOf([100, 100, 100, 100], [1_600, 1_600, 1_600, 1_600]))).toMatchObject({
    what: 'time is not linear',
    actual: '16.0 times as long',
  });
});

test('a machine that is busy now and then does not make a client quadratic', async () => {
  expect(await steepness(timesOf([100, 120], [3_000, 480]))).toBeUndefined();
});

test('a client that is fast is not measured, and one that does not answer is not judged by its time', async () => {
  expect(await steepness(timesOf([1], [100]))).toBeUndefined();
  expect(await steepness(timesOf([100], []))).toBeUndefined();
});

test('a share of a case is a share of its repeated writes', () => {
  const long = cases.find(({ id }) => id === 'sse-long-line');
  if (long === undefined) throw new Error('no such case');
  const repeats = [long, scaled(long, 1 / 8)].map(({ exchanges: [one] }) =>
    one !== undefined && 'steps' in one ? one.steps.flatMap((step) => ('repeat' in step ? [step.repeat] : [])) : [],
  );
  expect(repeats[1]?.[0]).toBe((repeats[0]?.[0] ?? 0) / 8);
});
