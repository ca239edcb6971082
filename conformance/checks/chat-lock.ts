import fc from 'fast-check';
import { equal, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { ChatInput, Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import {
  ASKING,
  answered,
  asked,
  callOf,
  HELD,
  held,
  PAUSED,
  plain,
  read,
  streaming,
  talk,
  unstreamed,
} from '../helpers/chat.js';
import { onRunning, onShared } from '../helpers/interns.js';
import { seenByPeer, steered } from '../helpers/turns.js';
import type { Transcript } from '../probe/chunks.js';

async function busy(ctx: Ctx, id: string, input: ChatInput | string, what: string): Promise<void> {
  const answer = await unstreamed(ctx, id, input);
  expect.error(answer, { status: 409, reason: 'busy', retryable: true }, what);
  expect.retryAfter(answer, what);
}

/** Two sentences of CHAT-14 meet here: the lock may come before the steer, or the steer before the lock. */
async function busyOrSteered(ctx: Ctx, id: string, input: ChatInput, what: string): Promise<'busy' | 'steered'> {
  const answer = await unstreamed(ctx, id, input);
  if (answer.status === 202) {
    steered(answer, input.session_id, what);
    return 'steered';
  }
  expect.error(answer, { status: 409, reason: 'busy', retryable: true }, what);
  expect.retryAfter(answer, what);
  return 'busy';
}

/** CHAT-14: one chat run streams per intern, and what that keeps out. */
export const CHAT_LOCK = checksOf('CHAT-14', {
  'chat-lock/silent-run': {
    level: 'P',
    title: 'A run that streams in silence keeps prompts and replies out, and its own session is steered.',
    needs: ['running', 'behaviour:ask-permission', 'behaviour:silent'],
    run: onRunning(async (ctx, intern) => {
      const waiting = await asked(ctx, intern.id, ctx.prompt('ask-permission'));
      const session_id = `silent ${intern.id}`;
      const reply = await held(ctx, intern.id, { prompt: ctx.prompt('silent'), session_id });
      await busy(ctx, intern.id, 'Hello.', 'a prompt without a session while a run streams');
      await busy(
        ctx,
        intern.id,
        { prompt: 'Hello.', session_id: `other ${intern.id}` },
        'a prompt to an unseen session',
      );
      const steer = { prompt: 'Hello.', session_id: callOf(waiting).session };
      await busyOrSteered(ctx, intern.id, steer, 'a prompt to a session that waits');
      const answer = await plain(ctx, await ctx.answer(intern.id, waiting, 'allow_once'));
      expect.error(answer, { status: 409, reason: 'busy', retryable: true }, 'a reply while another run streams');
      expect.retryAfter(answer, 'a reply while another run streams');
      expect.status(
        await unstreamed(ctx, intern.id, { prompt: 'Hello.', session_id }),
        202,
        'a prompt to its own session',
      );
      ok(reply.transcript.finish === undefined, 'the run that streams', 'no finish reason', reply.transcript.finish);
      await reply.disconnect();
    }),
  },
  'chat-lock/waiting-session': {
    level: 'P',
    title: 'While another run streams, a prompt to a session whose run waits is 409 busy, or steered.',
    needs: ['running', 'control', 'clock'],
    run: onRunning(async (ctx, intern) => {
      const waiting = await asked(ctx, intern.id, await ctx.script(ASKING));
      const reply = await held(ctx, intern.id, await ctx.script(PAUSED));
      const was = await busyOrSteered(
        ctx,
        intern.id,
        { prompt: 'Also.', session_id: callOf(waiting).session },
        'a prompt to another session, whose run waits',
      );
      await ctx.clock.advance(20_000);
      await read(reply);
      const rest = await answered(ctx, intern.id, waiting, 'allow_once');
      if (was === 'busy') equal(rest.content, 'Allowed.', 'content of the run that waited, nothing steered into it');
    }),
  },
  'chat-lock/resumed-run': {
    level: 'P',
    title: 'A run that streams after an answer keeps others out, as one that streams after its prompt does.',
    needs: ['running', 'control', 'clock'],
    run: onRunning(async (ctx, intern) => {
      const t = await asked(ctx, intern.id, await ctx.script([...ASKING, { wait: '20s' }, { say: ' End.' }]));
      const reply = await ctx.answer(intern.id, t, 'allow_once');
      await reply.until('content after the answer', (seen) => seen.content !== '');
      await busy(ctx, intern.id, 'Hello.', 'a prompt while an answered run streams');
      const steer = await unstreamed(ctx, intern.id, { prompt: 'Also.', session_id: callOf(t).session });
      expect.status(steer, 202, 'a prompt to the session of the run that streams');
      await ctx.clock.advance(20_000);
      expect.finish(await read(reply), 'stop', 'the answered run');
    }),
  },
  'chat-lock/per-intern': {
    level: 'P',
    title: 'A run that streams does not block other interns.',
    needs: ['running', 'behaviour:silent'],
    async run(ctx) {
      const one = await ctx.interns.running();
      const two = await ctx.interns.running();
      const reply = await held(ctx, one.id, ctx.prompt('silent'));
      expect.finish(await talk(ctx, two.id, 'Hello.'), 'stop', 'a prompt to another intern');
      await busy(ctx, one.id, 'Hello.', 'a prompt to the intern itself');
      await reply.disconnect();
    },
  },
  'chat-lock/for-every-caller': {
    level: 'P',
    title: "The lock is the intern's: another caller finds it busy too.",
    needs: ['running', 'behaviour:silent', 'peer_api_key'],
    run: onRunning(async (ctx, intern) => {
      await seenByPeer(ctx, intern.id);
      expect.finish(
        await talk(ctx, intern.id, 'Hello.', { as: 'peer_api_key' }),
        'stop',
        'the twin: a prompt of a peer',
      );
      const reply = await held(ctx, intern.id, ctx.prompt('silent'));
      const answer = await unstreamed(ctx, intern.id, 'Hello.', { as: 'peer_api_key' });
      expect.error(answer, { status: 409, reason: 'busy', retryable: true }, 'a prompt of a peer while a run streams');
      await reply.disconnect();
    }),
  },
  'chat-lock/not-while-waiting': {
    level: 'P',
    title: 'Runs that wait on a question hold no lock.',
    needs: ['running', 'behaviour:ask-permission'],
    run: onShared(async (ctx, intern) => {
      const waiting: Transcript[] = [];
      for (let at = 0; at < 2; at++) waiting.push(await asked(ctx, intern.id, ctx.prompt('ask-permission')));
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'a prompt while some runs wait');
      for (const t of waiting)
        expect.finish(await answered(ctx, intern.id, t, 'allow_once'), 'stop', 'a run that waited');
    }),
  },
  'chat-lock/not-by-invoke': {
    level: 'P',
    title: 'Runs started by invoke hold no lock.',
    needs: ['running', 'behaviour:ask-permission', 'behaviour:silent'],
    run: onRunning(async (ctx, intern) => {
      expect.status(await ctx.api.invoke(intern.id, { input: ctx.prompt('silent') }), 202, 'the invoke');
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'a prompt while a run of invoke goes on');
      const t = await asked(ctx, intern.id, ctx.prompt('ask-permission'));
      expect.finish(await answered(ctx, intern.id, t, 'allow_once'), 'stop', 'a reply while a run of invoke goes on');
    }),
  },
  'chat-lock/not-for-invoke': {
    level: 'P',
    title: 'The lock is for chat: invoke starts a run while a chat run streams.',
    needs: ['running', 'control', 'clock'],
    run: onRunning(async (ctx, intern) => {
      const reply = await held(ctx, intern.id, await ctx.script(PAUSED));
      expect.status(await ctx.api.invoke(intern.id, { input: 'Hello.' }), 202, 'an invoke while a chat run streams');
      await busy(ctx, intern.id, 'Hello.', 'a prompt while a chat run streams');
      await ctx.clock.advance(20_000);
      equal((await read(reply)).content, 'One. Two.', 'content of the run that streamed');
    }),
  },
  'chat-lock/not-for-invoke-in-silence': {
    level: 'P',
    title: 'invoke starts a run while a chat run is silent.',
    needs: ['running', 'behaviour:silent'],
    run: onRunning(async (ctx, intern) => {
      const reply = await held(ctx, intern.id, ctx.prompt('silent'));
      expect.status(await ctx.api.invoke(intern.id, { input: 'Hello.' }), 202, 'an invoke while a chat run streams');
      await reply.disconnect();
    }),
  },
  'chat-lock/let-go': {
    level: 'P',
    title: 'However a run ends, the intern takes the next prompt.',
    needs: ['running', 'control'],
    run: onRunning(async (ctx, intern) => {
      for (const [how, steps] of [
        ['stop', [{ say: 'x' }]],
        ['cancelled', [{ say: 'x' }, { end: 'cancelled' }]],
        ['deadline', [{ say: 'x' }, { end: 'deadline' }]],
        ['severed', [{ say: 'x' }, { end: 'severed' }]],
        ['failed', [{ say: 'x' }, { end: 'failed' }]],
        ['a question', ASKING],
        ['refused', [{ end: 'failed' }]],
        ['unreachable', [{ end: 'severed' }]],
      ] as const) {
        const reply = await ctx.chat(intern.id, { prompt: await ctx.script(steps), approval_mode: 'manual' });
        if (reply.status === 200) await read(reply);
        else await plain(ctx, reply);
        expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', `a prompt after a run that ended: ${how}`);
      }
    }),
  },
  'chat-lock/let-go-by-suspend': {
    level: 'P',
    title: 'An intern that was suspended while a run streamed takes a prompt once it runs again.',
    needs: ['running', 'behaviour:silent'],
    run: onRunning(async (ctx, intern) => {
      const reply = await streaming(ctx, intern.id, ctx.prompt('silent'));
      expect.done(await ctx.api.suspend(intern.id), 'the suspend');
      await read(reply);
      await ctx.interns.untilSuspended(intern.id);
      expect.done(await ctx.api.provision(intern.id), 'the provision');
      await ctx.interns.until(intern.id, ['running']);
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'a prompt after the resume');
    }),
  },
  'chat-lock/race': {
    level: 'P',
    title:
      'Of prompts sent at once one streams, the others are 409 busy; of prompts to one session one streams, the others are steered.',
    needs: ['running', 'control'],
    maxRuns: 8,
    async run(ctx) {
      await ctx.property('prompts', fc.integer({ min: 2, max: 6 }), fc.boolean(), async (n, oneSession) => {
        const intern = await ctx.interns.running();
        const prompt = await ctx.script(HELD);
        const session = oneSession ? { session_id: `s ${intern.id}` } : {};
        const replies = await ctx.race(n, () => ctx.chat(intern.id, { prompt, ...session }));
        const statuses = replies.map((reply) => reply.status).sort();
        equal(
          statuses,
          [200, ...Array.from({ length: n - 1 }, () => (oneSession ? 202 : 409))],
          'statuses of prompts sent at once',
        );
        equal((await ctx.control.runs(intern.id)).length, 1, 'runs started by prompts sent at once');
        for (const reply of replies) await reply.disconnect();
      });
    },
  },
  'chat-lock/busy-changes-nothing': {
    level: 'P',
    title: 'A prompt that is refused as busy starts no run and says nothing to the run that streams.',
    needs: ['running', 'control', 'clock'],
    run: onRunning(async (ctx, intern) => {
      const reply = await held(ctx, intern.id, await ctx.script(PAUSED));
      for (let turn = 0; turn < 3; turn++)
        await busy(ctx, intern.id, { prompt: 'Lost words.', session_id: `s${turn}` }, 'a prompt while a run streams');
      equal((await ctx.control.runs(intern.id)).length, 1, 'runs of the intern');
      await ctx.clock.advance(20_000);
      equal((await read(reply)).content, 'One. Two.', 'content of the run that streamed');
    }),
  },
});
