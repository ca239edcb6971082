import { expect, test } from 'vitest';
import { ruleOf } from '../rules/check.js';
import { RULES } from '../rules/index.js';
import { checks } from '../scenarios/index.js';
import { called } from './called.harness.js';
import costs from './costs.json' with { type: 'json' };

const planned = async (...only: string[]): Promise<string> =>
  (await called([...only.flatMap((id) => ['--only', id]), '--runs', '20', '--plan'])).out;

test('the costs of every check that sends are measured (npx tsx scripts/measure-costs.ts)', () => {
  const sending = checks.filter((check) => ruleOf(check) === undefined).map(({ id }) => id);
  expect(Object.keys(costs).toSorted()).toEqual(sending.toSorted());
});

test('a plan tells about as many requests as the run sends', async () => {
  const only = ['suspend/keeps-what-was-changed', 'auth/key-exact', 'base/head-as-get'];
  const [, plan] = /(\d+) requests, /.exec(await planned(...only)) ?? [];
  const run = await called([...only.flatMap((id) => ['--only', id]), '--runs', '20']);
  const [, sent] = /(\d+) requests in /.exec(run.out) ?? [];
  expect(Number(plan)).toBeGreaterThan(Number(sent) * 0.7);
  expect(Number(plan)).toBeLessThan(Number(sent) * 1.4);
});

test('a plan of a rule alone has the rows that the run sends for it', async () => {
  expect(await planned(RULES[0]?.id ?? '')).toMatch(/run +rows\/interface .* about [1-9]\d* requests, writes/);
});
