import { expect, test } from 'vitest';
import { createWaitReporter } from './waits.js';

/** A reporter in process, whose patience ends on demand. */
function waiting(mode: 'virtual' | 'frozen' = 'virtual') {
  const lines: unknown[] = [];
  const clock = { mode, time: 0, now: () => clock.time };
  let end = (_up: boolean) => {};
  const report = createWaitReporter({
    standsStill: () => true,
    clock,
    log: ({ message }) => lines.push(message),
    patience: () => new Promise((resolve) => (end = resolve)),
  });
  return {
    lines,
    clock,
    wait: (key: string, ms: number, still = () => true) => report(key, ms, () => ({ who: key, about: 'slow', still })),
    async endPatience(up = true) {
      end(up);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
const line = (ms: number) =>
  `run 1 (slow) waits for the clock, which stands still: ${ms} ms. Move it with emulator.clock.advance(${ms}), or make the emulator with clock: 'auto'.`;

test('what waits while the clock stands still is reported once, with what would move it', async () => {
  const { clock, endPatience, lines, wait } = waiting();
  wait('run 1', 500);
  expect(lines).toEqual([]);
  await endPatience();
  expect(lines).toEqual([line(500)]);
  clock.time = 500;
  wait('run 1', 500);
  await endPatience();
  expect(lines).toHaveLength(1);
});

test('nothing is reported while the clock moves, what waits goes on by itself, or the emulator was closed', async () => {
  const { clock, endPatience, lines, wait } = waiting();
  wait('run 1', 500);
  clock.time = 500;
  wait('run 1', 700);
  await endPatience();
  expect(lines).toEqual([]);
  // The second wait is seen as well: it lasts.
  await endPatience();
  expect(lines).toEqual([line(700)]);
  wait('run 2', 500, () => false);
  await endPatience();
  wait('run 3', 500);
  await endPatience(false);
  wait('run 4', Number.POSITIVE_INFINITY);
  await endPatience();
  expect(lines).toHaveLength(1);
});

test('a frozen clock can go on', async () => {
  const { endPatience, lines, wait } = waiting('frozen');
  wait('run 1', 5);
  await endPatience();
  expect(lines[0]).toContain('or let it go on with emulator.clock.resume().');
});
