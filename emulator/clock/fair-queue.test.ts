import { expect, test } from 'vitest';
import { createClock, VIRTUAL_EPOCH } from './clock.js';
import { createFairQueue } from './fair-queue.js';

test('lets the first through at once, the others in their order, one per round of the event loop', async () => {
  const queue = createFairQueue(createClock('virtual'));
  expect(queue.next()).toBeUndefined();
  const seen: (number | string)[] = [];
  const all = [1, 2, 3].map((which) => queue.next()?.then(() => seen.push(which)));
  for (const round of ['a', 'b', 'c', 'd']) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    seen.push(round);
  }
  await Promise.all(all);
  expect(seen).toEqual([1, 'a', 2, 'b', 3, 'c', 'd']);
  expect(queue.next()).toBeUndefined();
});

test('lets one through in as many rounds as it is told', async () => {
  const queue = createFairQueue(createClock('virtual'), 3);
  expect(queue.next()).toBeUndefined();
  const seen: (number | string)[] = [];
  const all = [1, 2].map((which) => queue.next()?.then(() => seen.push(which)));
  for (const round of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    seen.push(round);
  }
  await Promise.all(all);
  expect(seen).toEqual(['a', 'b', 1, 'c', 'd', 'e', 2, 'f']);
});

test('has an advance of the clock wait for all that are in it', async () => {
  const clock = createClock('virtual');
  const queue = createFairQueue(clock);
  const done: number[] = [];
  for (let i = 0; i < 50; i++) void Promise.resolve(queue.next()).then(() => done.push(clock.now()));
  await clock.advance(1_000);
  expect(done).toEqual(Array(50).fill(VIRTUAL_EPOCH));
});
