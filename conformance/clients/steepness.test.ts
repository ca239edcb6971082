import { expect, test } from 'vitest';
import { cases } from '../../emulator/lab/cases.js';
import { scaled, steepness } from './steepness.js';

type Time = number | 'late';
const WHOLE = 60_000;

/** A client with these times for each size, one run after the other. */
const timesOf = (small: readonly Time[], large: readonly Time[]) => {
  const turns = { small: 0, large: 0 };
  return async (share: number) => (share < 1 / 4 ? small[turns.small++] : large[turns.large++]);
};

test('four times as long is linear, sixteen times is not', async () => {
  expect(await steepness(timesOf([100], [400]), WHOLE)).toBeUndefined();
  expect(await steepness(timesOf([100, 100, 100, 100], [1_600, 1_600, 1_600, 1_600]), WHOLE)).toMatchObject({
    what: 'time is not linear',
    actual: '16.0 times as long for 4 times as much',
  });
});

test('a machine that is busy now and then does not make a client quadratic', async () => {
  expect(await steepness(timesOf([100, 120], [3_000, 480]), WHOLE)).toBeUndefined();
});

test('a client that is fast is not measured, and one that does not answer is not judged by its time', async () => {
  expect(await steepness(timesOf([1], [100]), WHOLE)).toBeUndefined();
  expect(await steepness(timesOf([100], []), WHOLE)).toBeUndefined();
});

test('a client that outlives its share of time twice is too slow, with the growth that was seen', async () => {
  expect(await steepness(timesOf([200, 200], ['late', 'late']), WHOLE)).toEqual({
    what: 'too slow',
    expected: '1/2 of the case within 5000 ms',
    actual: 'no end within 5000 ms, more than 25.0 times as long as a quarter of that, which took 200 ms',
    change: { kind: 'slow' },
  });
  expect(await steepness(timesOf([3_000, 3_000], ['late', 'late']), WHOLE)).toMatchObject({
    expected: '1/2 of the case within 30000 ms',
  });
  expect(await steepness(timesOf(['late', 1_000, 'late', 1_000], []), WHOLE)).toMatchObject({
    expected: '1/8 of the case within 7500 ms',
    actual: expect.stringContaining('more than 7.5 times as long'),
  });
  expect(await steepness(timesOf(['late', 'late', 'late', 'late'], []), WHOLE)).toMatchObject({
    actual: 'no end within 7500 ms',
  });
});

test('a client that outlives its share of time once met a busy machine', async () => {
  expect(await steepness(timesOf([200, 200], ['late', 900]), WHOLE)).toBeUndefined();
  expect(await steepness(timesOf(['late', 100, 200], [900]), WHOLE)).toBeUndefined();
});

test('a share of a case is a share of its repeated writes', () => {
  const long = cases.find(({ id }) => id === 'sse-long-line');
  if (long === undefined) throw new Error('no such case');
  const repeats = [long, scaled(long, 1 / 8)].map(({ exchanges: [one] }) =>
    one !== undefined && 'steps' in one ? one.steps.flatMap((step) => ('repeat' in step ? [step.repeat] : [])) : [],
  );
  expect(repeats[1]?.[0]).toBe((repeats[0]?.[0] ?? 0) / 8);
});
