import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Intern } from '../../emulator/contract/intern.js';
import { fakeHost } from '../../test/targets/fake-target.js';
import { Finding } from '../model/finding.js';
import { Skipped } from '../model/skip.js';
import type { Ctx } from './context.js';
import { createTolerance } from './create-context.js';
import type { RunContext } from './session.js';

/** The tolerance of a check, and the items that its properties drew, as a counterexample shows them. */
function on(kind: 'emulator' | 'deployment' | 'thorough') {
  const shown: string[] = [];
  const host = fakeHost();
  const pool = { accepted: new Set<string>() };
  const driver = kind === 'emulator' ? { control: {} } : {};
  const run = {
    pool,
    driver,
    session: { learnt: { plain: false } },
    settings: { thorough: kind === 'thorough', seed: 'one' },
    host,
  };
  const property = (async (_: string, ...args: unknown[]) => {
    const [arbitrary, look] = args as [fc.Arbitrary<unknown>, (item: unknown) => Promise<void>];
    const [item] = fc.sample(arbitrary, 1);
    shown.push(fc.stringify(item));
    await look(item);
  }) as Ctx['property'];
  const { signal } = new AbortController();
  const ctx: Partial<Ctx> = createTolerance(run as unknown as RunContext, {
    api: {} as Ctx['api'],
    property,
    random: () => 0.5,
    signal,
  });
  return { ctx: ctx as Ctx, shown, host };
}

/** The throw of an action: a finding, a skip, or nothing. */
function outcome(act: () => void): 'finding' | 'skip' | 'nothing' {
  try {
    act();
    return 'nothing';
  } catch (error) {
    if (error instanceof Finding) return 'finding';
    if (error instanceof Skipped) return 'skip';
    throw error;
  }
}

const intern = (more: object) => ({ id: 'a', name: 'n', status: 'stopped', ...more }) as unknown as Intern;
const finding = { what: 'kind', expected: 'one', actual: 'another' };

describe.each([
  ['assume', (ctx: Ctx) => ctx.assume(false, 'a need', 'a note'), 'nothing', 'skip'],
  ['unmet', (ctx: Ctx) => ctx.unmet('a need', 'a note'), 'skip', 'skip'],
  ['internDid', (ctx: Ctx) => ctx.internDid(false, { did: 'ask', finding }), 'finding', 'skip'],
  ['internDid without a finding', (ctx: Ctx) => ctx.internDid(false, { did: 'ask' }), 'nothing', 'skip'],
  ['undisturbed', (ctx: Ctx) => ctx.undisturbed(false, 'status', 'running', 'stopped'), 'finding', 'skip'],
  ['same, of another field', (ctx: Ctx) => ctx.same(intern({ more: 1 }), intern({}), 'records'), 'finding', 'nothing'],
  ['same, of a setting', (ctx: Ctx) => ctx.same(intern({ name: 'm' }), intern({}), 'records'), 'finding', 'finding'],
] as const)('%s, where it does not hold', (_, act, emulator, deployment) => {
  test(`is on an emulator: ${emulator}`, () => {
    expect(outcome(() => act(on('emulator').ctx))).toBe(emulator);
  });
  test(`is on a deployment: ${deployment}`, () => {
    expect(outcome(() => act(on('deployment').ctx))).toBe(deployment);
  });
});

test.each([
  ['emulator', 3],
  ['deployment', 2],
] as const)(
  'what is accepted on an %s is asked for %d times of three: once it was accepted where that costs',
  async (kind, times) => {
    const { ctx } = on(kind);
    let asked = 0;
    const refusedOnce = async () => {
      if (++asked === 1)
        throw new Finding({ wanted: { kind: 'effect', words: 'one' }, got: 'another', of: 'a create' });
    };
    await expect(ctx.twin('create', refusedOnce)).rejects.toThrow(Finding);
    await ctx.twin('create', refusedOnce);
    await ctx.twin('create', refusedOnce);
    expect(asked).toBe(times);
    await ctx.twin('sign', refusedOnce);
    expect(asked).toBe(times + 1);
  },
);

test('what costs is done in full on an emulator, and in part on a deployment', async () => {
  const items = [{ name: 'get' }, { name: 'list' }, { name: 'update' }];
  const looked = async (kind: 'emulator' | 'deployment' | 'thorough') => {
    const { ctx, shown } = on(kind);
    let looks = 0;
    await ctx.each('items', items, async () => void looks++);
    const sampled = [ctx.sample(items), ctx.sample(items, 2), ctx.sample(items, 9)].map((some) => new Set(some).size);
    return { looks, sampled, most: ctx.upTo(8, 3), named: shown.every((name) => /^(get|list|update)$/.test(name)) };
  };
  expect(await looked('emulator')).toEqual({ looks: 3, sampled: [3, 3, 3], most: 8, named: true });
  expect(await looked('deployment')).toEqual({ looks: 1, sampled: [1, 2, 3], most: 3, named: true });
  expect(await looked('thorough')).toMatchObject({ sampled: [3, 3, 3] });
});

test('an item without a name is shown as it is', async () => {
  const { ctx, shown } = on('deployment');
  await ctx.each('types', ['text/plain'], async () => {});
  expect(shown).toEqual(['"text/plain"']);
});

test('what may be late is read once on an emulator, and until it holds on a deployment', async () => {
  const read = () => {
    let reads = 0;
    return async () => ++reads;
  };
  expect(await on('emulator').ctx.eventually(read(), (value) => value === 3, 5_000)).toBe(1);
  const { ctx, host } = on('deployment');
  expect(await ctx.eventually(read(), (value) => value === 3, 5_000)).toBe(3);
  expect(host.slept).toEqual([1_000, 1_000]);
  expect(await ctx.eventually(read(), () => false, 3_000)).toBe(4);
});

describe('the order of a list', () => {
  const made = ['b', 'a'].map((id) => ({ id, created_at: '2026-01-01T00:00:00.000Z' }));
  const inOrder = (kind: 'emulator' | 'deployment', found: string[]) =>
    outcome(() => on(kind).ctx.newestFirst(found, made, 'the list'));

  test('is that of creation on an emulator, and as far as times tell on a deployment', () => {
    expect([inOrder('emulator', ['b', 'a']), inOrder('deployment', ['b', 'a'])]).toEqual(['nothing', 'nothing']);
    expect([inOrder('emulator', ['a', 'b']), inOrder('deployment', ['a', 'b'])]).toEqual(['finding', 'nothing']);
  });

  test.each([[['b']], [['b', 'a', 'a']]])('has each intern once: %j', (found) => {
    expect([inOrder('emulator', found), inOrder('deployment', found)]).toEqual(['finding', 'finding']);
  });
});

test('texts are any on an emulator, and readable ones on a deployment', () => {
  const odd = (kind: 'emulator' | 'deployment') =>
    fc
      .sample(on(kind).ctx.texts({ maxLength: 20 }), { numRuns: 300, seed: 1 })
      .filter((text) => text !== text.trim() || text === '');
  expect(odd('emulator')).not.toEqual([]);
  expect(odd('deployment')).toEqual([]);
});
