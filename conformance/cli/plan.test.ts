import { expect, test } from 'vitest';
import { checks } from '../checks/index.js';
import { DEFAULT_PROMPTS } from '../drivers/live.js';
import { costOf, MEASURED_IDS } from '../engine/order.js';
import { behaviourIn, type Need, waitIn } from '../framework/needs.js';
import { totalsOf } from './plan.js';

test('every measured cost is that of a check, and of most that a deployment can be asked there is one', () => {
  const ids = new Set(checks.map(({ id }) => id));
  expect(MEASURED_IDS.filter((id) => !ids.has(id))).toEqual([]);
  const beyond = (need: Need) => {
    const behaviour = behaviourIn(need);
    if (behaviour !== undefined) return DEFAULT_PROMPTS[behaviour] === undefined;
    return ['control', 'clock', 'disposable', 'daemon'].includes(need) || (waitIn(need) ?? 0) > 35_000;
  };
  // Monitors send nothing.
  const possible = checks.filter(
    ({ level, needs, watch }) => watch === undefined && level !== 'C' && !needs.some(beyond),
  );
  const unmeasured = possible.filter(({ id }) => costOf(id) === undefined);
  expect(unmeasured.length).toBeLessThan(possible.length / 20);
});

test('a run costs what its checks do, the interns that are deleted after it, and no less time than its pace', () => {
  const one = totalsOf(['auth/authorization-forms'], 1);
  expect(one).toMatchObject({ prompts: 0, interns: 0, time: one.requests * 1_000 });
  const all = totalsOf(MEASURED_IDS, 0);
  expect(all.requests).toBeGreaterThan(1_000);
  expect(all.time).toBeGreaterThanOrEqual(all.prompts * 1_000);
  expect(totalsOf(MEASURED_IDS, 5).time).toBeGreaterThan(all.time);
});
