import { expect, test } from 'vitest';
import { openRejections } from './rejections.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('rejections of a program go to it alone, those of others where they went before, and nothing stays', async () => {
  const before = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const elsewhere: unknown[] = [];
  const other = (reason: unknown) => void elsewhere.push(reason);
  process.on('unhandledRejection', other);
  const rejections = openRejections();
  const own: [unknown[], unknown[]] = [[], []];
  await Promise.all(
    own.map((rejected, at) =>
      rejections.within(
        (reason) => rejected.push(reason),
        async () => {
          await turn();
          void Promise.reject(at);
        },
      ),
    ),
  );
  void Promise.reject('outside');
  await turn();
  await turn();
  rejections.close();
  expect(own).toEqual([[0], [1]]);
  expect(elsewhere).toEqual(['outside']);
  expect(process.listeners('unhandledRejection')).toEqual([other]);
  process.removeAllListeners('unhandledRejection');
  for (const listener of before) process.on('unhandledRejection', listener);
});

test('several that are open at once leave nothing behind, in whatever order they close', () => {
  const before = [process.listeners('unhandledRejection'), process.listeners('uncaughtException')];
  const [one, two, three] = [openRejections(), openRejections(), openRejections()];
  expect(process.listenerCount('unhandledRejection')).toBe(1);
  for (const each of [one, one, three, two]) each.close();
  expect([process.listeners('unhandledRejection'), process.listeners('uncaughtException')]).toEqual(before);
});
