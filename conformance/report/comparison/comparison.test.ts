import { expect, test } from 'vitest';
import { sampleResults } from '../../../test/targets/sample-results.js';
import { diff, trend } from '../../run/diff.js';
import type { CheckResult, Results } from '../../run/results.js';
import { DIFF_REPORTERS } from './diff.js';
import { TREND_REPORTERS } from './trend.js';

const sample = sampleResults();
const found = sample.checks.find(({ id }) => id === 'chat/fails');

/** A run with these verdicts, by the ids of checks; `!` before a verdict means that it is flaky. */
function run(verdicts: Readonly<Record<string, string>>, more: Partial<Results> = {}): Results {
  const checks = Object.entries(verdicts).map(([id, word]): CheckResult => {
    const verdict = word.replace('!', '') as CheckResult['verdict'];
    const skip = sample.checks.find((check) => check.skip !== undefined)?.skip;
    return {
      id,
      requirement: 'CHAT-11',
      level: 'S',
      title: `title of ${id}`,
      verdict,
      duration: 1,
      requests: 1,
      properties: [],
      ...(verdict === 'fail' && found?.finding !== undefined ? { finding: found.finding } : {}),
      ...(verdict === 'skip' && skip !== undefined ? { skip } : {}),
      ...(word.startsWith('!') ? { knownAs: { flaky: { failed: verdict === 'fail' ? 1 : 0, of: 1 } } } : {}),
    };
  });
  return { ...sample, checks, ...more };
}

const ids = (changes: readonly { id: string }[]) => changes.map(({ id }) => id);

test('a comparison says what broke, was mended, is new, is gone, and is no longer checked', () => {
  const old = run({ a: 'pass', b: 'fail', c: 'fail', d: 'pass', e: 'pass', f: 'skip', g: '!pass', h: 'warn' });
  const now = run({ a: 'fail', b: 'pass', c: 'fail', d: 'skip', f: 'fail', g: '!fail', h: 'error', i: 'fail' });
  const compared = diff(old, now);
  expect({
    broken: ids(compared.broken),
    mended: ids(compared.mended),
    new: ids(compared.new),
    gone: ids(compared.gone),
    unchecked: ids(compared.unchecked),
  }).toEqual({ broken: ['a', 'f'], mended: ['b'], new: ['i'], gone: ['e'], unchecked: ['d', 'h'] });
});

test('a check that has become rules is the worst of them, and what it failed by breaks no more', () => {
  const old = run({ 'as-met/errors': 'fail', 'as-met/list-order': 'fail', 'auth/outsider': 'pass' });
  const rules = { 'BASE-3/envelope': 'pass', 'BASE-3/code': 'fail', 'SCIM-2/catalogue': 'skip' };
  const now = run({
    ...rules,
    'LIST-1/newest-first': 'pass',
    'LIST-1/once': 'skip',
    'AUTH-5/outside-the-programme': 'fail',
  });
  const compared = diff(old, now);
  expect(ids(compared.mended)).toEqual(['as-met/list-order']);
  expect(ids(compared.broken)).toEqual(['AUTH-5/outside-the-programme']);
  expect([compared.gone, compared.unchecked, compared.new]).toEqual([[], [], []]);
});

test('a known failure that counts again is broken, one that becomes known is not', () => {
  const known = (results: Results): Results => ({
    ...results,
    checks: results.checks.map((check) => ({ ...check, known: true })),
  });
  const failing = run({ a: 'fail' });
  expect(ids(diff(known(failing), failing).broken)).toEqual(['a']);
  expect(ids(diff(run({ a: 'pass' }), known(failing)).broken)).toEqual([]);
});

test.each(Object.entries(DIFF_REPORTERS))(
  'a comparison as %s names what broke, and holds no markup of the target',
  (kind, report) => {
    const text = report(diff(run({ a: 'pass', b: 'fail' }), run({ a: 'fail', b: 'pass' })));
    expect(text).toMatch(kind === 'json' ? /"broken": \[\s+\{\s+"id": "a"/ : /1 broken, 1 mended/);
    if (kind === 'html' || kind === 'markdown') expect(text).not.toMatch(/<img|<script>window/);
  },
);

test('a trend says since when a check fails, how often it did, and where it was first seen', () => {
  const at = (day: number, verdicts: Readonly<Record<string, string>>) =>
    run(verdicts, { started: `2026-11-0${day}T00:00:00.000Z` });
  const many = trend([
    at(3, { a: 'fail', b: 'pass', c: 'pass' }),
    at(1, { a: 'pass', b: 'fail' }),
    at(2, { a: 'skip', b: 'pass', c: 'pass' }),
    at(4, { a: 'fail', b: 'pass', c: 'pass' }),
  ]);
  const row = (id: string) => many.checks.find((one) => one.id === id);
  expect(row('a')).toMatchObject({ failingSince: 2, failed: 2, of: 3, firstSeen: 0 });
  expect(row('b')).toMatchObject({ failed: 1, of: 4 });
  expect(row('b')).not.toHaveProperty('failingSince');
  expect(row('c')).toMatchObject({ firstSeen: 1, failed: 0, of: 3 });
  expect(TREND_REPORTERS.tty(many)).toMatch(/\.-FF {2}a: failing since 2026-11-03 00:00: .*, failed 2 of 3/);
  for (const report of Object.values(TREND_REPORTERS)) expect(report(many)).toContain('2026-11-03');
});
