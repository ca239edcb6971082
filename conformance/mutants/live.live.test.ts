import { expect, test } from 'vitest';
import { checks } from '../scenarios/index.js';
import { mutants } from './index.js';
import { tryLive } from './live.js';

const tried = (name: string) => {
  const mutant = mutants.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`no mutant ${name}`);
  return tryLive(mutant, checks, { runs: 1, seed: 'live', now: () => 0 });
};

test('a mutant that a deployment can show is seen there', async () => {
  expect((await tried('list-oldest-first'))?.caught).toContain('LIST-1/newest-first');
});

test('an intern that is busy though it never took a prompt is no deployment that needs a moment', async () => {
  expect((await tried('lock-of-all-interns'))?.caught).toContain('chat-lock/per-intern');
});

test('what nobody waited for is not seen, and says so', async () => {
  const result = await tried('deadline-of-four-minutes');
  expect(result?.caught).toEqual([]);
  expect(result?.missed[0]).toMatchObject({ verdict: 'skip', why: expect.stringContaining('--slow') });
});

test('one that shows only with a control interface does not count at a deployment', async () => {
  expect(await tried('fault-for-ever')).toBeUndefined();
});
