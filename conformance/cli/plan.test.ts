import { expect, test } from 'vitest';
import { RULES } from '../rules/index.js';
import { called } from './called.harness.js';

test('a plan tells about as many requests as the run sends', async () => {
  const only = ['suspend/keeps-what-was-changed', 'auth/key-exact', 'base/head-as-get'];
  const args = [...only.flatMap((id) => ['--only', id]), '--runs', '20'];
  const [, plan] = /(\d+) requests, /.exec((await called([...args, '--plan'])).out) ?? [];
  const [, sent] = /(\d+) requests in /.exec((await called(args)).out) ?? [];
  expect(Number(plan)).toBeGreaterThan(Number(sent) * 0.7);
  expect(Number(plan)).toBeLessThan(Number(sent) * 1.4);
});

test('a plan of a rule alone has the rows that the run sends for it', async () => {
  // A plan is done whole: as many requests as the first rows take.
  const { out } = await called(['--only', RULES[0]?.id ?? '', '--runs', '1', '--max-requests', '60', '--plan']);
  expect(out).toMatch(/run +rows\/first .* about [1-9]\d* requests, writes/);
});

test('a plan for a deployment has the checks whose needs are given, and sends nothing', async () => {
  const only = ['--only', 'scim/job', '--scim-sync', 'yes', '--workspace-id', 'w', '--plan'];
  const env = { INTERN_API_KEY: 'key', INTERN_MANAGEMENT_KEY: 'key' };
  const { out } = await called(['https://staging.example.com/api/v1', ...only], { env });
  expect(out).toMatch(/run +scim\/job .* about [1-9]\d* requests/);
});
