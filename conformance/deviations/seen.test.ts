import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withFigure, withSeen } from '../../scripts/seen-rows.js';
import { checks } from '../checks/index.js';
import { decidedBy } from '../requirements/views.js';
import { deviations } from './index.js';
import { BY_CONTROL, showsFrom } from './outside.js';
import { countSeen, GIVEN, isSeen, readMeasured } from './seen.js';

const measured = readMeasured();
const AGAIN = 'measure again: npm run deviations -- --live';

test('every deviation that shows from outside was measured, and nothing else', () => {
  const outside = deviations.filter((one) => showsFrom(one, checks).kind === 'outside').map(({ name }) => name);
  expect(Object.keys(measured.deviations), AGAIN).toEqual(outside);
});

test.each(GIVEN)('no fewer are seen than at the last landing (%s)', (given) => {
  expect(countSeen(measured, given)).toBeGreaterThanOrEqual(measured.atLeast[given]);
});

test('each is seen by a check that there is, or says why not', () => {
  const known = new Set(checks.map(({ id }) => id));
  const outcomes = Object.values(measured.deviations).flatMap((row) => GIVEN.map((given) => row[given]));
  expect(
    outcomes.filter((one) => (isSeen(one) ? !decidedBy(one.seen).every((id) => known.has(id)) : one.why === '')),
  ).toEqual([]);
});

test('a reason is given only for what no check can see without a control interface', () => {
  const stale = Object.keys(BY_CONTROL).filter((name) => {
    const row = measured.deviations[name];
    return row === undefined || isSeen(row.all);
  });
  expect(stale).toEqual([]);
});

test.each([
  ['docs/deviations.md', withSeen],
  ['docs/kit.md', withFigure],
] as const)('%s says what was measured: npm run docs', async (page, made) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  expect(await made(text)).toBe(text);
});
