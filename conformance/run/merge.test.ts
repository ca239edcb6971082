import { describe, expect, test } from 'vitest';
import { sampleResults } from '../testing/sample-results.js';
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
])('that no question was seen is told of shards that all saw none (%s, %s)', (one, other, merged) => {
  const parts = [one, other].map((none, at) => shard(at + 1, { noQuestionSeen: none, noPermissionSeen: none }));
  expect(merge(parts).coverage).toMatchObject({ noQuestionSeen: merged, noPermissionSeen: merged });
});

describe('a report that is not whole keeps what is made of it from being a pass', () => {
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
    reasons: [],
    exit: 0,
    cleanup: { created: 1, deleted: 1, failed: [] },
    ...more,
  });
  const incomplete = (reasons: string[]) => ({ verdict: 'incomplete', reasons, exit: 3 }) as const;

  test.each([
    ['interrupted'],
    ['the time of 5 s is up'],
    ['--api-key was taken before, and is refused now (401): has it expired?'],
    ['3 of 9 checks came to a verdict: 33%, less than --min-coverage 50%'],
    ['a reason that a later kit gives'],
  ])('%s', (reason) => {
    const merged = merge([part(1), part(2, incomplete([reason]))]);
    expect(merged).toMatchObject({ verdict: 'incomplete', exit: 3, reasons: [reason] });
    expect(merge([part(1, incomplete([reason])), part(2, incomplete([reason]))]).reasons).toEqual([reason]);
  });

  test('but for what its checks say, which all of them say together', () => {
    const skipped = (index: number): CheckResult => ({
      ...passes(index),
      verdict: 'skip',
      skip: { need: 'blocked by create/reads-back', why: 'no intern could be created', kind: 'blocked' },
    });
    const blocked = (index: number) =>
      part(index, {
        checks: [skipped(index)],
        ...incomplete(['no check ran', '1 check(s) blocked by create/reads-back: no intern could be created']),
      });
    expect(merge([blocked(1), blocked(2)]).reasons).toEqual([
      'no check ran',
      '2 check(s) blocked by create/reads-back: no intern could be created',
    ]);
    const empty = part(2, { checks: [], ...incomplete(['no check was selected']) });
    expect(merge([part(1), empty])).toMatchObject({ verdict: 'pass', exit: 0, reasons: [] });
  });

  test('and a failure stays one', () => {
    const fails = { ...passes(1), verdict: 'fail' as const };
    const failed = part(1, { checks: [fails], verdict: 'fail', reasons: ['interrupted'], exit: 1 });
    expect(merge([failed, part(2)])).toMatchObject({ verdict: 'fail', exit: 1, reasons: ['interrupted'] });
  });

  test('what could not be searched for in the end is told', () => {
    const cleanup = { created: 1, deleted: 1, failed: [], notSearched: 'GET /interns answered 500' };
    expect(merge([part(1), part(2, { cleanup })]).cleanup.notSearched).toBe('GET /interns answered 500');
  });
});

test('reports of clients have no requirements of servers, merged or not', () => {
  const client = (index: number): Results => ({ ...shard(index, {}), requirements: [] });
  expect(merge([client(1), client(2)]).requirements).toEqual([]);
  expect(merge([shard(1, {}), shard(2, {})]).requirements.length).toBeGreaterThan(50);
});
