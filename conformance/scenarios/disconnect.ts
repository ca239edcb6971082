import { equal, ok } from '../model/assert.js';
import { allowable, callOf, HELD, permission, read } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { ChatInput, Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import type { ChatReply } from '../run/reply.js';
import { onceFree, onRunning, onShared, type Partner, runningOne } from './steps/interns.js';

/** ms until a service has noticed that a client has gone (30 s), with some more for the way there and back. */
const WAITED = 33_000;
const MOMENT = 2_000;
/** Moments in which an intern may go on speaking. */
const MOMENTS = 5;

/**
 * Leaves a stream that has been silent for a moment. An intern that asks again sends the end of its stream, and its run
 * lives on (CHAT-9): a client that leaves while that is on its way has cancelled nothing.
 */
async function leave(ctx: Ctx, reply: ChatReply): Promise<void> {
  let isSilent = false;
  for (let moment = 0; moment < MOMENTS && !isSilent; moment++) {
    const before = reply.transcript.content;
    await ctx.wait(MOMENT);
    const { finish, content } = reply.transcript;
    isSilent = content === before;
    if (finish !== undefined) break;
  }
  const { finish, content } = reply.transcript;
  ctx.internDid(isSilent && finish === undefined, { did: 'fall silent', said: content });
  await reply.disconnect();
}

/** Leaves a silent stream, and sends prompts until the intern takes one, and until its session takes one. */
async function noticed(ctx: Ctx): Promise<void> {
  const intern = await runningOne(ctx);
  const session_id = `left ${intern.id}`;
  await leave(ctx, await intern.streaming({ prompt: ctx.prompt('silent'), session_id }));
  let waited = 0;
  const taken = async (input: ChatInput, goesOn: number) => {
    for (;;) {
      const next = await intern.chat(input);
      if (next.status !== goesOn) return read(next);
      const answer = await next.whole();
      const what = 'a prompt 30 s after the client of a silent stream has left';
      // A habit of the service may explain the refusal: it is reported as an answer.
      if (waited > WAITED) expect.answered(answer, [200], what);
      // A steered prompt may end the run: one is enough.
      for (const until = goesOn === 202 ? WAITED : waited; waited <= until; waited += MOMENT) await ctx.wait(MOMENT);
    }
  };
  expect.finish(await taken({ prompt: 'Hello.' }, 409), 'stop', 'the next prompt to the intern');
  expect.finish(await taken({ prompt: 'Hello.', session_id }, 202), 'stop', 'the next prompt of the session');
}

/** The client leaves: 30 s later the run is cancelled. */
async function left(ctx: Ctx, intern: Partner, reply: ChatReply): Promise<void> {
  await reply.disconnect();
  await ctx.settle();
  await ctx.clock.advance(30_000);
  equal(await intern.fate(), 'ended: cancelled', 'the run 30 s after its client left');
}

/** A question that was asked, its reply read up to [DONE] and still open. */
async function pausedAtDone(ctx: Ctx, intern: Partner) {
  const reply = await intern.chat({ prompt: ctx.prompt('ask-permission'), approval_mode: 'manual' });
  const t = await reply.until('[DONE]', (seen) => seen.done);
  expect.finish(t, 'tool_calls');
  allowable(ctx, t);
  return { reply, t };
}

/** CHAT-9 and CHAT-10: what happens to a run whose client has left. */
export const DISCONNECT = checksOf('CHAT-10', {
  'disconnect/while-silent': {
    title:
      'A client that leaves a silent stream has cancelled its run within 30 seconds: the next prompt of the session starts another.',
    ...onRunning(['behaviour:silent', 'slow:31s'], async (ctx, intern) => {
      const session_id = `gone ${intern.id}`;
      await leave(ctx, await intern.streaming({ prompt: ctx.prompt('silent'), session_id }));
      await ctx.wait(31_000);
      const next = await onceFree(ctx, () => intern.chat({ prompt: 'Hello.', session_id }));
      expect.finish(next, 'stop', 'the next prompt of the session');
    }),
  },
  'disconnect/after-an-answer': {
    title: 'A client that leaves a stream after an answer has cancelled that run within 30 seconds, and no other.',
    needs: ['running', 'behaviour:ask-then-silent', 'behaviour:ask-permission', 'slow:31s'],
    async run(ctx) {
      ctx.needsStreaming();
      const intern = await runningOne(ctx);
      const waiting = await intern.asked(ctx.prompt('ask-permission'));
      const t = await intern.asked(ctx.prompt('ask-then-silent'));
      await leave(ctx, await intern.resumed(t));
      await ctx.wait(31_000);
      const { session: session_id } = callOf(t);
      const next = await onceFree(ctx, () => intern.chat({ prompt: 'Hello.', session_id }));
      expect.finish(next, 'stop', 'the next prompt of the session');
      const rest = await intern.answer(waiting, 'allow_once');
      if (rest.status >= 400) expect.success(await rest.whole(), 'the answer to the question of another run');
      expect.finish(await read(rest), 'stop', 'another run of the intern');
    },
  },
  'disconnect/noticed': {
    title:
      'Within 30 seconds after its client has left a silent stream, the intern takes a prompt, and so does the session.',
    needs: ['running', 'behaviour:silent'],
    run: noticed,
  },
  'disconnect/leaves-others': {
    title: 'A client that leaves a stream cancels that run alone: its stream from another intern goes on.',
    needs: ['running', 'behaviour:silent'],
    async run(ctx) {
      const [one, other] = [await runningOne(ctx), await runningOne(ctx)];
      const stays = await other.streaming({ prompt: ctx.prompt('silent') });
      await leave(ctx, await one.streaming({ prompt: ctx.prompt('silent') }));
      await ctx.wait(MOMENT);
      const { ended, error, finish, content } = stays.transcript;
      const isCut = finish === undefined && ended !== undefined;
      const isCancelled = error?.reason === 'run_ended';
      ctx.internDid(finish === undefined || isCancelled, { did: 'fall silent', said: content });
      ok(!isCut && !isCancelled, 'a stream whose client stays', 'one that goes on', ended ?? finish);
      await stays.disconnect();
    },
  },
  'disconnect/while-it-speaks': {
    title: 'A run that speaks, one that has said nothing yet, and one that streams after an answer are cancelled too.',
    ...onRunning(['control', 'clock'], async (ctx, speaks) => {
      const { clock } = ctx;
      const said = await ctx.script([{ say: 'x'.repeat(400), chunks: 400, every: '500ms' }]);
      const reply = await speaks.held(said);
      await clock.advance(2_000);
      await left(ctx, speaks, reply);

      const thinks = await runningOne(ctx);
      const first = await thinks.chat(await ctx.script([{ wait: '120s' }, { say: 'x' }]));
      equal(first.status, 200, 'status while the intern says nothing yet');
      await left(ctx, thinks, first);

      const asks = await runningOne(ctx);
      const t = await asks.asked(await ctx.script([permission('ok'), ...HELD]));
      const rest = await asks.resumed(t);
      await left(ctx, asks, rest);
    }),
  },
  'disconnect/after-done': {
    requirement: 'CHAT-9',
    title: 'Closing after the [DONE] that follows tool_calls keeps the run alive.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const { reply, t } = await pausedAtDone(ctx, intern);
      await reply.disconnect();
      await ctx.settle();
      const rest = await intern.answered(t, 'allow_once');
      expect.finish(rest, 'stop', 'the run, answered after its client had gone');
    }),
  },
  'disconnect/cancel-after-done': {
    requirement: 'CHAT-9',
    title: 'The run stays alive even if the client cancels the body at [DONE], or is away for a minute.',
    ...onShared(['behaviour:ask-permission', 'slow:61s'], async (ctx, intern) => {
      const { reply, t } = await pausedAtDone(ctx, intern);
      await reply.cancel();
      await ctx.wait(61_000);
      const rest = await intern.answered(t, 'allow_once');
      expect.finish(rest, 'stop', 'the run, answered a minute after its client had gone');
    }),
  },
  'disconnect/of-who-steered': {
    title: 'A client that steered a run and leaves cancels nothing.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const session_id = `s ${intern.id}`;
      const said = await ctx.script([{ say: 'One. ' }, { wait: '40s' }, { say: 'Two.' }]);
      const reply = await intern.held({ prompt: said, session_id });
      const steering = await intern.chat({ prompt: 'Also.', session_id });
      await steering.disconnect();
      await ctx.clock.advance(40_000);
      const t = await read(reply);
      expect.finish(t, 'stop', 'the run that was steered');
      ok(t.content.endsWith('Two.'), 'content of the run that was steered', 'all of it', t.content);
    }),
  },
  'disconnect/after-stop': {
    requirement: 'EMU-4',
    title: 'A client that leaves after the end changes nothing: the run is shown as it ended.',
    ...onRunning(['control'], async (ctx, intern) => {
      const reply = await intern.chat('Hello.');
      const t = await reply.until('[DONE]', (seen) => seen.done);
      await reply.cancel();
      await ctx.settle();
      equal(await intern.fate(t.sessionId), 'ended: stop', 'the run after its client went');
    }),
  },
});
