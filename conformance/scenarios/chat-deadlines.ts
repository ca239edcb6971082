import { equal, match, oneOf } from '../model/assert.js';
import type { As } from '../probe/request.js';
import { ASKING, callOf, HELD, permission, read, replyTo } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onRunning, onShared, type Partner, runningOne } from './steps/interns.js';

const FIVE_MINUTES = 300_000;
const DEFAULT = 'the default deadline of five minutes';

type Good = { readonly call: string; readonly session: string; readonly content: string };

/** A reply that is rejected. */
const rejected =
  (wrong: (good: Good) => Parameters<Partner['badAnswer']>[0], as?: (ctx: Ctx) => As) =>
  async (ctx: Ctx, intern: Partner, good: Good): Promise<void> => {
    const answer = await intern.badAnswer(wrong(good), as === undefined ? {} : { as: as(ctx) });
    expect.refused(answer, 'a reply that is rejected');
  };

/** Requests to an intern whose question is open, which leave it open. */
const MEANWHILE: Readonly<Record<string, (ctx: Ctx, intern: Partner, good: Good) => Promise<void>>> = {
  'an unacceptable answer': rejected((good) => ({ ...good, content: 'no such option' })),
  'an unknown call': rejected((good) => ({ ...good, call: 'call_nobody_made' })),
  'another session': rejected((good) => ({ ...good, session: 'another' })),
  'no session': rejected(({ call, content }) => ({ call, content })),
  'an unknown mode': rejected((good) => ({ ...good, mode: 'sometimes' })),
  'a wrong key': rejected(
    (good) => good,
    (ctx) => ctx.wrongKey,
  ),
  async 'a busy intern'(ctx, intern, good) {
    const occupied = await intern.held(await ctx.script(HELD));
    await rejected(() => good)(ctx, intern, good);
    await occupied.disconnect();
    await ctx.settle();
  },
  async 'a steered prompt'(_, intern, { session }) {
    const answer = await intern.unstreamed({ prompt: 'More.', session_id: session });
    expect.status(answer, [200, 202], 'a prompt to the waiting run');
  },
  async 'a prompt to another session'(_, intern) {
    expect.finish(await intern.talk('Hello.'), 'stop', 'a prompt to another session');
  },
};

/** CHAT-7: how long a question stays open. */
export const CHAT_DEADLINES = checksOf('CHAT-7', {
  'chat-deadlines/open-until': {
    title: 'A question can be answered shortly before its five minutes are over.',
    ...onShared(['behaviour:ask-permission', 'slow:295s'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      await ctx.wait(295_000);
      const reply = await intern.answer(t, 'allow_once');
      const note = 'a question was closed within 295 s; is a shorter one configured?';
      ctx.assume(reply.status !== 409, DEFAULT, note);
      expect.finish(await read(reply), 'stop', 'the run, answered after 295 s');
    }),
  },
  'chat-deadlines/closed-after': {
    title: 'After its five minutes a question can no longer be answered, although no client was connected.',
    ...onRunning(['behaviour:ask-permission', 'slow:305s'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      await ctx.wait(305_000);
      const late = await intern.badAnswer(replyTo(t, 'allow_once'));
      const note = 'a question was open after 305 s; is a longer one configured?';
      ctx.assume(late.status !== 200, DEFAULT, note);
      expect.refused(late, 'an answer after 305 s');
    }),
  },
  'chat-deadlines/to-the-millisecond': {
    title: 'A millisecond before the deadline the answer is delivered; a millisecond after it the run is cancelled.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      for (const [from, inSteps] of [
        [-1, false],
        [-1, true],
        [1, false],
        [1, true],
      ] as const) {
        const intern = await runningOne(ctx);
        const t = await intern.asked(await ctx.script(ASKING));
        if (inSteps) await ctx.clock.advance(FIVE_MINUTES / 3);
        await ctx.clock.advance((inSteps ? (FIVE_MINUTES / 3) * 2 : FIVE_MINUTES) + from);
        if (from < 0) {
          equal(await intern.fate(), 'waiting', `the run ${from} ms from its deadline`);
          const rest = await intern.answered(t, 'allow_once');
          equal(rest.content, 'Allowed.', `content after an answer ${from} ms from the deadline`);
        } else {
          oneOf(await intern.fate(), ['ended: deadline', 'ended: cancelled'], `the run ${from} ms after its deadline`);
          const late = await intern.badAnswer(replyTo(t, 'allow_once'));
          expect.refused(late, `an answer ${from} ms after the deadline`);
        }
      }
    },
  },
  'chat-deadlines/not-extended': {
    minRuns: 2,
    title: 'Neither a rejected reply, a steered prompt nor a prompt to another session extends the deadline.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const said = await ctx.script(ASKING);
      for (const [what, does] of Object.entries(MEANWHILE)) {
        const intern = await runningOne(ctx);
        const t = await intern.asked(said);
        const { session } = callOf(t);
        await ctx.clock.advance(FIVE_MINUTES - 10_000);
        for (let turn = 0; turn < 3; turn++) {
          await does(ctx, intern, replyTo(t, 'allow_once'));
          await ctx.clock.advance(3_000);
        }
        await ctx.clock.advance(1_001);
        match(await intern.fate(session), /^ended/, `the run a millisecond after its deadline, after ${what}`);
      }
    },
  },
  'chat-deadlines/second-question': {
    title: 'A second question has five minutes of its own.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const first = await intern.asked(await ctx.script([permission('a'), permission('b'), { say: 'end' }]));
      await ctx.clock.advance(200_000);
      const second = await intern.answered(first, 'allow_once');
      expect.finish(second, 'tool_calls', 'the answer to the first question');
      await ctx.clock.advance(FIVE_MINUTES - 1);
      await intern.stillOpen(second, 'the second question after 299.999 s');
      await ctx.clock.advance(2);
      match(await intern.fate(), /^ended/, 'the run after 300.001 s');
    }),
  },
  'chat-deadlines/answered-in-time': {
    title: 'An answered question has no deadline: its run may go on for longer.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const t = await intern.asked(
        await ctx.script([permission('a'), { say: 'one ' }, { wait: '400s' }, { say: 'two' }]),
      );
      await ctx.clock.advance(10_000);
      const reply = await intern.resumed(t);
      await ctx.clock.advance(400_000);
      const rest = await read(reply);
      expect.finish(rest, 'stop', 'a run that takes its time after the answer');
      equal(rest.content, 'one two', 'content after the answer');
    }),
  },
});
