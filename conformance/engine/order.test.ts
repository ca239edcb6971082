import { expect, test } from 'vitest';
import { checks } from '../checks/index.js';
import { needsControl } from '../deviations/live.js';
import { type BudgetOptions, budgetNamed, budgetOf } from './budget.js';
import { costOf, createExpectation, nextOf, planned, sightings } from './order.js';

const UNITS = checks.filter((check) => !needsControl(check));

/** What a budget does of the checks that a target with everything can be asked. */
function planOf(
  options: BudgetOptions,
  more: { lacks?: (need: string) => boolean; named?: boolean; ids?: string[] } = {},
) {
  const { lacks = () => false, named = false, ids } = more;
  const part = ids === undefined ? UNITS : UNITS.filter(({ id }) => ids.includes(id));
  const plan = planned(UNITS, { part, lacks, budget: budgetOf(options), runs: 1, named });
  const done = plan.order.filter((unit) => !unit.needs.some(lacks) && plan.beyond(unit, { sent: 0 }) === undefined);
  const why = (id: string) => plan.beyond(UNITS.find((unit) => unit.id === id) ?? (UNITS[0] as never), { sent: 0 });
  return { done: done.map(({ id }) => id), why, plan };
}
/** How many deviations checks are expected to see. */
function seen(ids: readonly string[]): number {
  const expectation = createExpectation();
  for (const id of ids) expectation.add(id);
  return expectation.all();
}

test('a larger budget sees all that a smaller one does, and more', () => {
  const [quick, usual, thorough] = (['quick', 'default', 'thorough'] as const).map((budget) => planOf({ budget }).done);
  expect(seen([...(usual ?? []), ...(quick ?? [])])).toBeLessThan(seen(usual ?? []) + 1);
  expect(thorough?.length).toBe(UNITS.length);
  expect(seen(quick ?? [])).toBeGreaterThan(seen(thorough ?? []) / 3);
  expect(seen(usual ?? [])).toBeGreaterThan(seen(thorough ?? []) * 0.94);
});

test('the first checks of a run see more for each request than the last', () => {
  const { done } = planOf({ budget: 'default' });
  const worth = (ids: readonly string[]) => seen(ids) / ids.reduce((sum, id) => sum + (costOf(id)?.requests ?? 0), 0);
  expect(worth(done.slice(0, 40))).toBeGreaterThan(2 * worth(done));
});

test('a run does nothing published whose sightings others of the run have together', () => {
  const { done } = planOf({ budget: 'default' });
  const looking = done.filter((id) => (sightings(id) ?? []).length > 0);
  const alone = (id: string) => seen(looking) > seen(looking.filter((one) => one !== id)) + 0.029;
  const unitOf = (id: string) => UNITS.find((unit) => unit.id === id);
  // But for what looks alone at its requirement.
  const needless = looking.filter(
    (id) =>
      unitOf(id)?.level === 'P' &&
      !alone(id) &&
      done.some((other) => other !== id && unitOf(other)?.requirement === unitOf(id)?.requirement),
  );
  expect(needless).toEqual([]);
});

test('what is left out says which budget it is beyond', () => {
  const { done, why } = planOf({ budget: 'quick' });
  const left = UNITS.find(({ id }) => !done.includes(id))?.id ?? '';
  expect(why(left)).toEqual({ kind: 'budget', how: 'spent', budget: 'quick', requests: 150 });
});

test('what others see is left out of a default run alone, and not where it was named', () => {
  const lacks = (need: string) => /_(key|token)$/.test(need);
  const repeats = ({ why }: ReturnType<typeof planOf>) =>
    UNITS.filter(({ id }) => {
      const because = why(id);
      return because?.kind === 'budget' && because.how === 'repeats';
    });
  const usual = planOf({}, { lacks });
  expect(repeats(usual).length).toBeGreaterThan(5);
  expect(repeats(planOf({}, { lacks, named: true }))).toEqual([]);
  expect(repeats(planOf({ budget: 'thorough' }, { lacks }))).toEqual([]);
});

test('a number of requests alone takes the place of the default, and the smaller of two holds', () => {
  expect(budgetOf({ maxRequests: 2_000 })).toEqual({ name: 'default', requests: 2_000, hard: true });
  expect(budgetOf({ budget: 'quick', maxRequests: 2_000 }).requests).toBe(150);
  expect(budgetOf({ budget: 'thorough', maxRequests: 2_000 }).requests).toBe(2_000);
  expect(planOf({ maxRequests: 60 }).done.length).toBeLessThan(planOf({ maxRequests: 120 }).done.length);
});

test('shards together do what one run does', () => {
  const whole = planOf({ budget: 'default' });
  const parts = [0, 1, 2].map((at) => UNITS.filter((_, index) => index % 3 === at).map(({ id }) => id));
  const done = parts.map((ids) => planOf({ budget: 'default' }, { ids }));
  expect(done.flatMap((part) => part.done).sort()).toEqual([...whole.done].sort());
});

test('a unit for which what was sent and what the clean-up will send leave no room is left out', () => {
  for (const options of [{ maxRequests: 900 }, { budget: 'default' }] as const) {
    const { plan } = planOf(options);
    const [first] = plan.order;
    if (first === undefined) throw new Error('no checks');
    expect(plan.beyond(first, { sent: 0 })).toBeUndefined();
    expect(plan.beyond(first, { sent: 900 })).toMatchObject({ kind: 'budget', how: 'spent' });
    // A number that was given is that of the run without its clean-up.
    expect(plan.beyond(first, { sent: 800, owed: 100 })?.kind).toBe('maxRequests' in options ? undefined : 'budget');
  }
});

test('what looks at what the others met is done however much those sent', () => {
  const { plan } = planOf({ budget: 'default' });
  const last = plan.order.find(({ id }) => id === 'limiter/as-met');
  expect(last && plan.beyond(last, { sent: 1_000 })).toBeUndefined();
});

test('what needs a caller over the limit goes before all others once one is, and in its place where none is', () => {
  const waiting = ['get/record-form', 'chat-stream/as-it-is-said', 'limiter/invoke-as-met'].map((id) => ({ id }));
  expect(nextOf(waiting, () => false)).toBe(0);
  expect(nextOf(waiting, () => true)).toBe(2);
  expect(nextOf(waiting.slice(0, 2), () => true)).toBe(0);
});

test('what a check always sees is expected once of two that see it', () => {
  const [often] = UNITS.filter(({ id }) => (sightings(id) ?? []).some(([, chance]) => chance === 1));
  const id = often?.id ?? '';
  const expectation = createExpectation();
  const alone = expectation.more(id);
  expectation.add(id);
  expect(expectation.more(id)).toBe(0);
  expectation.remove(id);
  expect(expectation.more(id)).toBe(alone);
});

test('a budget of another name is refused with those that there are', () => {
  expect(() => budgetNamed('fast')).toThrow('--budget: expected quick, default or thorough, got "fast"');
});
