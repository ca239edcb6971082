import { expect, test } from 'vitest';
import { systemHost } from '../probe/time.js';
import { called } from './called.harness.js';

const mistaken = {
  ...systemHost,
  tag(): string {
    throw new TypeError('fell over');
  },
};

test('an error that nobody has foreseen is a mistake of the kit: exit 70', async () => {
  const { exit, err } = await called(['--only', 'base/head-as-get'], { host: mistaken });
  expect(err).toMatch(/^intern-conformance: TypeError: fell over\n/);
  expect(exit).toBe(70);
});

test('after Ctrl-C such an error leaves the run incomplete: exit 3', async () => {
  const { exit } = await called(['--only', 'base/head-as-get'], { host: mistaken, signal: AbortSignal.abort() });
  expect(exit).toBe(3);
});
