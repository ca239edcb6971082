import { expect, test } from 'vitest';
import { deploy } from '../../test/targets/deployment.js';
import { runChecks } from '../run/runner.js';
import { checks } from '../scenarios/index.js';
import { called } from './called.harness.js';

/** The plan of a run at a deployment with a key alone: nothing is sent to its address. */
async function planned(...flags: readonly string[]) {
  const { out } = await called(
    ['https://staging.example.com/api/v1', '--workspace-id', 'w', '--rate', '20', '--plan', ...flags],
    { env: { INTERN_API_KEY: 'key' } },
  );
  const [, prompts, minutes, requests] = /about (\d+) prompts?, (\d+) minutes?, (\d+) requests/.exec(out) ?? [];
  return { prompts: Number(prompts), minutes: Number(minutes), requests: Number(requests), out };
}

test('a plan for a deployment tells about what the run takes', async () => {
  const plan = await planned();
  const { driver, host, close } = await deploy({ name: 'obeys', obeys: 1, turns: 60, only: ['api_key'] }, 'plan');
  const run = await runChecks({ driver, host, checks, rate: 20 }).finally(close);
  const passed = run.checks.filter(({ verdict }) => verdict === 'pass');
  expect(passed.length).toBeGreaterThan(200);
  expect(plan.requests).toBeGreaterThan(0.85 * run.requests);
  expect(plan.requests).toBeLessThan(1.15 * run.requests);
  expect(Math.abs(plan.minutes - run.duration / 60_000)).toBeLessThan(1.2);
  expect(plan.prompts).toBeLessThanOrEqual(150);
});

test('a plan keeps the limits that are given, and names the checks that they leave out', async () => {
  const plan = await planned('--max-prompts', '5', '--max-requests', '400');
  expect(plan.prompts).toBeLessThanOrEqual(5);
  expect(plan.requests).toBeLessThanOrEqual(400);
  expect(plan.out).toMatch(/skip {2}\d+ beyond the budget: /);
});
