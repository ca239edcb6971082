import fc from 'fast-check';
import { equal } from '../model/assert.js';
import { callOf, PAUSED, read, sameSession, sessionOf } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { accepted, onRunning, onShared, runningOne, steered } from './steps/interns.js';
import { codeWord } from './steps/words.js';

/** CHAT-14: prompts to sessions whose run goes on. */
export const CHAT_STEERING = checksOf('CHAT-14', {
  'chat-steering/steered': {
    title: 'A prompt to a session whose run goes on, streaming or waiting, is reported as steered.',
    ...onRunning(['behaviour:ask-permission', 'behaviour:silent'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const { session: waits } = callOf(t);
      steered(await intern.unstreamed({ prompt: 'Also.', session_id: waits }), waits, 'a prompt to a run that waits');
      expect.finish(await intern.answered(t, 'allow_once'), 'stop', 'the run, answered after a steer');
      const next = await intern.talk({ prompt: 'Hello.', session_id: waits });
      expect.finish(next, 'stop', 'a prompt once the run has ended');
      const reply = await intern.held({ prompt: ctx.prompt('silent'), session_id: waits });
      steered(await intern.unstreamed({ prompt: 'Also.', session_id: waits }), waits, 'a prompt to a run that streams');
      await reply.disconnect();
    }),
  },
  'chat-steering/delivered-live': {
    title: 'A waiting run follows a steered prompt after its answer: the prompt was delivered into it.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const { session } = callOf(t);
      const word = codeWord(ctx);
      const prompt = `Before you are done, say the word ${word}.`;
      steered(await intern.unstreamed({ prompt, session_id: session }), session, 'a prompt to a run that waits');
      const rest = await intern.answered(t, 'allow_once');
      expect.finish(rest, 'stop', 'the run, answered after a steer');
      ctx.internDid(rest.content.includes(word), {
        did: 'do what a steered prompt asked for',
        note: 'that it was delivered shows only where it does',
        said: rest.content,
        finding: { what: 'content of the run, answered after a steer', expected: 'the word', actual: rest.content },
      });
    }),
  },
  'chat-steering/steered-shows': {
    level: 'C',
    title: 'Steered prompts show once each, in order, on the response that streams the run, as `(steered: TEXT)`.',
    needs: ['running', 'control', 'clock'],
    maxRuns: 12,
    async run(ctx) {
      const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 4 });
      await ctx.property('steered', words, async (prompts) => {
        const intern = await runningOne(ctx);
        const session_id = `s ${intern.id}`;
        const reply = await intern.held({ prompt: await ctx.script(PAUSED), session_id });
        for (const prompt of prompts) accepted(await intern.unstreamed({ prompt, session_id }), 'a steered prompt');
        await ctx.clock.advance(20_000);
        const t = await read(reply);
        expect.finish(t, 'stop', 'the steered run');
        const seen = [...t.content.matchAll(/\(steered: ([^)]*)\)/g)].map((match) => match[1]);
        equal(seen, prompts, 'what was steered, as it shows');
        equal(t.content.replace(/\(steered: [^)]*\)/g, ''), 'One. Two.', 'content beside it');
      });
    },
  },
  'chat-steering/not-steered-when-over': {
    title: "After any end of a session's run, the next prompt starts another run.",
    ...onShared(['control'], async (ctx, intern) => {
      for (const end of ['stop', 'cancelled', 'deadline', 'severed', 'failed']) {
        const first = await intern.talk(await ctx.script([{ say: 'x' }, { end }]));
        const session_id = sessionOf(first);
        const next = await intern.talk({ prompt: 'Hello.', session_id });
        expect.finish(next, 'stop', `the prompt after a run that ended ${end}`);
        sameSession(next, session_id, `the prompt after a run that ended ${end}`);
      }
    }),
  },
  'chat-steering/steered-is-checked': {
    requirement: 'CHAT-15',
    title: 'A steered prompt must be valid.',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      const session_id = `s ${intern.id}`;
      const reply = await intern.held({ prompt: ctx.prompt('silent'), session_id });
      accepted(await intern.unstreamed({ prompt: 'x', session_id }), 'its valid twin');
      for (const prompt of ['', 'x'.repeat(32_001)]) {
        const answer = await intern.unstreamed({ prompt, session_id });
        expect.error(answer, { status: 400, reason: 'bad_request' }, `a steered prompt of ${prompt.length} characters`);
      }
      await reply.disconnect();
    }),
  },
});
