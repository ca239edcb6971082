import { describe, expect, test } from 'vitest';
import type { CheckResult, KnownFailure } from './results.js';
import { asKnown, countsAgainst, evaluate, evaluateBaseline } from './verdict.js';

const row = (verdict: CheckResult['verdict'], id = 'a/check'): CheckResult => ({
  id,
  requirement: 'LIST-1',
  level: 'S',
  title: 'a check.',
  verdict,
  duration: 1,
  requests: 1,
  properties: [],
});
const at = (day: string) => Date.parse(`${day}T23:59:00Z`);
const NOW = at('2026-11-22');

test('a failure is known until the last day of its entry is over', () => {
  const baseline: KnownFailure[] = [{ id: 'a/check', reason: 'soon', expires: '2026-11-22' }];
  expect(asKnown(row('fail'), baseline, NOW)).toMatchObject({ known: true, knownAs: { reason: 'soon' } });
  const late = asKnown(row('fail'), baseline, at('2026-11-23'));
  expect(late).toMatchObject({ knownAs: { reason: 'soon', expires: '2026-11-22', expired: true } });
  expect(countsAgainst(late)).toBe(true);
});

test('a warning is a failure where that is asked for, and then a known one', () => {
  expect([countsAgainst(row('warn')), countsAgainst(row('warn'), 'warn')]).toEqual([false, true]);
  expect(asKnown(row('warn'), ['a/check'], NOW)).not.toHaveProperty('known');
  expect(asKnown(row('warn'), ['a/check'], NOW, 'warn')).toHaveProperty('known', true);
});

describe('a flaky entry', () => {
  const baseline: KnownFailure[] = [{ id: 'a/check', reason: 'races', flaky: true }];

  test('may fail and may pass, and says how often it failed', () => {
    expect(asKnown(row('fail'), baseline, NOW)).toMatchObject({
      known: true,
      knownAs: { flaky: { failed: 1, of: 1 } },
    });
    expect(asKnown(row('pass'), baseline, NOW).knownAs?.flaky).toEqual({ failed: 0, of: 1 });
    expect(asKnown(row('skip'), baseline, NOW).knownAs?.flaky).toEqual({ failed: 0, of: 0 });
    expect(asKnown(row('pass'), baseline, NOW)).not.toHaveProperty('known');
  });

  test('is stale only where its check is gone', () => {
    const stale = (exists: boolean) =>
      evaluateBaseline(baseline, exists ? [row('pass')] : [], { now: NOW, exists: () => exists }).stale;
    expect([stale(true), stale(false)]).toEqual([[], ['a/check']]);
  });
});

test('an entry that is not flaky is stale where its check passes, or warns', () => {
  for (const verdict of ['pass', 'warn', 'pass-alternative'] as const)
    expect(evaluateBaseline(['a/check'], [row(verdict)], { now: NOW, exists: () => true }).stale).toEqual(['a/check']);
  for (const verdict of ['fail', 'skip', 'error'] as const)
    expect(evaluateBaseline(['a/check'], [row(verdict)], { now: NOW, exists: () => true }).stale).toEqual([]);
});

test('an entry stays where another rule is broken in a situation that its own rules judge', () => {
  const rows = (brokenIn: string) => [
    { ...row('pass', 'BODY-3/media-type'), situations: ['create 415', 'update 415'] },
    { ...row('fail', 'BASE-3/code'), brokenIn: [brokenIn] },
  ];
  const stale = (brokenIn: string) =>
    evaluateBaseline(['bodies/media-type-family'], rows(brokenIn), { now: NOW, exists: () => true }).stale;
  expect([stale('update 415'), stale('get 404')]).toEqual([[], ['bodies/media-type-family']]);
});

test('a teardown that goes on is no failed clean-up, unless none of the run has ended', () => {
  const failed = [{ id: 'i', name: 'n', because: { kind: 'still-there' }, leaving: true }] as const;
  const exit = (created: number, deleted: number) =>
    evaluate([row('pass')], { cleanup: { created, deleted, failed } }).exit;
  expect([exit(3, 2), exit(3, 0)]).toEqual([0, 3]);
  // A run that made one or two deleted them at its end alone.
  expect([exit(1, 0), exit(2, 0)]).toEqual([0, 0]);
});
