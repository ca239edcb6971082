import { afterEach, describe, expect, test, vi } from 'vitest';
import { clientOf, wholly } from './testing.harness.js';
import type { Program } from './types.js';
import { exploreTest } from './vitest.js';

const program = vi.fn<Program>(async (context) => wholly(await clientOf(context).chat('hello')));
const again: Program = async (context) => {
  const client = clientOf(context);
  await wholly(await client.chat('hello')).catch(async () => wholly(await client.chat('hello')));
};

describe('a program that keeps the laws', () => {
  exploreTest('passes', program, { only: 'cut' });
  test('and was run undisturbed, twice, and once per schedule', () => {
    expect(program.mock.calls.length).toBeGreaterThan(4);
  });
});

// A test in here passes by failing: what it fails with is looked at before.
describe('a test fails', { fails: true }, () => {
  afterEach(({ task }) => {
    const [error, ...others] = task.result?.errors ?? [];
    expect(others).toEqual([]);
    expect(error?.message).toMatch(
      task.name.includes('straight')
        ? /^the undisturbed run failed: nothing works$/
        : /✗ once {2}at the 1st prompt, the stream was cut[\s\S]*undisturbed +│ disturbed[\s\S]*explore\(program/,
    );
    if (task.name.includes('law')) expect(error?.stack).toBe(error?.message);
  });

  exploreTest('with the report of a program that breaks a law', again, { only: 'cut' });
  exploreTest('with one line where the undisturbed run fails', () => {
    throw new Error('nothing works');
  });
});
