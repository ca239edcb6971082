import { expect, inject, test } from 'vitest';
import { standing, wantedBy, wanting } from '../../mutants/digest.js';
import { createRandom, hash } from '../../probe/time.js';
import type { CheckResult } from '../../run/results.js';
import { checksOfSet } from '../../run/select.js';
import { asNew, evaluate } from '../../run/verdict.js';
import { checks } from '../../scenarios/index.js';
import { decidedBy, VIEWS } from '../views.js';
import { SETS } from './index.js';

const published = SETS.flatMap((set) =>
  Object.entries(set.checks).map(([id, digest]) => ({ set: set.name, id, digest })),
);

/** Why a published check may not change. */
const CHANGED = 'a published check never changes what it asserts: give the changed one a new id, and keep this one';

test('no published check is taken away', () => {
  const known = new Set(checks.map(({ id }) => id));
  const gone = published.filter(({ id }) => !decidedBy(id).every((one) => known.has(one)));
  expect(gone.map(({ set, id }) => `${id} of ${set}`)).toEqual([]);
});

test('what became rules is no check any more', () => {
  expect(checks.filter(({ id }) => id in VIEWS)).toEqual([]);
});

test('every published check stands on the requirement, level and sentence that it was published with', () => {
  const changed = published.filter(({ id, digest }) => {
    const check = checks.find((one) => one.id === id);
    return check !== undefined && standing(check) !== digest.split('-')[0];
  });
  expect(changed.map(({ id }) => `${id}: ${CHANGED}`)).toEqual([]);
});

/** Published checks that are tried here; `sets.live.test.ts` tries all of them. */
const TRIED = 6;

test('published checks want what they wanted, of which some are drawn by the commit', async () => {
  const random = createRandom(hash(inject('commit')));
  const still = published.flatMap(({ id, digest }) => {
    const check = checks.find((one) => one.id === id);
    return check === undefined ? [] : [{ check, digest }];
  });
  for (let tried = 0; tried < TRIED; tried++) {
    const { check, digest } = still[Math.floor(random() * still.length)] ?? {};
    if (check) expect(await wanting(check), `${check.id}: ${CHANGED}`).toBe(digest?.split('-')[1]);
  }
});

test('what a check wants does not depend on its words, order and names, and does on statuses, fields and values', async () => {
  const [check] = checks.filter(({ id }) => id === 'get/no-known-secrets');
  if (check === undefined) throw new Error('get/no-known-secrets is gone');
  const wanted = await wantedBy(check);
  expect(wanted).toContain('status success 200');
  const again = await wantedBy({
    ...check,
    title: 'other words.',
    async run(ctx) {
      await check.run(ctx);
      await check.run(ctx);
    },
  });
  expect(again).toEqual(wanted);
  const stricter = await wantedBy({
    ...check,
    async run(ctx) {
      await check.run(ctx);
      const { status } = await import('../../run/expect.js');
      status(await ctx.send({ path: '/interns' }), [200, 206], 'a list');
    },
  });
  expect(stricter).not.toEqual(wanted);
});

test('a check that is newer than the set fails nothing, whatever it comes to', () => {
  const row = (id: string, verdict: CheckResult['verdict']): CheckResult => ({
    id,
    requirement: 'LIST-1',
    level: 'S',
    title: `${id}.`,
    verdict,
    duration: 1,
    requests: 1,
    properties: [],
  });
  const cleanup = { created: 0, deleted: 0, failed: [] };
  const set = new Set(['a/old']);
  for (const verdict of ['fail', 'error'] as const) {
    const rows = [row('a/old', 'pass'), row('a/new', verdict)].map((one) => asNew(one, set));
    expect(rows.map((one) => one.new)).toEqual([undefined, true]);
    expect(evaluate(rows, { cleanup, minCoverage: 100 }).exit).toBe(0);
  }
  expect(
    evaluate(
      [row('a/old', 'fail')].map((one) => asNew(one, set)),
      { cleanup },
    ).exit,
  ).toBe(1);
});

test('a set that is not published is refused with those that are', () => {
  expect(() => checksOfSet('2026-12')).toThrow(
    'no set is called 2026-12 (did you mean 2026-11?); published are 2026-11',
  );
});
