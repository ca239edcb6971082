import fc from 'fast-check';
import { equal, ok, oneOf } from '../model/assert.js';
import { untouched } from '../model/record.js';
import { heard, replyTo } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { asleep, onRunning, provisioned } from './steps/interns.js';

/** ms after which a list shows what a read shows. */
const SHOWN = 5_000;

const KEPT = ['id', 'name', 'description', 'instructions', 'model', 'workspace_id', 'vault_id', 'created_at'] as const;

export const SUSPEND = checksOf('SUSP-1', 'P', {
  'suspend/stops-and-resumes': {
    level: 'S',
    title: 'A suspended intern does not answer chat; provision resumes it with its configuration.',
    ...onRunning([], async (ctx, { id }) => {
      const { api, interns, chat } = ctx;
      const settings = { description: 'kept', instructions: 'Be kept.' };
      const intern = expect.intern(await api.update(id, settings), expect.ACCEPTED, 'an update');
      equal([intern.description, intern.instructions], Object.values(settings), 'the settings that must be kept');
      expect.done(await api.suspend(intern.id), 'the suspend');
      const suspended = await interns.untilSuspended(intern.id);
      await asleep(ctx, intern.id, await heard(await chat(intern.id, 'Hello.')), 'chat with a suspended intern');
      await provisioned(ctx, suspended);
      const resumed = await interns.until(intern.id, ['running']);
      for (const key of KEPT) equal(resumed[key], intern[key], `${key} after suspend and provision`);
      expect.finish(await (await chat(intern.id, 'Hello.')).end(), 'stop', 'chat after the provision');
    }),
  },
  'suspend/keeps-what-was-changed': {
    requirement: 'PROV-1',
    level: 'S',
    title: 'Settings from before and during a suspend are kept after the resume. The list shows the suspended intern.',
    needs: ['running'],
    maxRuns: 10,
    async run(ctx) {
      const { api, interns, property } = ctx;
      const some = ctx.texts({ minLength: 1, maxLength: 50 });
      await property('settings', some, some, async (description, instructions) => {
        const intern = await interns.running();
        expect.status(await api.update(intern.id, { description }), expect.ACCEPTED, 'an update while running');
        expect.done(await api.suspend(intern.id), 'the suspend');
        const stopped = await interns.untilSuspended(intern.id);
        equal(stopped.description, description, 'description after the suspend');
        const look = { having: [intern.id] };
        const shown = await ctx.eventually(
          async () => (await ctx.listed('the list', look)).find(({ id }) => id === intern.id)?.status ?? 'not listed',
          (status) => status === stopped.status,
          SHOWN,
        );
        equal(shown, stopped.status, 'status of the suspended intern in the list');
        const updated = await api.update(intern.id, { instructions });
        const then = expect.intern(updated, expect.ACCEPTED, 'an update while suspended');
        untouched(then.description, description, 'description', 'after an update of instructions');
        expect.done(await api.provision(intern.id), 'the provision');
        const resumed = await interns.until(intern.id, ['running']);
        equal(resumed.description, description, 'description after suspend and provision');
        equal(resumed.instructions, instructions, 'instructions after suspend and provision');
      });
    },
  },
  'suspend/answer-is-409': {
    title: 'An answer to a question whose run a suspend ended is 409.',
    ...onRunning(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      expect.done(await ctx.api.suspend(intern.id), 'the suspend');
      await ctx.interns.untilSuspended(intern.id);
      const answer = await intern.badAnswer(replyTo(t, 'allow_once'));
      // That its run has ended is stated; which refusal says so is published.
      const more = answer.status < 300 ? ({ breaks: { requirement: 'SUSP-1', level: 'S' } } as const) : {};
      expect.status(answer, 409, 'an answer to a run that the suspend ended', more);
    }),
  },
  'suspend/race': {
    title: 'Suspend and provision sent at once leave one state, and each answer fits it.',
    needs: ['running'],
    maxRuns: 10,
    async run({ api, interns, race, property }) {
      const { until, untilSuspended } = interns;
      await property('orders', fc.array(fc.boolean(), { minLength: 2, maxLength: 5 }), async (order) => {
        const intern = await interns.running();
        const answers = await race(order.length, (index) =>
          order[index] === true ? api.suspend(intern.id) : api.provision(intern.id),
        );
        for (const { status } of answers) oneOf(status, [...expect.ACCEPTED, 409], 'status of a racing call');
        const accepted = (stop: boolean) =>
          answers.filter(({ status }, index) => order[index] === stop && status !== 409).length;
        const stops = accepted(true);
        const starts = accepted(false);
        ok(stops - starts === 0 || stops - starts === 1, 'suspends and provisions accepted', 'in turn', [
          stops,
          starts,
        ]);
        await (stops > starts ? untilSuspended(intern.id) : until(intern.id, ['running']));
        const { status } = expect.intern(await api.get(intern.id), 200, 'the read');
        equal(
          status === 'stopped',
          stops > starts,
          `whether it is stopped after ${stops} suspends, ${starts} provisions`,
        );
      });
    },
  },
});
