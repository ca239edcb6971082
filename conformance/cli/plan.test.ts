import { expect, test } from 'vitest';
import { RULES } from '../rules/index.js';
import { called } from './called.harness.js';

const planned = async (runs: number, ...only: string[]): Promise<string> =>
  (await called([...only.flatMap((id) => ['--only', id]), '--runs', `${runs}`, '--plan'])).out;

test('a plan tells about as many requests as the run sends', async () => {
  const only = ['suspend/keeps-what-was-changed', 'auth/key-exact', 'base/head-as-get'];
  const [, plan] = /(\d+) requests, /.exec(await planned(20, ...only)) ?? [];
  const run = await called([...only.flatMap((id) => ['--only', id]), '--runs', '20']);
  const [, sent] = /(\d+) requests in /.exec(run.out) ?? [];
  expect(Number(plan)).toBeGreaterThan(Number(sent) * 0.7);
  expect(Number(plan)).toBeLessThan(Number(sent) * 1.4);
});

test('a plan of a rule alone has the rows that the run sends for it', async () => {
  expect(await planned(1, RULES[0]?.id ?? '')).toMatch(/run +rows\/interface .* about [1-9]\d* requests, writes/);
});

test('a plan for a deployment has the checks whose needs are given, and sends nothing', async () => {
  const only = ['--only', 'scim/job', '--scim-sync', 'yes', '--workspace-id', 'w', '--plan'];
  const env = { INTERN_API_KEY: 'key', INTERN_MANAGEMENT_KEY: 'key' };
  const { out } = await called(['https://staging.example.com/api/v1', ...only], { env });
  expect(out).toMatch(/run +scim\/job .* about [1-9]\d* requests/);
});
