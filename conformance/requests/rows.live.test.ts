import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { deploy } from '../../test/targets/deployment.js';
import { run } from '../run.js';

test('all rows are sent at a deployment: none touches what the run did not make', { timeout: 120_000 }, async () => {
  const { driver, host } = closing(await deploy({ name: 'obeys every prompt', obeys: 1, turns: 60 }, 'rows'));
  const { checks } = await run({ driver, host, seed: 'rows', rate: 0, only: ['rows/interface'] });
  expect(checks.filter(({ id }) => id === 'rows/interface').map(({ verdict, skip }) => [verdict, skip])).toEqual([
    ['pass', undefined],
  ]);
});

test('rows that may cost a prompt too many are left out, and others are sent', { timeout: 120_000 }, async () => {
  const { driver, host } = closing(await deploy({ name: 'obeys every prompt', obeys: 1, turns: 60 }, 'rows'));
  const { checks, requests } = await run({ driver, host, rate: 0, maxPrompts: 4, only: ['rows/interface'] });
  const rows = checks.find(({ id }) => id === 'rows/interface');
  expect([rows?.verdict, rows?.skip]).toEqual(['pass', undefined]);
  expect(requests).toBeGreaterThan(1_000);
});
