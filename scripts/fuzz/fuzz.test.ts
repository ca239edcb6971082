import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuzz, type Target } from './fuzz.js';
import { Broken } from './law.js';

/** A target whose subject does this with each number. */
function targetOf(meet: (input: number) => void): { target: Target<number>; open: () => number } {
  let open = 0;
  const target: Target<number> = {
    inputs: fc.nat(1_000_000),
    async start() {
      open++;
      return {
        async meet(input) {
          meet(input);
        },
        async close() {
          open--;
        },
      };
    },
  };
  return { target, open: () => open };
}
const above = (most: number) => (input: number) => {
  if (input > most) throw new Broken('numbers are small', `${input} is not`);
};

test('a broken law is found, made smaller, and found again by its path alone', async () => {
  const { target, open } = targetOf(above(1_000));
  const { failure, inputs } = await fuzz(target, { seed: 7, seconds: 30 });
  expect(failure).toMatchObject({ input: '1001', alone: true, law: 'numbers are small: 1001 is not' });
  expect(inputs).toBeGreaterThan(1);
  const again = await fuzz(target, { seed: failure?.seed ?? 0, path: failure?.path, seconds: 30 });
  expect(again.failure?.input).toBe('1001');
  expect(open()).toBe(0);
});

test('what takes many inputs is said to need them', async () => {
  let met = 0;
  const { target } = targetOf(() => {
    met++;
    if (met === 40) throw new Broken('memory stays bounded', 'it did not');
  });
  const { failure } = await fuzz(target, { seed: 7, seconds: 30 });
  expect(failure).toMatchObject({ alone: false, law: 'memory stays bounded: it did not' });
});

test('where no law is broken it goes on until the time is up, and closes what it opened', async () => {
  const { target, open } = targetOf(above(1_000_000));
  const before = performance.now();
  const { failure, inputs } = await fuzz(target, { seed: 7, seconds: 0.3 });
  expect(failure).toBe(undefined);
  expect(inputs).toBeGreaterThan(150);
  expect(performance.now() - before).toBeGreaterThanOrEqual(300);
  expect(open()).toBe(0);
});

test('a mistake of the fuzzer’s own is no finding', async () => {
  const { target, open } = targetOf(() => {
    throw new TypeError('a mistake');
  });
  await expect(fuzz(target, { seed: 7, seconds: 30 })).rejects.toThrow('a mistake');
  expect(open()).toBe(0);
});
