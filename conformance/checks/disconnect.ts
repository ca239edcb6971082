import { equal, match, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { ChatInput, Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { ChatReply } from '../framework/reply.js';
import {
  allowable,
  answered,
  asked,
  callOf,
  fate,
  HELD,
  held,
  newest,
  permission,
  read,
  streaming,
  talk,
} from '../helpers/chat.js';
import { onRunning, onShared } from '../helpers/interns.js';
import { onceFree } from '../helpers/turns.js';

/** ms until a service has noticed that a client has gone (30 s), with some more for the way there and back. */
const WAITED = 33_000;
const MOMENT = 2_000;

/** Leaves a silent stream, and looks until a prompt to the intern is taken, and another in the session. */
async function noticed(ctx: Ctx): Promise<void> {
  const intern = await ctx.interns.running();
  const session_id = `left ${intern.id}`;
  const reply = await streaming(ctx, intern.id, { prompt: ctx.prompt('silent'), session_id });
  await reply.disconnect();
  let waited = 0;
  const taken = async (input: ChatInput, goesOn: number) => {
    for (;;) {
      const next = await ctx.chat(intern.id, input);
      if (next.status !== goesOn) return read(next);
      const answer = await next.whole();
      const what = 'a prompt 30 s after the client of a silent stream has left';
      // As an answer, so that what a service has of its own against a prompt is looked at.
      if (waited > WAITED) expect.answered(answer, [200], what);
      // A steered prompt may end the run: one is enough.
      for (const until = goesOn === 202 ? WAITED : waited; waited <= until; waited += MOMENT) await ctx.wait(MOMENT);
    }
  };
  expect.finish(await taken({ prompt: 'Hello.' }, 409), 'stop', 'the next prompt to the intern');
  expect.finish(await taken({ prompt: 'Hello.', session_id }, 202), 'stop', 'the next prompt of the session');
}

/** The client leaves: 30 s later the run is cancelled. */
async function left(ctx: Ctx, id: string, reply: ChatReply): Promise<void> {
  await reply.disconnect();
  await ctx.settle();
  await ctx.clock.advance(30_000);
  equal(await fate(ctx, id), 'ended: cancelled', 'the run 30 s after its client left');
}

/** A question that was asked, its reply read up to [DONE] and still open. */
async function pausedAtDone(ctx: Ctx, id: string) {
  const reply = await ctx.chat(id, { prompt: ctx.prompt('ask-permission'), approval_mode: 'manual' });
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
    needs: ['running', 'behaviour:silent', 'slow:31s'],
    run: onRunning(async (ctx, intern) => {
      const session_id = `gone ${intern.id}`;
      const reply = await streaming(ctx, intern.id, { prompt: ctx.prompt('silent'), session_id });
      await reply.disconnect();
      await ctx.wait(31_000);
      const next = await onceFree(ctx, () => ctx.chat(intern.id, { prompt: 'Hello.', session_id }));
      expect.finish(next, 'stop', 'the next prompt of the session');
    }),
  },
  'disconnect/after-an-answer': {
    title: 'A client that leaves a stream after an answer has cancelled that run within 30 seconds, and no other.',
    needs: ['running', 'behaviour:ask-then-silent', 'behaviour:ask-permission', 'slow:31s'],
    async run(ctx) {
      ctx.needsStreaming();
      const intern = await ctx.interns.running();
      const waiting = await asked(ctx, intern.id, ctx.prompt('ask-permission'));
      const t = await asked(ctx, intern.id, ctx.prompt('ask-then-silent'));
      const reply = await ctx.answer(intern.id, t, 'allow_once');
      const seen = await reply.until(
        'content after the answer',
        (one) => one.content !== '' || one.finish !== undefined,
      );
      ctx.internDid(seen.finish === undefined, { did: 'fall silent', said: seen.content });
      await reply.disconnect();
      await ctx.wait(31_000);
      const { session: session_id } = callOf(t);
      const next = await onceFree(ctx, () => ctx.chat(intern.id, { prompt: 'Hello.', session_id }));
      expect.finish(next, 'stop', 'the next prompt of the session');
      const rest = await ctx.answer(intern.id, waiting, 'allow_once');
      if (rest.status >= 400) expect.success(await rest.whole(), 'the answer to the question of another run');
      expect.finish(await read(rest), 'stop', 'another run of the intern');
    },
  },
  'disconnect/noticed': {
    title:
      'Some time within 30 seconds of its client leaving a silent stream the intern takes a prompt, and its session another.',
    needs: ['running', 'behaviour:silent'],
    run: noticed,
  },
  'disconnect/cancels': {
    title: 'A run whose client leaves while it streams is cancelled within 30 seconds and does nothing more.',
    needs: ['running', 'control', 'clock'],
    run: onRunning(async (ctx, intern) => {
      const steps = [{ say: 'One.' }, { wait: '60s' }, { say: 'Two.' }, { end: 'failed' }];
      const reply = await held(ctx, intern.id, await ctx.script(steps));
      const before = await ctx.clock.now();
      await left(ctx, intern.id, reply);
      const run = await newest(ctx, intern.id);
      const took = Date.parse(run.ended_at ?? '') - before;
      ok(took >= 0 && took <= 30_000, 'ms until the run was cancelled', 'at most 30000', took);
      await ctx.clock.advance(60_000);
      equal(await fate(ctx, intern.id), 'ended: cancelled', 'the run when it would have gone on');
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'the next prompt');
    }),
  },
  'disconnect/while-it-speaks': {
    title: 'A run that speaks, one that has said nothing yet, and one that streams after an answer are cancelled too.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const { interns, clock } = ctx;
      const speaks = await interns.running();
      const said = await ctx.script([{ say: 'x'.repeat(400), chunks: 400, every: '500ms' }]);
      const reply = await held(ctx, speaks.id, said);
      await clock.advance(2_000);
      await left(ctx, speaks.id, reply);

      const thinks = await interns.running();
      const first = await ctx.chat(thinks.id, await ctx.script([{ wait: '120s' }, { say: 'x' }]));
      equal(first.status, 200, 'status while the intern says nothing yet');
      await left(ctx, thinks.id, first);

      const asks = await interns.running();
      const t = await asked(ctx, asks.id, await ctx.script([permission('ok'), ...HELD]));
      const rest = await ctx.answer(asks.id, t, 'allow_once');
      await rest.until('content after the answer', (seen) => seen.content !== '');
      await left(ctx, asks.id, rest);
    },
  },
  'disconnect/only-its-own': {
    title: 'Other runs of the intern and runs of other interns go on.',
    needs: ['running', 'control', 'clock'],
    run: onRunning(async (ctx, intern) => {
      const other = await ctx.interns.running();
      const waiting = await asked(ctx, intern.id, await ctx.script([permission('ok'), { say: 'answered' }]));
      const started = await ctx.api.invoke(intern.id, { input: await ctx.script(HELD) });
      expect.status(started, 202, 'the invoke');
      const far = await held(ctx, other.id, await ctx.script([{ say: 'One. ' }, { wait: '40s' }, { say: 'Two.' }]));
      const reply = await held(ctx, intern.id, await ctx.script(HELD));
      await reply.disconnect();
      await ctx.settle();
      await ctx.clock.advance(31_000);
      equal(
        await fate(ctx, intern.id, (started.json as { session_id: string }).session_id),
        'running',
        'the run of invoke',
      );
      equal(await fate(ctx, intern.id, waiting.sessionId), 'waiting', 'the run that waits');
      equal((await answered(ctx, intern.id, waiting, 'allow_once')).content, 'answered', 'content after the answer');
      await ctx.clock.advance(9_000);
      equal((await read(far)).content, 'One. Two.', 'content of the run of another intern');
    }),
  },
  'disconnect/after-done': {
    requirement: 'CHAT-9',
    title: 'Closing after the [DONE] that follows tool_calls keeps the run alive.',
    needs: ['running', 'behaviour:ask-permission'],
    run: onShared(async (ctx, intern) => {
      const { reply, t } = await pausedAtDone(ctx, intern.id);
      await reply.disconnect();
      await ctx.settle();
      const rest = await answered(ctx, intern.id, t, 'allow_once');
      expect.finish(rest, 'stop', 'the run, answered after its client had gone');
    }),
  },
  'disconnect/cancel-after-done': {
    requirement: 'CHAT-9',
    title: 'Cancelling the body on reading [DONE], and a minute without a client, keep the run alive too.',
    needs: ['running', 'behaviour:ask-permission', 'slow:61s'],
    run: onShared(async (ctx, intern) => {
      const { reply, t } = await pausedAtDone(ctx, intern.id);
      await reply.cancel();
      await ctx.wait(61_000);
      const rest = await answered(ctx, intern.id, t, 'allow_once');
      expect.finish(rest, 'stop', 'the run, answered a minute after its client had gone');
    }),
  },
  'disconnect/after-each-done': {
    requirement: 'CHAT-9',
    title: 'Closing after each of several questions keeps the run alive.',
    needs: ['running', 'control'],
    run: onRunning(async (ctx, intern) => {
      const steps = ['a', 'b', 'c'].flatMap((as) => [permission(as), { say: as }]);
      let reply = await ctx.chat(intern.id, { prompt: await ctx.script(steps), approval_mode: 'manual' });
      for (const as of ['a', 'b', 'c']) {
        const t = await reply.until('[DONE]', (seen) => seen.done);
        expect.finish(t, 'tool_calls');
        await reply.cancel();
        await ctx.settle();
        match(await fate(ctx, intern.id), /^waiting$/, 'the run after its client cancelled on [DONE]');
        reply = await ctx.answer(intern.id, t, 'allow_once');
        await reply.until(`content after answer ${as}`, (seen) => seen.content === as);
      }
      expect.finish(await reply.end(), 'stop', 'the run answered three times');
    }),
  },
  'disconnect/of-who-steered': {
    title: 'A client that steered a run and leaves cancels nothing.',
    needs: ['running', 'control', 'clock'],
    run: onRunning(async (ctx, intern) => {
      const session_id = `s ${intern.id}`;
      const said = await ctx.script([{ say: 'One. ' }, { wait: '40s' }, { say: 'Two.' }]);
      const reply = await held(ctx, intern.id, { prompt: said, session_id });
      const steering = await ctx.chat(intern.id, { prompt: 'Also.', session_id });
      await steering.disconnect();
      await ctx.clock.advance(40_000);
      const t = await read(reply);
      expect.finish(t, 'stop', 'the run that was steered');
      ok(t.content.endsWith('Two.'), 'content of the run that was steered', 'all of it', t.content);
    }),
  },
  'disconnect/after-stop': {
    requirement: 'EMU-4',
    title: 'A client that goes after the end changes nothing: the run is shown as it ended.',
    needs: ['running', 'control'],
    run: onRunning(async (ctx, intern) => {
      const reply = await ctx.chat(intern.id, 'Hello.');
      const t = await reply.until('[DONE]', (seen) => seen.done);
      await reply.cancel();
      await ctx.settle();
      equal(await fate(ctx, intern.id, t.sessionId), 'ended: stop', 'the run after its client went');
    }),
  },
});
