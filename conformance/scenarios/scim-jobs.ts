import { equal, match, notEqual, ok, oneOf, TIMESTAMP, UUID } from '../model/assert.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { allOf, ask, entryOf, GROUPS, JOBS, NOT_FOUND } from './steps/directory.js';

const FIELDS = [
  'created_at',
  'deleted_groups',
  'error_message',
  'finished_at',
  'id',
  'started_at',
  'status',
  'synced_groups',
];
/** How often a sync is looked at, and how often of those soon after another. */
const LOOKS = 20;
const MOMENT = 2_000;
const QUICK_LOOKS = 8;
/** ms that a read may lag. */
const LATE_READ = 400;
const ORDER = ['queued', 'running', 'succeeded'];
// A sync cannot be undone, and changes the directory of others. It needs a target without other users, or leave.
const NEEDS = ['control', 'disposable', 'clock', 'management_key'] as const;

const start = async (ctx: Ctx) => entryOf(await ask(ctx, 'POST', JOBS), 'the start of a sync');
const read = async (ctx: Ctx, id: unknown) => entryOf(await ask(ctx, 'GET', `${JOBS}/${id}`), 'the read of a sync');
const OVER = ['succeeded', 'failed'];
/** Starts a sync, once the one that another start was answered with is over. */
async function begun(ctx: Ctx) {
  for (let looks = 0; ; looks++) {
    const answer = await ask(ctx, 'POST', JOBS);
    expect.status(answer, 202, 'the start of a sync');
    const job = entryOf(answer, 'the start of a sync');
    if (job.status === 'queued') return job;
    ctx.assume(looks < 3, 'a sync that begins', 'another goes on', job.status);
    for (let look = 0; look < LOOKS && !OVER.includes(String((await read(ctx, job.id)).status)); look++)
      await ctx.wait(MOMENT);
  }
}
/** Lets a sync that another check left come to its end. */
const idle = (ctx: Ctx) => ctx.clock.advance(10_000);

export const SCIM_JOBS = checksOf('SCIM-7', {
  'scim/job': {
    title: 'A sync is accepted with 202 and goes from queued to running to succeeded; counts are null until then.',
    needs: ['write', 'management_key', 'scim_sync'],
    async run(ctx) {
      let job = await begun(ctx);
      const { id } = job;
      match(id, UUID, 'id of a sync');
      const reached = () => ORDER.indexOf(String(job.status));
      let queuedFor = -1;
      let waited = 0;
      for (let looks = 0; looks < LOOKS && job.status !== 'succeeded'; looks++) {
        equal(Object.keys(job).sort(), FIELDS, 'fields of a sync');
        const { synced_groups, deleted_groups, error_message, finished_at } = job;
        const open = { synced_groups, deleted_groups, error_message, finished_at };
        const none = { synced_groups: null, deleted_groups: null, error_message: null, finished_at: null };
        equal(open, none, 'what is null until the end of a sync');
        equal(job.started_at === null, job.status === 'queued', 'started_at null while it is queued');
        if (job.status === 'queued') queuedFor = waited;
        const [before, pause] = [reached(), looks < QUICK_LOOKS ? 500 : MOMENT];
        await ctx.wait(pause);
        waited += pause;
        job = await read(ctx, id);
        // Of one that fails nothing is known but that it may.
        ctx.assume(job.status !== 'failed', 'a sync that succeeds', 'it failed', job.error_message);
        oneOf(job.status, ORDER, 'status of a sync');
        ok(reached() >= before, 'status of a sync', 'the same or a later one', job.status);
      }
      ctx.assume(job.status === 'succeeded', 'a sync that is over soon', 'it goes on', job.status);
      equal(Object.keys(job).sort(), FIELDS, 'fields of a sync that is over');
      for (const key of ['created_at', 'started_at', 'finished_at']) match(job[key], TIMESTAMP, `${key} of a sync`);
      // By the clock of the target alone: a read some time after the start showed what was true then, or a moment before.
      const started = Date.parse(String(job.started_at)) - Date.parse(String(job.created_at));
      ok(
        started + LATE_READ > queuedFor,
        'ms from the start of a sync until it ran',
        `over ${queuedFor}, as it was read as queued then`,
        started,
      );
      for (const key of ['synced_groups', 'deleted_groups'])
        ok(Number.isSafeInteger(job[key]) && Number(job[key]) >= 0, `${key} of a sync`, 'a count', job[key]);
      equal(job.error_message, null, 'error_message of a sync that succeeded');
    },
  },
  'scim/job-unknown': {
    title: 'An unknown sync is 404.',
    needs: ['management_key'],
    async run(ctx) {
      const answer = await ask(ctx, 'GET', `${JOBS}/${ctx.interns.unknownId()}`);
      expect.error(answer, NOT_FOUND, 'the read of an unknown sync');
    },
  },
  'scim/job-once': {
    level: 'C',
    title: 'While a sync goes on, another start answers with that sync, and with its Location. A body is ignored.',
    needs: NEEDS,
    async run(ctx) {
      await idle(ctx);
      const first = await start(ctx);
      for (const json of [undefined, { full: true }, 'anything']) {
        const answer = await ask(ctx, 'POST', JOBS, json);
        equal(entryOf(answer, 'another start').id, first.id, 'id of another start');
        const location = answer.headers.get('location') ?? '';
        ok(location.endsWith(`/api/v1${JOBS}/${first.id}`), 'Location', 'the path of the sync', location);
      }
      await idle(ctx);
      notEqual((await start(ctx)).id, first.id, 'id of a start after the end');
      await idle(ctx);
    },
  },
  'scim/job-time': {
    level: 'C',
    title: 'A sync is queued for a second and runs for one, by the clock, and counts the groups of the organization.',
    needs: NEEDS,
    async run(ctx) {
      await idle(ctx);
      const { id } = await start(ctx);
      const seen: unknown[] = [];
      for (const ms of [999, 1, 999, 1]) {
        await ctx.clock.advance(ms);
        seen.push((await read(ctx, id)).status);
      }
      equal(seen, ['queued', 'running', 'running', 'succeeded'], 'statuses of a sync, as time passes');
      const { synced_groups, deleted_groups } = await read(ctx, id);
      equal([synced_groups, deleted_groups], [(await allOf(ctx, GROUPS)).length, 0], 'counts of a sync');
    },
  },
  'scim/job-fails': {
    level: 'C',
    title: 'A setting makes only the next sync fail, with a message that stays, and null counts.',
    needs: NEEDS,
    async run(ctx) {
      const messages: unknown[] = [];
      for (let round = 0; round < 2; round++) {
        await idle(ctx);
        await ctx.control.settings({ scim_sync: 'fails' });
        const { id } = await start(ctx);
        await idle(ctx);
        const job = await read(ctx, id);
        const { status, synced_groups, deleted_groups } = job;
        equal(
          [status, synced_groups, deleted_groups],
          ['failed', null, null],
          'status and counts of a sync that fails',
        );
        match(job.error_message, /./, 'error_message');
        match(job.finished_at, TIMESTAMP, 'finished_at');
        messages.push(job.error_message);
      }
      equal(messages[1], messages[0], 'error_message of the next one');
      const { id } = await start(ctx);
      await idle(ctx);
      equal((await read(ctx, id)).status, 'succeeded', 'status of the sync after it');
    },
  },
});
