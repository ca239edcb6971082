import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { equal, fail, gist, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { Send } from '../probe/request.js';

/** The change between two pages. */
type Between = 'create' | 'delete' | 'update' | 'nothing';

interface Page {
  readonly ids: string[];
  readonly next: string | undefined;
}

async function pageOf({ api }: Ctx, query: Send['query'], limit: number): Promise<Page> {
  const answer = await api.list({ ...query, limit });
  const { data, has_more, next_cursor } = expect.page(answer, `a page with limit ${limit}`);
  ok(typeof has_more === 'boolean', 'has_more', 'true or false', has_more);
  ok(data.length <= limit, `entries of a page with limit ${limit}`, `at most ${limit}`, data.length);
  if (has_more) {
    ok(
      typeof next_cursor === 'string' && next_cursor !== '',
      'next_cursor of a page with more',
      'a cursor',
      next_cursor,
    );
    return { ids: data.map(({ id }) => id), next: next_cursor };
  }
  ok(!('next_cursor' in (answer.json as object)), 'the last page', 'no next_cursor', next_cursor);
  return { ids: data.map(({ id }) => id), next: undefined };
}

/** Reads pages until all of `last` were seen, or to the end. `between` runs before every further page. */
async function walk(
  ctx: Ctx,
  limit: number,
  last: string | readonly string[],
  between: (page: readonly string[]) => Promise<void> = async () => {},
  query: Send['query'] = {},
): Promise<string[]> {
  const seen: string[] = [];
  let next: string | undefined;
  let before: readonly string[] = [];
  for (let pages = 0; pages < 200; pages++) {
    const page = await pageOf(ctx, next === undefined ? query : { ...query, starting_after: next }, limit);
    if (page.ids.length > 0 && isDeepStrictEqual(page.ids, before))
      fail('a page of the list', 'what comes after the page before', gist('the same again', { limit, before }));
    before = page.ids;
    seen.push(...page.ids);
    if (page.next === undefined || [last].flat().every((id) => seen.includes(id))) return seen;
    if (page.next === next)
      fail('next_cursor of a page', 'where the list goes on', gist('the cursor that led to the page', { limit, next }));
    next = page.next;
    await between(page.ids);
  }
  return fail('pages of the list', 'an end', gist('no end after 200 pages', { limit }));
}

const counted = (seen: readonly string[], ids: readonly string[]) =>
  Object.fromEntries(ids.map((id) => [id, seen.filter((one) => one === id).length]));
const once = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, 1]));

export const PAGING = checksOf('LIST-3', {
  'list/pages-exact-end': {
    level: 'C',
    fresh: true,
    title: 'A page that ends with the last intern has no more, also when it is full.',
    needs: ['control', 'write'],
    async run(ctx) {
      for (let count = 0; count < 3; count++) await ctx.interns.stopped();
      const all = expect.page(await ctx.api.list({ status: 'stopped' }), 'the whole list').data.map(({ id }) => id);
      if (all.length > 200) return;
      for (const limit of [all.length, all.length + 1]) {
        const page = await pageOf(ctx, { status: 'stopped' }, limit);
        equal(page.ids, all, `a page with limit ${limit} of ${all.length} interns`);
        equal(page.next, undefined, `next_cursor with limit ${limit} of ${all.length} interns`);
      }
      const first = await pageOf(ctx, { status: 'stopped' }, all.length - 1);
      const rest = await pageOf(ctx, { status: 'stopped', starting_after: first.next ?? '' }, all.length - 1);
      equal(first.ids.length, all.length - 1, 'entries of a page that is not the last');
      equal([...first.ids, ...rest.ids], all, 'two pages');
    },
  },
  'list/pages-while-it-changes': {
    fresh: true,
    title: 'Interns that exist all the while come exactly once, while others are created and deleted between pages.',
    needs: ['control', 'clock', 'write'],
    maxRuns: 20,
    async run(ctx) {
      const { interns, api, property } = ctx;
      const between = fc.constantFrom<Between>('create', 'delete', 'delete', 'update', 'nothing');
      const steps = fc.array(between, { minLength: 1, maxLength: 6 });
      await property('changes', fc.integer({ min: 1, max: 3 }), steps, fc.nat(5), async (limit, changes, which) => {
        const made: string[] = [];
        for (let count = 0; count < 6; count++) made.unshift((await interns.stopped()).id);
        const oldest = made.at(-1) ?? '';
        const gone = new Set<string>();
        let step = 0;
        const seen = await walk(ctx, limit, oldest, async (page) => {
          const change = changes[step % changes.length];
          step++;
          if (change === 'create') await interns.stopped();
          if (change === 'update') await api.update(made[which] ?? oldest, { description: `step ${step}` });
          if (change !== 'delete') return;
          // A careless cursor loses the entry that it stands on.
          const at = page.at(-1);
          const victim = at !== undefined && made.includes(at) ? at : made[which];
          if (victim === undefined || victim === oldest || gone.has(victim)) return;
          expect.status(await api.remove(victim), expect.ACCEPTED, 'a delete between pages');
          await interns.untilGone(victim);
          gone.add(victim);
        });
        const stayed = made.filter((id) => !gone.has(id));
        equal(counted(seen, stayed), once(stayed), 'how often each intern that stayed came');
        const most = Math.max(...Object.values(counted(seen, made)));
        ok(most <= 1, 'how often an intern came', 'at most once', most);
      });
    },
  },
  'list/cursor-holds-its-place': {
    fresh: true,
    title: 'What is created between two pages moves nothing into the next one that was in the first.',
    needs: ['write'],
    async run(ctx) {
      const [newest] = await ctx.interns.inOrder(2);
      const firsts = [];
      for (const query of [{}, { status: newest?.status ?? '' }]) {
        const first = await pageOf(ctx, query, 1);
        ctx.assume(first.next !== undefined, 'a list of more than one page');
        firsts.push({ query, first });
      }
      await ctx.interns.stopped({});
      for (const { query, first } of firsts) {
        const second = await pageOf(ctx, { ...query, starting_after: first.next ?? '' }, 1);
        ok(!second.ids.some((id) => first.ids.includes(id)), 'the second page', 'nothing of the first', second.ids);
      }
    },
  },
  'list/filtered-status-changes-between-pages': {
    fresh: true,
    title: 'The intern that a cursor stands on may leave the filter or cease to be: the next page goes on behind it.',
    needs: ['control', 'running'],
    async run(ctx) {
      const { interns, api } = ctx;
      const made: string[] = [];
      for (let count = 0; count < 3; count++) made.unshift((await interns.running()).id);
      const first = await pageOf(ctx, { status: 'running' }, 1);
      equal(first.ids, [made[0]], 'the first page by status running');
      expect.status(await api.suspend(made[0] ?? ''), 200, 'the suspend of the intern that the cursor stands on');
      const second = await pageOf(ctx, { status: 'running', starting_after: first.next ?? '' }, 1);
      equal(second.ids, [made[1]], 'the page after it');
      expect.status(await api.remove(made[1] ?? ''), expect.ACCEPTED, 'the delete of the next');
      await interns.untilGone(made[1] ?? '');
      const third = await pageOf(ctx, { status: 'running', starting_after: second.next ?? '' }, 1);
      equal(third.ids, [made[2]], 'the page after the deleted one');
    },
  },
  'list/default-limit': {
    level: 'C',
    minRuns: 2,
    fresh: true,
    title: 'Without a limit a page holds 500 interns, and not one more.',
    needs: ['control', 'write'],
    async run(ctx) {
      const { api, interns } = ctx;
      const already = expect.page(await api.list({ limit: 500 }), 'the list').data.length;
      const missing = 501 - already;
      for (let count = 0; count < missing; count += 50) {
        await ctx.race(Math.min(50, missing - count), async () => {
          expect.status(await api.create(interns.body()), 201, 'a create');
        });
      }
      const page = expect.page(await api.list(), 'the list without a limit');
      equal(page.data.length, 500, 'entries of a page without a limit');
      equal(page.has_more, true, 'has_more with more than 500 interns');
      equal(expect.page(await api.list({ limit: 500 }), 'limit 500').data.length, 500, 'entries with limit 500');
    },
  },
});
