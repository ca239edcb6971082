import { describe, expect, test } from 'vitest';
import type { Profile } from '../../../emulator/contract/profile.js';
import type { Driver } from '../../drivers/driver.js';
import { newEmulator } from '../../drivers/emulator.js';
import { SHIPPED } from '../../framework/profile.js';
import { expiringTokens } from '../../habits/expiring-tokens.js';
import { fewInterns } from '../../habits/few-interns.js';
import { ownReasons } from '../../habits/own-reasons.js';
import { ownStatuses } from '../../habits/own-statuses.js';
import { ownSuccesses } from '../../habits/own-successes.js';
import { queued } from '../../habits/queued.js';
import { run } from '../../index.js';
import { type Deployment, deploy } from './deployment.js';
import { BUFFERING, DEPLOYMENTS, withHabit } from './deployments.js';

const LAWFUL = DEPLOYMENTS.filter(({ differs, incomplete }) => differs === undefined && incomplete === undefined);
const UNPUBLISHED = DEPLOYMENTS.filter(({ differs = ['reason'] }) => !differs.includes('reason'));

/** Runs every check that a deployment gets, and answers what is held against the deployment. */
async function findings(deployment: Deployment, seed: string) {
  const { driver, host, close } = await deploy(deployment, seed);
  try {
    // Every check, also those that a default run leaves out for others.
    const results = await run({ driver, host, seed, rate: 0, maxRequests: 100_000 });
    const held = results.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
    const why = held.map(({ id, finding, error }) => `${id}: ${finding?.what ?? error?.message} ${finding?.actual}`);
    return { why, results };
  } finally {
    await close();
  }
}

/** The same target, of which only the API key is known. */
const withKeyAlone = (driver: Driver): Driver => ({
  ...driver,
  credential: (name) => (name === 'api_key' ? driver.credential(name) : undefined),
  lacks: (need) => (/_(key|token)$/.test(need) ? { kind: 'lacks', need } : driver.lacks(need)),
});

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

// What the default budget leaves out for others that see as much, keeps it well below the 900 of that budget.
test.each(['one', 'two', 'three'])(
  'with an API key alone it makes at most 700 requests (seed %s)',
  { timeout: 300_000 },
  async (seed) => {
    const { driver, host, close } = await deploy({ name: 'obeys every prompt', obeys: 1 }, seed);
    try {
      const results = await run({ driver: withKeyAlone(driver), host, seed, rate: 50 });
      expect(results.counts.pass).toBeGreaterThan(130);
      expect(results.requests).toBeLessThanOrEqual(700);
    } finally {
      await close();
    }
  },
);

// By construction: what would go beyond the budget is left out. A limit on turns makes waits, which are requests too.
test.each([
  ['default', 'one', 0, 900, 170],
  ['default', 'two', 60, 900, 170],
  ['default', 'three', 60, 900, 170],
  ['quick', 'one', 0, 150, 40],
  ['quick', 'two', 60, 150, 40],
] as const)(
  'with every credential a %s run (seed %s, %i turns a minute) makes at most %i requests',
  { timeout: 300_000 },
  async (budget, seed, turns, most, least) => {
    const { driver, host, close } = await deploy({ name: 'obeys', obeys: 1, turns, profile: 'openrouter' }, seed);
    try {
      const results = await run({ driver, host, seed, rate: 50, budget });
      expect(results.requests).toBeLessThanOrEqual(most);
      expect(results.counts.pass).toBeGreaterThan(least);
      expect(results.exit).toBe(0);
    } finally {
      await close();
    }
  },
);

// What a run of the default budget has to spend beyond what was planned, the least valuable checks make room for.
test('a target that takes more requests for each check is looked at within 900 all the same', {
  timeout: 300_000,
}, async () => {
  const { driver, host, close } = await deploy(withHabit(ownReasons), 'dear');
  try {
    const results = await run({ driver, host, seed: 'dear', rate: 50 });
    expect(results.requests).toBeLessThanOrEqual(900);
    expect(results.counts.pass).toBeGreaterThan(130);
  } finally {
    await close();
  }
});

test('six checks at a time learn how new interns wait from new ones alone', { timeout: 300_000 }, async () => {
  const { driver, host, close } = await deploy(withHabit(queued), 'six');
  try {
    const results = await run({ driver, host, seed: 'six', rate: 50, concurrency: 6 });
    expect(results.checks.filter(({ finding, error }) => finding ?? error)).toEqual([]);
    expect(results.duration).toBeLessThanOrEqual(120_000);
  } finally {
    await close();
  }
});

test('where there is room for five interns it takes two minutes and 900 requests at most', {
  timeout: 300_000,
}, async () => {
  const { driver, host, close } = await deploy({ name: 'few', obeys: 1, habits: [fewInterns] }, 'few');
  try {
    const results = await run({ driver: withKeyAlone(driver), host, seed: 'few', rate: 50 });
    expect(results.counts.pass).toBeGreaterThan(130);
    expect(results.requests).toBeLessThanOrEqual(900);
    expect(results.duration).toBeLessThanOrEqual(120_000);
  } finally {
    await close();
  }
});

test.each([
  ['that chats', BUFFERING],
  ['that obeys', { ...BUFFERING, obeys: 1 }],
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
    'warn create/derived-key',
    'warn create/key-reused',
    'warn create/replay-200',
    'warn provision/answer',
    'warn suspend/answer',
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
  const own = { ...(SHIPPED.svc as NonNullable<typeof SHIPPED.svc>), idempotency_header: 'x-once' };

  async function heldAgainst(profile: Profile): Promise<string[]> {
    const deployment: Deployment = { name: 'names its keys', obeys: 1 };
    const { driver, host, close } = await deploy(deployment, 'keys', (options) =>
      newEmulator({ ...options, profile: own }),
    );
    try {
      const named: Driver = { ...driver, target: { ...driver.target, profile } };
      const { checks } = await run({ driver: named, host, seed: 'keys', rate: 0 });
      expect(checks.length).toBeGreaterThan(150);
      return checks.flatMap(
        ({ requirement, finding, error }) => finding?.breaks ?? (finding || error ? requirement : []),
      );
    } finally {
      await close();
    }
  }

  test('is asked by that name where the profile says it', { timeout: 300_000 }, async () => {
    expect(await heldAgainst(own)).toEqual([]);
  });

  test('is reported under CREATE-4 alone where it does not', { timeout: 300_000 }, async () => {
    expect(new Set(await heldAgainst({ ...own, idempotency_header: 'idempotency-key' }))).toEqual(
      new Set(['CREATE-4']),
    );
  });
});

test('a token that expires is reported once, and held against nobody', { timeout: 300_000 }, async () => {
  const { why, results } = await findings(withHabit(expiringTokens), 'deployment');
  expect(why).toEqual([]);
  expect(results.reasons.join()).toMatch(/--oauth-token was taken before, and is refused now/);
  expect(results.exit).toBe(3);
});

test('statuses of its own are reported where they are published, and the kit learns what they mean', {
  timeout: 300_000,
}, async () => {
  const { results } = await findings(withHabit(ownStatuses), 'deployment');
  const held = results.checks.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skip');
  expect(held.map(({ verdict, id }) => `${verdict} ${id}`).sort()).toEqual([
    'warn get/record-form',
    'warn list/every-status-is-known',
  ]);
  expect(results.checks.filter(({ skip }) => skip?.kind === 'blocked')).toEqual([]);
  expect(results.counts.pass).toBeGreaterThan(180);
});
