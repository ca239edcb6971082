import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Child, checkLively, whileItLives } from './child.js';

/** A process that has taken a number of ms of a processor more each time it is asked. */
function working(ms: number): Child {
  let worked = 0;
  return {
    process: { exitCode: null, signalCode: null } as Child['process'],
    closed: new Promise(() => {}),
    errors: () => '',
    memory: () => undefined,
    worked() {
      worked += ms;
      return worked;
    },
    stop: async () => {},
  };
}
let now = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => vi.restoreAllMocks());
/** An answer that comes after so many ms. */
const probe = (ms: number) => async () => {
  now += ms;
};

test('a process that works for longer than a second each time before it answers is found', async () => {
  let again = 0;
  const checked = checkLively(working(5_000), async () => void again++, probe(1_050));
  await expect(checked).rejects.toThrow(/^a probe is answered within 1 s: it took 1050 ms, three times$/);
  expect(again).toBe(2);
});

test('one that waits while the machine is busy with others is not', async () => {
  await expect(checkLively(working(20), async () => {}, probe(1_050))).resolves.toBe(undefined);
  await expect(checkLively(working(5_000), async () => {}, probe(1))).resolves.toBe(undefined);
});

test('what fails since the process ends is reported as its end, and what fails otherwise as it is', async () => {
  const lost = () => Promise.reject(new TypeError('fetch failed'));
  const dead: Child = {
    ...working(0),
    process: { exitCode: 70, signalCode: null } as Child['process'],
    closed: Promise.resolve(),
  };
  await expect(whileItLives(dead, lost())).rejects.toThrow(/^the process lives: it ended with 70/);
  const lives: Child = { ...working(0), closed: Promise.resolve() };
  await expect(whileItLives(lives, lost())).rejects.toThrow(/^fetch failed$/);
  expect(await whileItLives(dead, Promise.resolve(1))).toBe(1);
});
