import fc from 'fast-check';
import type { Intern } from '../../emulator/contract/intern.js';
import { equal, ok } from '../model/assert.js';
import type { Send } from '../probe/request.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { refuses } from './steps/refusals.js';

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

const BAD_QUERY = { status: 400, message: 'Invalid list query', reason: 'invalid_body', retryable: false } as const;

const LISTED = { of: 'the list with', as: BAD_QUERY };

/** The interns of a check, in the order of the list. */
const of = (data: readonly Intern[], ids: readonly string[]) =>
  data.map(({ id }) => id).filter((id) => ids.includes(id));

/** Pages in which an intern is looked for. */
const PAGES = 5;

export const PAGING = checksOf('LIST-3', {
  'list/pages-exact-end': {
    level: 'C',
    fresh: true,
    title: 'A page that ends with the last intern has no next page, even if it is full.',
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
  'list/cursor-holds-its-place': {
    fresh: true,
    title: 'A create between two pages moves no intern of the first page into the second.',
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
  'list/cursor-of-the-gone': {
    fresh: true,
    title: 'After the deletion of the intern at a cursor, the next page continues at the same place.',
    needs: ['write'],
    async run(ctx) {
      const [newest, older] = await ctx.interns.inOrder(2);
      if (newest === undefined || older === undefined) return;
      const query = { status: [...new Set([newest.status, older.status])].join(',') };
      let first = await pageOf(ctx, query, 1);
      // Others may have made newer ones.
      for (let page = 0; page < PAGES && first.next !== undefined && !first.ids.includes(newest.id); page++)
        first = await pageOf(ctx, { ...query, starting_after: first.next }, 1);
      const stands = first.next !== undefined && first.ids.includes(newest.id);
      ctx.assume(stands, 'a page that ends with an intern of the run');
      if (!stands) return;
      expect.status(await ctx.api.remove(newest.id), expect.ACCEPTED, 'the delete');
      await ctx.interns.untilGone(newest.id);
      const behind: string[] = [];
      // A page may be shorter than its limit. Others may have made interns in between.
      for (let next = first.next, page = 0; next !== undefined && !behind.includes(older.id); page++) {
        if (page === PAGES) return;
        const { ids, next: further } = await pageOf(ctx, { ...query, starting_after: next }, 1);
        behind.push(...ids);
        next = further;
      }
      ok(behind.includes(older.id), 'the list behind an intern that is gone', 'the intern before it', behind);
    },
  },
  'list/filtered-status-changes-between-pages': {
    fresh: true,
    title: 'After the intern at a cursor has left the filter or is gone, the next page continues at the same place.',
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
  'list/agrees-with-reads': {
    requirement: 'LIST-1',
    fresh: true,
    title: 'A list shows an intern as a read does, even after updates. An update does not move it.',
    needs: ['write'],
    maxRuns: 20,
    async run(ctx) {
      const { api, property } = ctx;
      const made = await ctx.interns.inOrder(3);
      const order = made.map(({ id }) => id);
      // Times of creation may be kept in whole seconds: the oldest of them is surely older.
      await ctx.wait(ctx.upTo(0, 1_000));
      // An update of the newest cannot move it.
      await property(
        'updates',
        fc.integer({ min: ctx.upTo(1, 2), max: 2 }),
        ctx.texts({ maxLength: 20 }),
        async (which, description) => {
          const id = made[which]?.id ?? '';
          expect.status(await api.update(id, { description }), expect.ACCEPTED, 'the update');
          const look = async () => {
            const data = await ctx.listed('the list', { having: order });
            ctx.newestFirst(of(data, order), made, 'the list of interns');
            const read = expect.intern(await api.get(id), 200, 'the read');
            // A list may show less of an intern than the record.
            return { read, entry: { ...read, ...data.find((intern) => intern.id === id) } };
          };
          // It may show an update later than the record.
          const { entry, read } = await ctx.eventually(
            look,
            (shown) => shown.entry.description === shown.read.description,
          );
          ctx.same(entry, read, 'the record in the list against the read');
        },
      );
    },
  },
  'list/foreign-workspace-404': {
    requirement: 'LIST-2',
    level: 'C',
    fresh: true,
    title: "Another workspace than the key's is 404, even an unknown one.",
    needs: ['control', 'foreign_workspace'],
    async run({ api, target, interns }) {
      for (const id of [target.foreignWorkspaceId ?? '', interns.unknownId()]) {
        const answer = await api.list({ workspace_id: id });
        expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, 'the list of another workspace');
      }
    },
  },
  'list/bad-cursor': {
    requirement: 'LIST-3',
    fresh: true,
    title: 'A text that is not a cursor is 400 `Invalid list query`, invalid_body.',
    needs: [],
    run: (ctx) =>
      refuses<string | undefined>(ctx, {
        ...LISTED,
        twins: [undefined],
        wrong: ['!', 'not a cursor', '%%%', '{}', '…', 'null', '-1', 'a b', '\u0000', '=', '=='],
        send: (after) => ctx.api.list({ limit: 1, ...(after === undefined ? {} : { starting_after: after }) }),
      }),
  },
});
