import fc from 'fast-check';
import type { Intern } from '../../emulator/contract/intern.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { refuses } from '../helpers/refusals.js';

const BAD_QUERY = { status: 400, message: 'Invalid list query', reason: 'invalid_body', retryable: false } as const;

const LISTED = { of: 'the list with', as: BAD_QUERY };

/** The interns of a check, in the order of the list. */
const of = (data: readonly Intern[], ids: readonly string[]) =>
  data.map(({ id }) => id).filter((id) => ids.includes(id));

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
          // A list may show less of an intern than the record.
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
