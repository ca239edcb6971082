import { expect, test } from 'vitest';
import { fakeHost } from '../../test/targets/fake-target.js';
import { createRate } from './limits.js';

/** When each of `n` requests leaves that are to leave at once. */
async function times(n: number, rate: ReturnType<typeof createRate>, now: () => number): Promise<number[]> {
  const left: number[] = [];
  await Promise.all(Array.from({ length: n }, () => rate.take().then(() => left.push(now()))));
  return left;
}

test('where requests of any kind come too fast they leave as far apart as they were taken', async () => {
  const host = fakeHost();
  const rate = createRate(0, host);
  expect(await times(3, rate, host.now)).toEqual([0, 0, 0]);
  rate.slow(1_000);
  const [first = 0, ...others] = await times(3, rate, host.now);
  expect(first).toBeGreaterThanOrEqual(1_000);
  for (const [at, one] of others.entries()) expect(one - first).toBeGreaterThanOrEqual(500 * (at + 1));
  expect(others.at(-1)).toBeLessThan(2_100);
});

test('of one request that is refused, the next are as far apart as the target says', async () => {
  const host = fakeHost();
  const rate = createRate(0, host);
  await rate.take();
  rate.slow(1_000);
  const [first = 0, second = 0] = await times(2, rate, host.now);
  expect([first >= 1_000, second - first >= 1_000]).toEqual([true, true]);
});

test('after many that are taken it is tried with half the distance', async () => {
  const host = fakeHost();
  const rate = createRate(0, host);
  await rate.take();
  rate.slow(1_000);
  const left = await times(52, rate, host.now);
  const last = (left.at(-1) ?? 0) - (left.at(-2) ?? 0);
  expect([last >= 500, last < 1_000]).toEqual([true, true]);
});

test('a pause that is no matter of the rate keeps requests apart no longer', async () => {
  const host = fakeHost();
  const rate = createRate(0, host);
  rate.pause(60_000);
  const [first = 0, second = 0] = await times(2, rate, host.now);
  expect(first).toBeGreaterThanOrEqual(60_000);
  expect(second).toBe(first);
});
