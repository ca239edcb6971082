import { describe, expect, test } from 'vitest';
import { sampleResults } from '../../test/targets/sample-results.js';
import type { Incomplete } from '../model/skip.js';
import { merge } from './merge.js';
import type { CheckResult, Coverage, Results } from './results.js';

const shard = (index: number, coverage: Partial<Coverage>): Results => {
  const results = sampleResults();
  return {
    ...results,
    options: { ...results.options, shard: { index, of: 2 } },
    checks: results.checks.map((check) => ({ ...check, id: `${check.id}-${index}` })),
    coverage: { ...results.coverage, ...coverage },
  };
};

test.each([
  [false, true, false],
  [true, true, true],
])('that no question was seen is reported of shards that all saw none (%s, %s)', (one, other, merged) => {
  const parts = [one, other].map((none, at) => shard(at + 1, { noQuestionSeen: none, noPermissionSeen: none }));
  expect(merge(parts).coverage).toMatchObject({ noQuestionSeen: merged, noPermissionSeen: merged });
});

test('exchanges of shards add up, each counted once in its own', () => {
  const parts = [3, 4].map((many, at) => {
    const part = shard(at + 1, {});
    return {
      ...part,
      exchanges: many,
      requirements: part.requirements.map((row) => ({ ...row, exchanges: many - 1 })),
    };
  });
  const merged = merge(parts);
  expect(merged.exchanges).toBe(7);
  expect(merged.requirements[0]?.exchanges).toBe(5);
  expect(merge([shard(1, {}), shard(2, {})])).not.toHaveProperty('exchanges');
});

describe('a report that is not whole keeps what is made of it from being a pass', () => {
  const BLOCKED = { kind: 'blocked', by: 'create/reads-back', obstacle: 'create' } as const;
  const passes = (index: number): CheckResult => ({
    id: `a/passes-${index}`,
    requirement: 'GET-1',
    level: 'S',
    title: 'It passes.',
    verdict: 'pass',
    duration: 1,
    requests: 1,
    properties: [],
  });
  const part = (index: number, more: Partial<Results> = {}): Results => ({
    ...shard(index, {}),
    checks: [passes(index)],
    verdict: 'pass',
    incomplete: [],
    exit: 0,
    cleanup: { created: 1, deleted: 1, failed: [] },
    ...more,
  });
  const because = (incomplete: Incomplete[]) => ({ verdict: 'incomplete', incomplete, exit: 3 }) as const;

  test.each<Incomplete>([
    { kind: 'interrupted' },
    { kind: 'time', ms: 5_000 },
    { kind: 'unusable', credential: 'api_key', how: 'expired' },
    { kind: 'coverage', checked: 3, of: 9, least: 50 },
    { kind: 'of a later kit' } as unknown as Incomplete,
  ])('$kind', (reason) => {
    const merged = merge([part(1), part(2, because([reason]))]);
    expect(merged).toMatchObject({ verdict: 'incomplete', exit: 3, incomplete: [reason] });
    expect(merge([part(1, because([reason])), part(2, because([reason]))]).incomplete).toEqual([reason]);
  });

  test('but for what its checks say, which all of them say together', () => {
    const skipped = (index: number): CheckResult => ({
      ...passes(index),
      verdict: 'skip',
      skip: { kind: 'blocked', because: BLOCKED },
    });
    const blocked = (index: number) =>
      part(index, {
        checks: [skipped(index)],
        ...because([{ kind: 'none-ran' }, { ...BLOCKED, checks: 1 }]),
      });
    expect(merge([blocked(1), blocked(2)]).incomplete).toEqual([{ kind: 'none-ran' }, { ...BLOCKED, checks: 2 }]);
    const empty = part(2, { checks: [], ...because([{ kind: 'none-selected' }]) });
    expect(merge([part(1), empty])).toMatchObject({ verdict: 'pass', exit: 0, incomplete: [] });
  });

  test('and a failure stays one', () => {
    const fails = { ...passes(1), verdict: 'fail' as const };
    const failed = part(1, { checks: [fails], verdict: 'fail', incomplete: [{ kind: 'interrupted' }], exit: 1 });
    expect(merge([failed, part(2)])).toMatchObject({ verdict: 'fail', exit: 1, incomplete: [{ kind: 'interrupted' }] });
  });

  test('what could not be searched for in the end is reported', () => {
    const cleanup = { created: 1, deleted: 1, failed: [], unsearched: { kind: 'no-list' } as const };
    expect(merge([part(1), part(2, { cleanup })]).cleanup.unsearched).toEqual({ kind: 'no-list' });
  });
});

test('reports of clients have no requirements of servers, merged or not', () => {
  const client = (index: number): Results => ({ ...shard(index, {}), requirements: [] });
  expect(merge([client(1), client(2)]).requirements).toEqual([]);
  expect(merge([shard(1, {}), shard(2, {})]).requirements.length).toBeGreaterThan(50);
});

test('a hundred thousand checks of one requirement are merged', () => {
  const [check] = sampleResults().checks;
  const checks = Array.from(
    { length: 100_000 },
    (_, at) => ({ ...check, id: `a/${at}`, requirement: 'GET-1' }) as CheckResult,
  );
  const { requirements } = merge([{ ...sampleResults(), checks }]);
  expect(requirements.find(({ id }) => id === 'GET-1')?.checks).toHaveLength(100_000);
}, 30_000);
