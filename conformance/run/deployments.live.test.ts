import { describe, expect, test } from 'vitest';
import { PROFILES, type Profile } from '../../emulator/contract/profile.js';
import { closing } from '../../test/closing.js';
import { type Deployment, deploy } from '../../test/targets/deployment.js';
import { BUFFERING, DEPLOYMENTS, withHabit } from '../../test/targets/deployments.js';
import { holdsBodies } from '../../test/targets/holding.js';
import type { Driver } from '../drivers/driver.js';
import { newEmulator } from '../drivers/emulator.js';
import { ownReasons, ownSuccesses } from '../habits/answers.js';
import { queued } from '../habits/boots.js';
import { fewInterns } from '../habits/capacity.js';
import { expiringTokens } from '../habits/expiring-tokens.js';
import { ownStatuses } from '../habits/own-statuses.js';
import { run } from '../run.js';
import { limitsOf, UNLIMITED } from './limits.js';

const LAWFUL = DEPLOYMENTS.filter(({ differs, incomplete }) => differs === undefined && incomplete === undefined);
const UNPUBLISHED = DEPLOYMENTS.filter(({ differs = ['reason'] }) => !differs.includes('reason'));

/** Runs every check that a deployment gets, and answers what is held against the deployment. */
async function findings(deployment: Deployment, seed: string) {
  const { driver, host } = closing(await deploy(deployment, seed));
  const results = await run({ driver, host, seed, rate: 0, ...UNLIMITED });
  const held = results.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  const why = held.map(({ id, finding, error }) => `${id}: ${finding?.what ?? error?.message} ${finding?.actual}`);
  return { why, results };
}

// More seeds: npm run soak -- --each
test.each(LAWFUL)(
  'nothing is held against a server that keeps the interface and $name',
  { timeout: 300_000 },
  async (deployment) => {
    const { why, results } = await findings(deployment, 'deployment');
    expect(why).toEqual([]);
    expect(results.exit).toBe(0);
    expect(results.counts.pass).toBeGreaterThan(100);
  },
);

const OBEYS: Deployment = { name: 'obeys', obeys: 1, turns: 60, profile: 'openrouter' };

test.each([
  ['default', { name: 'obeys', obeys: 1 }, 50, {}, 180],
  ['default', OBEYS, 5, {}, 220],
  ['default, where it finds much', withHabit(ownReasons), 20, {}, 130],
  ['default, where there is room for five interns', { name: 'few', obeys: 1, habits: [fewInterns] }, 50, {}, 130],
  ['quick', OBEYS, 5, { budget: 'quick' }, 35],
  ['quick, of a quick target', OBEYS, 50, { budget: 'quick' }, 80],
  ['of few requests', OBEYS, 50, { maxRequests: 150 }, 35],
  ['of fewer', OBEYS, 50, { maxRequests: 40 }, 8],
  ['of three prompts', OBEYS, 50, { maxPrompts: 3 }, 80],
  ['of 15 s', OBEYS, 10, { maxTime: 15_000 }, 10],
] as const)(
  'a run (%s) exceeds no limit, its clean-up included, and leaves nothing',
  {
    timeout: 300_000,
  },
  async (_, deployment, rate, limits, least) => {
    const { driver, host } = closing(await deploy(deployment, 'limits'));
    let prompts = 0;
    const fetch = async (request: Request) => {
      const answer = await driver.fetch(request);
      const { pathname } = new URL(request.url);
      if (request.method === 'POST' && /\/interns\/[^/]+\/(chat\/completions|invoke)$/.test(pathname) && answer.ok)
        prompts++;
      return answer;
    };
    const results = await run({ driver: { ...driver, fetch }, host, seed: 'limits', rate, ...limits });
    const { prompts: turns, requests, time } = limitsOf(limits, { free: false });
    expect(prompts).toBeLessThanOrEqual(turns.most);
    expect(results.requests).toBeLessThanOrEqual(requests.most);
    expect(results.duration).toBeLessThanOrEqual(time.most);
    expect(results.cleanup.failed.filter(({ leaving }) => leaving !== true)).toEqual([]);
    expect(results.counts.pass).toBeGreaterThan(least);
    // Only what was given, and cut something, keeps a run from passing.
    const given = results.incomplete.map(({ kind }) => `max${kind[0]?.toUpperCase()}${kind.slice(1)}`);
    expect(given).toEqual(Object.keys(limits).filter((name) => name !== 'budget'));
  },
);

test('six checks at a time learn how new interns wait from new ones alone', { timeout: 300_000 }, async () => {
  const { driver, host } = closing(await deploy(withHabit(queued), 'six'));
  const results = await run({ driver, host, seed: 'six', rate: 50, concurrency: 6 });
  expect(results.checks.filter(({ finding, error }) => finding ?? error)).toEqual([]);
  expect(results.duration).toBeLessThanOrEqual(120_000);
});

test.each([
  ['that chats', BUFFERING],
  ['that obeys', { ...BUFFERING, obeys: 1 }],
  ['that obeys, but for their heads', { ...BUFFERING, obeys: 1, wrong: [holdsBodies] }],
])(
  'one thing is held against a proxy that holds back the streams of an intern %s',
  { timeout: 300_000 },
  async (_, deployment) => {
    const { results } = await findings(deployment, 'deployment');
    const failed = results.checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
    expect(failed.map(({ requirement }) => requirement)).toEqual(['CHAT-1']);
    expect(results.checks.filter(({ skip }) => skip?.kind === 'blocked').length).toBeGreaterThan(0);
  },
);

test('reasons of its own are held against a target where they are published, and keep no check from being done', {
  timeout: 300_000,
}, async () => {
  const { results } = await findings(withHabit(ownReasons), 'deployment');
  const held = results.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  expect(held.length).toBeGreaterThan(0);
  for (const { verdict, finding } of held)
    expect([verdict, finding?.what]).toEqual(['warn', expect.stringMatching(/reason/)]);
  expect(results.checks.filter(({ skip }) => skip?.kind === 'blocked')).toEqual([]);
});

test('success statuses of its own are held against a target where they are published, and by no other check', {
  timeout: 300_000,
}, async () => {
  const { results } = await findings(withHabit(ownSuccesses), 'deployment');
  const held = results.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  expect(held.map(({ verdict, id }) => `${verdict} ${id}`).sort()).toEqual([
    'warn PROV-1/provision-status',
    'warn SUSP-1/suspend-status',
    'warn UPDATE-1/update-status',
    'warn create/derived-key',
    'warn create/replay-200',
  ]);
  expect(results.checks.filter(({ skip }) => skip?.kind === 'blocked')).toEqual([]);
});

test.each(UNPUBLISHED)(
  'what is published alone is held against a target that $name',
  { timeout: 300_000 },
  async ({ differs = [], ...deployment }) => {
    const { results } = await findings(deployment, 'deployment');
    const held = results.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
    expect(held.map(({ verdict, requirement, id }) => [verdict, requirement, id])).toEqual(
      held.map(({ id }) => ['warn', expect.toBeOneOf([...differs]), id]),
    );
    expect(held.length).toBeGreaterThan(0);
    expect(results.checks.filter(({ skip }) => skip?.kind === 'blocked')).toEqual([]);
  },
);

describe('a target that calls the header of idempotency keys otherwise', () => {
  const own = { ...PROFILES.svc, idempotency_header: 'x-once' };

  async function heldAgainst(profile: Profile): Promise<string[]> {
    const deployment: Deployment = { name: 'names its keys', obeys: 1 };
    const { driver, host } = closing(
      await deploy(deployment, 'keys', (options) => newEmulator({ ...options, profile: own })),
    );
    const named: Driver = { ...driver, target: { ...driver.target, profile } };
    const { checks } = await run({ driver: named, host, seed: 'keys', rate: 0 });
    expect(checks.length).toBeGreaterThan(150);
    return checks.flatMap(
      ({ requirement, finding, error }) => finding?.breaks ?? (finding || error ? requirement : []),
    );
  }

  test('is asked by that name where the profile says it', { timeout: 300_000 }, async () => {
    expect(await heldAgainst(own)).toEqual([]);
  });

  test('is reported under CREATE-4 where it does not, and for the reason of its conflicts', {
    timeout: 300_000,
  }, async () => {
    const held = await heldAgainst({ ...own, idempotency_header: 'idempotency-key' });
    expect(new Set(held)).toEqual(new Set(['CREATE-4', 'BASE-3']));
  });
});

test('a token that expires is reported once, and held against nobody', { timeout: 300_000 }, async () => {
  const { why, results } = await findings(withHabit(expiringTokens), 'deployment');
  expect(why).toEqual([]);
  expect(results.reasons.join()).toMatch(/--oauth-token worked before, and is refused now/);
  expect(results.exit).toBe(3);
});

test('statuses of its own are reported where they are published, and the kit learns what they mean', {
  timeout: 300_000,
}, async () => {
  const { results } = await findings(withHabit(ownStatuses), 'deployment');
  const held = results.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  expect(held.map(({ verdict, id }) => `${verdict} ${id}`)).toEqual(['warn GET-1/published-form']);
  expect(results.checks.filter(({ skip }) => skip?.kind === 'blocked')).toEqual([]);
  expect(results.counts.pass).toBeGreaterThan(180);
});
