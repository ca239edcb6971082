import { expect, test } from 'vitest';
import { sampleResults } from '../testing/sample-results.js';
import { merge } from './merge.js';
import type { Coverage, Results } from './results.js';

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
