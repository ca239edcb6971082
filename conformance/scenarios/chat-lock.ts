import fc from 'fast-check';
import { equal, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { ASKING, callOf, HELD, plain, read } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { ChatInput } from '../run/context.js';
import * as expect from '../run/expect.js';
import { accepted, onRunning, type Partner, runningOne, seenByPeer, steered } from './steps/interns.js';

const BUSY = { status: 409, reason: 'busy', retryable: true } as const;

function isBusy(answer: Answer, what: string): void {
  expect.error(answer, BUSY, what);
  expect.retryAfter(answer, what);
}

const busy = async (intern: Partner, input: ChatInput | string, what: string): Promise<void> =>
  isBusy(await intern.unstreamed(input), what);

/** CHAT-14 leaves open whether the lock or the steer comes first. */
async function busyOrSteered(intern: Partner, input: ChatInput, what: string): Promise<'busy' | 'steered'> {
  const answer = await intern.unstreamed(input);
  if (answer.status < 300) {
    steered(answer, input.session_id, what);
    return 'steered';
  }
  isBusy(answer, what);
  return 'busy';
}

/** CHAT-14: one chat run streams per intern. Until it ends, other prompts and replies are refused. */
export const CHAT_LOCK = checksOf('CHAT-14', 'P', {
  'chat-lock/silent-run': {
    title: 'A silent run that streams keeps out prompts and replies. A prompt to its own session is steered.',
    ...onRunning(['behaviour:ask-permission', 'behaviour:silent'], async (ctx, intern) => {
      const waiting = await intern.asked(ctx.prompt('ask-permission'));
      const session_id = `silent ${intern.id}`;
      const reply = await intern.held({ prompt: ctx.prompt('silent'), session_id });
      await busy(intern, 'Hello.', 'a prompt without a session while a run streams');
      await busy(intern, { prompt: 'Hello.', session_id: `other ${intern.id}` }, 'a prompt to an unseen session');
      const steer = { prompt: 'Hello.', session_id: callOf(waiting).session };
      await busyOrSteered(intern, steer, 'a prompt to a session that waits');
      const answer = await plain(ctx, await intern.answer(waiting, 'allow_once'));
      isBusy(answer, 'a reply while another run streams');
      accepted(await intern.unstreamed({ prompt: 'Hello.', session_id }), 'a prompt to its own session');
      ok(reply.transcript.finish === undefined, 'the run that streams', 'no finish reason', reply.transcript.finish);
      await reply.disconnect();
    }),
  },
  'chat-lock/resumed-run': {
    title: 'A run that streams after an answer keeps others out, as one that streams after its prompt does.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const t = await intern.asked(await ctx.script([...ASKING, { wait: '20s' }, { say: ' End.' }]));
      const reply = await intern.resumed(t);
      await busy(intern, 'Hello.', 'a prompt while an answered run streams');
      const steer = await intern.unstreamed({ prompt: 'Also.', session_id: callOf(t).session });
      accepted(steer, 'a prompt to the session of the run that streams');
      await ctx.clock.advance(20_000);
      expect.finish(await read(reply), 'stop', 'the answered run');
    }),
  },
  'chat-lock/per-intern': {
    title: 'A run that streams does not block other interns.',
    ...onRunning(['behaviour:silent'], async (ctx, one) => {
      const two = await runningOne(ctx);
      const reply = await one.held(ctx.prompt('silent'));
      expect.finish(await two.talk('Hello.'), 'stop', 'a prompt to another intern');
      await busy(one, 'Hello.', 'a prompt to the intern itself');
      await reply.disconnect();
    }),
  },
  'chat-lock/for-every-caller': {
    title: "The lock is the intern's: another caller finds it busy too.",
    ...onRunning(['behaviour:silent', 'peer_api_key'], async (ctx, intern) => {
      await seenByPeer(ctx, intern.id);
      expect.finish(await intern.talk('Hello.', { as: 'peer_api_key' }), 'stop', 'the twin: a prompt of a peer');
      const reply = await intern.held(ctx.prompt('silent'));
      const answer = await intern.unstreamed('Hello.', { as: 'peer_api_key' });
      expect.error(answer, BUSY, 'a prompt of a peer while a run streams');
      await reply.disconnect();
    }),
  },
  'chat-lock/not-by-invoke': {
    title: 'Runs started by invoke hold no lock.',
    ...onRunning(['behaviour:ask-permission', 'behaviour:silent'], async (ctx, intern) => {
      expect.status(await ctx.api.invoke(intern.id, { input: ctx.prompt('silent') }), 202, 'the invoke');
      expect.finish(await intern.talk('Hello.'), 'stop', 'a prompt while a run of invoke goes on');
      const t = await intern.asked(ctx.prompt('ask-permission'));
      expect.finish(await intern.answered(t, 'allow_once'), 'stop', 'a reply while a run of invoke goes on');
    }),
  },
  'chat-lock/not-for-invoke-in-silence': {
    title: 'invoke starts a run while a chat run is silent.',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      const reply = await intern.held(ctx.prompt('silent'));
      expect.status(await ctx.api.invoke(intern.id, { input: 'Hello.' }), 202, 'an invoke while a chat run streams');
      await reply.disconnect();
    }),
  },
  'chat-lock/let-go-by-suspend': {
    title: 'An intern that was suspended while a run streamed takes a prompt once it runs again.',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      const reply = await intern.streaming(ctx.prompt('silent'));
      expect.done(await ctx.api.suspend(intern.id), 'the suspend');
      await read(reply);
      await ctx.interns.untilSuspended(intern.id);
      expect.done(await ctx.api.provision(intern.id), 'the provision');
      await ctx.interns.until(intern.id, ['running']);
      expect.finish(await intern.talk('Hello.'), 'stop', 'a prompt after the resume');
    }),
  },
  'chat-lock/race': {
    title:
      'Of prompts sent at once one streams, the others are 409 busy; of prompts to one session one streams, the others are steered.',
    needs: ['running', 'control'],
    maxRuns: 8,
    async run(ctx) {
      await ctx.property('prompts', fc.integer({ min: 2, max: 6 }), fc.boolean(), async (n, oneSession) => {
        const intern = await runningOne(ctx);
        const prompt = await ctx.script(HELD);
        const session = oneSession ? { session_id: `s ${intern.id}` } : {};
        const replies = await ctx.race(n, () => intern.chat({ prompt, ...session }));
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
});
