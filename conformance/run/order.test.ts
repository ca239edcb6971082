import { expect, test } from 'vitest';
import { systemHost } from '../probe/time.js';
import { checks } from '../scenarios/index.js';
import { ruleOf } from './check.js';
import { budgetNamed, createEnding, isCutShort, limitsOf } from './limits.js';
import { AFTER_OTHERS, inOrder, nextOf, prompts } from './runner.js';
import { chosenOf } from './select.js';

const deployed = (need: string) => ['control', 'clock', 'disposable'].includes(need) || need.startsWith('slow:');
const units = checks.map((check) => ({
  ...check,
  watches: ruleOf(check) !== undefined,
  needs: check.level === 'C' ? (['control', ...check.needs] as const) : check.needs,
}));
const order = inOrder(units, deployed);
const place = new Map(order.map(({ id }, at) => [id, at]));
const at = (id: string) => place.get(id) ?? Number.NaN;

test('every check has a place, the first rows and streams come first, rules last', () => {
  expect(new Set(order).size).toBe(checks.length);
  expect(['rows/first', 'chat-stream/as-it-is-said'].map(at)).toEqual([0, 1]);
  expect(at('chat-steering/steered')).toBeLessThan(at('rows/interface'));
  expect(at('rows/interface')).toBeLessThan(at('auth/key-exact'));
  const usual = order.filter(({ watches }) => !watches).map(({ id }) => id);
  expect(usual.slice(-AFTER_OTHERS.length).sort()).toEqual(AFTER_OTHERS.toSorted());
});

test('rules bring along what sends requests for them, and an empty selection brings nothing', () => {
  const both = [
    { id: 'rows/some', requirement: 'BODY-4', level: 'S', feeds: true },
    { id: 'LIST-1/some-rule', requirement: 'LIST-1', level: 'S', watches: true },
  ] as const;
  const chosen = (selection: Parameters<typeof chosenOf>[1]) => chosenOf(both, selection).map(({ id }) => id);
  expect(chosen({ only: ['LIST-1/some-rule'] })).toEqual(['rows/some', 'LIST-1/some-rule']);
  expect(chosen({ skip: ['*'] })).toEqual([]);
});

/** The checks that a deployment can be asked, but for those that have a place of their own. */
const ranked = order.filter(
  ({ id, needs, watches }) =>
    !watches && !needs.some(deployed) && !AFTER_OTHERS.includes(id) && !id.startsWith('rows/'),
);

test('what the target lacks something for comes after all that it can be asked', () => {
  const lacking = order.filter(({ needs, watches }) => !watches && needs.some(deployed));
  expect(Math.min(...lacking.map(({ id }) => at(id)))).toBeGreaterThan(Math.max(...ranked.map(({ id }) => at(id))));
});

test('what is stated comes before what is published', () => {
  const levels = ranked.slice(1).map(({ level }) => 'SPC'.indexOf(level));
  expect(levels).toEqual(levels.toSorted());
});

test('one of each requirement comes before the second of any, the cheap one first', () => {
  const dear = ({ needs }: (typeof order)[number]) => (prompts({ needs }) ? 2 : needs.includes('running') ? 1 : 0);
  const placed = new Set(
    order
      .filter((one) => one.watches !== true && !ranked.slice(1).includes(one) && !one.needs.some(deployed))
      .map(({ requirement }) => requirement),
  );
  const stated = ranked.filter(({ level, requirement }) => level === 'S' && !placed.has(requirement));
  expect(stated.length).toBeGreaterThan(45);
  const seen = new Map<string, typeof stated>();
  let round = 1;
  for (const one of stated) {
    const before = seen.get(one.requirement) ?? [];
    expect(before.length + 1).toBeGreaterThanOrEqual(round);
    round = Math.max(round, before.length + 1);
    seen.set(one.requirement, [...before, one]);
  }
  for (const of of seen.values()) {
    const costs = of.map(dear);
    expect(costs).toEqual(costs.toSorted());
  }
});

test('reads, writes, boots and prompts come in turn', () => {
  const first = ranked.slice(0, 40);
  expect(first.filter(prompts).length).toBeGreaterThan(3);
  expect(first.filter(({ needs }) => needs.includes('write')).length).toBeGreaterThan(8);
});

test('a number that was given takes the place of the one that the budget has', () => {
  const deployed = { free: false };
  expect(limitsOf({}, deployed)).toEqual({
    prompts: { most: 150, stop: { kind: 'prompts', most: 150, budget: 'default' } },
    time: { most: 300_000, stop: { kind: 'time', ms: 300_000, budget: 'default' } },
    requests: { most: 3_000, stop: { kind: 'requests', most: 3_000, budget: 'default' } },
  });
  const quick = limitsOf({ budget: 'quick', maxRequests: 40 }, deployed);
  expect([quick.prompts.most, quick.time.most, quick.requests]).toEqual([
    20,
    30_000,
    { most: 40, stop: { kind: 'requests', most: 40 } },
  ]);
  expect(limitsOf({ budget: 'thorough' }, deployed).requests.most).toBe(Number.POSITIVE_INFINITY);
  expect(limitsOf({}, { free: true }).prompts.most).toBe(Number.POSITIVE_INFINITY);
});

test('shards share what a budget has, and not what is given to each', () => {
  expect(limitsOf({}, { free: false, shards: 4 }).prompts.most).toBe(37);
  expect(limitsOf({ maxPrompts: 8 }, { free: false, shards: 4 }).prompts.most).toBe(8);
});

test.each([
  ['at the default rate', {}, 5, true],
  ['for longer', { maxTime: 720_000 }, 5, false],
  ['at 20 a second', {}, 20, false],
  ['without a rate', {}, 0, false],
  ['with fewer requests', { maxRequests: 500 }, 20, true],
  ['without limits', { budget: 'thorough' }, 1, false],
] as const)('a run is cut short or not: %s', (_, options, rate, expected) => {
  expect(isCutShort(limitsOf(options, { free: false }), rate)).toBe(expected);
});

test('no request is let in beyond the limit, what the clean-up owes kept, and no prompt that could be taken', () => {
  let owed = 0;
  const limits = limitsOf({ maxRequests: 20, maxPrompts: 2, maxTime: Number.POSITIVE_INFINITY }, { free: false });
  const room = createEnding(systemHost, { limits });
  room.begin(() => ({ requests: owed, wait: 0, found: 0, pace: 0 }));
  const read = () => room.enter(false, 0);
  const prompt = () => room.enter(true, 0);
  prompt();
  prompt();
  expect(prompt).toThrow('"kind":"prompts","most":2');
  expect(room.without(true)).toEqual({ kind: 'prompts', most: 2 });
  expect(room.without(false)).toBeUndefined();
  room.refused();
  prompt();
  for (let sent = 3; sent < 10; sent++) read();
  expect(() => room.enter(false, 10)).toThrow('"kind":"requests"');
  owed = 10;
  expect(read).toThrow('"kind":"requests","most":20');
  expect(room.without(false)).toEqual({ kind: 'requests', most: 20 });
});

test('units under way take nothing of what second looks need', () => {
  let found = 0;
  const limits = limitsOf({ maxRequests: 2_000, maxTime: Number.POSITIVE_INFINITY }, { free: false });
  const room = createEnding(systemHost, { limits });
  room.begin(() => ({ requests: 0, wait: 0, found, pace: 0 }));
  const isLeft = (left: number) => {
    for (; sent < 2_000 - left; sent++) room.enter(false, 0);
    return room.without(false) === undefined;
  };
  let sent = 0;
  expect(isLeft(200)).toBe(true);
  found = 1;
  expect(isLeft(172 + 12)).toBe(true);
  expect(isLeft(172 + 11)).toBe(false);
});

test('while turns wait, what needs a caller over the limit goes first, then what takes no turn', () => {
  const ids = ['chat-stream/as-it-is-said', 'create/reads-back', 'limiter/invoke-as-met'];
  const waiting = ids.map((id) => ({ id, needs: id.startsWith('chat') ? (['behaviour:text'] as const) : [] }));
  expect(nextOf(waiting, () => false)).toBe(0);
  expect(nextOf(waiting, () => true)).toBe(2);
  expect(nextOf(waiting.slice(0, 2), () => true)).toBe(1);
  expect(nextOf(waiting.slice(0, 1), () => true)).toBe(0);
});

test('a budget of another name is refused with those that there are', () => {
  expect(() => budgetNamed('fast')).toThrow('--budget: expected quick, default or thorough, got "fast"');
});
