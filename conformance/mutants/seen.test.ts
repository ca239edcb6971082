import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withFigure, withSeen } from '../../scripts/seen-rows.js';
import { decidedBy } from '../requirements/views.js';
import { checks } from '../scenarios/index.js';
import { mutants } from './index.js';
import { BY_CONTROL, showsFrom } from './outside.js';
import { countSeen, GIVEN, isSeen, readMeasured } from './seen.js';

const measured = readMeasured();
const AGAIN = 'measure again: npm run mutants -- --live';

test('every mutant that shows from outside was measured, and nothing else', () => {
  const outside = mutants.filter((one) => showsFrom(one, checks).kind === 'outside').map(({ name }) => name);
  expect(Object.keys(measured.mutants), AGAIN).toEqual(outside);
});

test.each(GIVEN)('no fewer are seen than at the last landing (%s)', (given) => {
  expect(countSeen(measured, given)).toBeGreaterThanOrEqual(measured.atLeast[given]);
});

test('each is seen by a check that there is, or says why not', () => {
  const known = new Set(checks.map(({ id }) => id));
  const outcomes = Object.values(measured.mutants).flatMap((row) => GIVEN.map((given) => row[given]));
  expect(
    outcomes.filter((one) => (isSeen(one) ? !decidedBy(one.seen).every((id) => known.has(id)) : one.why === '')),
  ).toEqual([]);
});

test('a reason is given only for what no check can see without a control interface', () => {
  const stale = Object.keys(BY_CONTROL).filter((name) => {
    const row = measured.mutants[name];
    return row === undefined || isSeen(row.all);
  });
  expect(stale).toEqual([]);
});

test.each([
  ['docs/mutants.md', withSeen],
  ['docs/kit.md', withFigure],
] as const)('%s says what was measured: npm run docs', async (page, made) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  expect(await made(text)).toBe(text);
});
