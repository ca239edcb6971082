import { expect, test } from 'vitest';
import { checks } from '../scenarios/index.js';
import { mutants } from './index.js';
import { tryLive, wholeRun } from './live.js';
import { broke } from './matrix.js';

const called = (name: string) => {
  const mutant = mutants.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`no mutant ${name}`);
  return mutant;
};
const OPTIONS = { runs: 1, seed: 'live' } as const;
const tried = (name: string) => tryLive(called(name), checks, { ...OPTIONS, now: () => 0 });

test('an intern that is busy though it never took a prompt is no deployment that needs a moment', async () => {
  const rows = await wholeRun(called('lock-of-all-interns'), OPTIONS);
  const found = rows.filter(broke).map((row) => row.id);
  expect(found.filter((id) => ['CHAT-14/busy-while-it-streams', 'disconnect/leaves-others'].includes(id))).not.toEqual(
    [],
  );
});

test('what nobody waited for is not seen, and says so', async () => {
  const result = await tried('deadline-of-four-minutes');
  expect(result?.caught).toEqual([]);
  expect(result?.missed[0]).toMatchObject({ verdict: 'skip', why: expect.stringContaining('--slow') });
});

test('one that shows only with a control interface does not count at a deployment', async () => {
  expect(await tried('fault-for-ever')).toBeUndefined();
});

test('with an API key alone, who asks for what is personal finds that a service refuses it with metadata', async () => {
  const rows = await wholeRun(called('sign-alias-401-with-metadata'), { ...OPTIONS, given: 'key' });
  expect(rows.filter(broke).map((row) => row.id)).toContain('BASE-3/no-metadata');
});

test('a service that has taken a deprecated alias away is not blamed by an API key alone', async () => {
  const rows = await wholeRun(called('sign-alias-gone'), { ...OPTIONS, given: 'key' });
  expect(rows.filter(broke)).toEqual([]);
});

test('a call that is refused and done counts, though no later read can show it again', async () => {
  const rows = await wholeRun(called('suspend-refused-and-done'), { ...OPTIONS, given: 'key' });
  expect(rows.filter(broke).map((row) => row.id)).toContain('LIFE-1/refused-does-nothing');
});
