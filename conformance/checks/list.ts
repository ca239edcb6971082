import fc from 'fast-check';
import type { Intern } from '../../emulator/contract/intern.js';
import { BAD_STATUSES, badStatusFilter, statusFilter } from '../arbitraries/status-filter.js';
import { equal, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { refuses } from '../helpers/refuses.js';

const BAD_QUERY = { status: 400, message: 'Invalid list query', reason: 'invalid_body', retryable: false } as const;

const LISTED = { of: 'the list with', as: BAD_QUERY };

/** The interns of a check, in the order of the list. */
const of = (data: readonly Intern[], ids: readonly string[]) =>
  data.map(({ id }) => id).filter((id) => ids.includes(id));

/** Makes an intern in each status that can be reached. Statuses by id. */
async function inEveryStatus({ interns, api, control }: Ctx): Promise<Map<string, string>> {
  const fails = await control.script({ lifecycle: { boot: { ends: 'failed', message: 'no disk' } } });
  const slow = await control.script({ lifecycle: { boot: { ends: 'hangs' }, teardown: { after: '3s' } } });
  const kept = await control.script({ lifecycle: { teardown: { ends: 'workspace_archive_failed' } } });
  const failed = await interns.stopped({ instructions: `script: ${fails}` });
  const booting = await interns.stopped({ instructions: `script: ${slow}` });
  const unkept = await interns.stopped({ instructions: `script: ${kept}` });
  const leaving = await interns.stopped({ instructions: `script: ${slow}` });
  const running = await interns.running();
  const stopped = await interns.stopped();
  for (const { id } of [failed, booting]) expect.status(await api.provision(id), 202, 'a provision');
  expect.status(await api.remove(unkept.id), 202, 'a delete whose archive fails');
  await interns.until(failed.id, ['failed']);
  await interns.until(unkept.id, ['destroy_failed']);
  await interns.until(booting.id, ['provisioning']);
  expect.status(await api.remove(leaving.id), 202, 'a delete that takes its time');
  const all = new Map<string, string>();
  for (const { id } of [failed, booting, unkept, leaving, running, stopped]) {
    all.set(id, expect.intern(await api.get(id), 200, 'the read').status);
  }
  return all;
}

export const LIST = checksOf('LIST-2', {
  'list/agrees-with-reads': {
    requirement: 'LIST-1',
    fresh: true,
    title: 'An intern is listed as it is read, after updates too, and an update does not move it.',
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
          const data = await ctx.listed('the list', { having: order });
          ctx.newestFirst(of(data, order), made, 'the list of interns');
          const read = expect.intern(await api.get(id), 200, 'the read');
          // What a list shows of an intern may be less than the record.
          const entry = { ...read, ...data.find((intern) => intern.id === id) };
          ctx.same(entry, read, 'the record in the list against the read');
        },
      );
    },
  },
  'list/foreign-workspace-404': {
    level: 'C',
    fresh: true,
    title: "A workspace that is not the key's is 404, an unknown one too.",
    needs: ['control', 'foreign_workspace'],
    async run({ api, target, interns }) {
      for (const id of [target.foreignWorkspaceId ?? '', interns.unknownId()]) {
        const answer = await api.list({ workspace_id: id });
        expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, 'the list of another workspace');
      }
    },
  },
  'list/by-status': {
    fresh: true,
    title: 'Filtered by statuses the list is the part of the whole that has one of them, in the same order.',
    needs: ['control', 'running'],
    maxRuns: 60,
    async run(ctx) {
      const all = await inEveryStatus(ctx);
      const seen = new Set(all.values());
      for (const status of ['failed', 'destroy_failed', 'running', 'stopped', 'destroying']) {
        ok(seen.has(status), 'statuses of the interns', status, [...seen]);
      }
      await ctx.property('filters', statusFilter(), async (wanted) => {
        const whole = expect.page(await ctx.api.list(), 'the list').data;
        const part = expect.page(await ctx.api.list({ status: wanted.join(',') }), 'the filtered list').data;
        for (const id of all.keys()) {
          ok(
            whole.some((intern) => intern.id === id),
            'the list',
            `an intern that is ${all.get(id)}`,
            whole.length,
          );
        }
        equal(
          part.map(({ id }) => id),
          whole.filter(({ status }) => wanted.includes(status)).map(({ id }) => id),
          `interns listed with status ${wanted.join(',')}`,
        );
      });
    },
  },
  'list/bad-status': {
    level: 'P',
    fresh: true,
    title: 'An unknown status, an empty one, and more than eight entries as sent are 400.',
    needs: [],
    run: (ctx) =>
      refuses(ctx, {
        ...LISTED,
        twins: ['running,stopped'],
        wrong: BAD_STATUSES,
        more: badStatusFilter(),
        send: (status) => ctx.api.list({ status }),
      }),
  },
  'list/bad-limit': {
    requirement: 'LIST-3',
    fresh: true,
    title: 'limit is 1 to 500; 0, 501, and what is no whole number are 400 `Invalid list query`.',
    needs: [],
    run: (ctx) =>
      refuses<string | number>(ctx, {
        ...LISTED,
        twins: [1, 500],
        wrong: ['0', '501', '-1', '1.5', 'abc', '', 'NaN', '1e9', 'null', '10,20'],
        more: fc.oneof(fc.integer({ min: 501 }), fc.integer({ max: 0 })),
        send: (limit) => ctx.api.list({ limit }),
      }),
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
