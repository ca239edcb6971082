import fc from 'fast-check';
import { equal } from '../model/assert.js';
import { ASKING, callOf, PAUSED, read, sameSession, sessionOf } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onRunning, onShared, runningOne, session, steered } from './steps/interns.js';

const LETTER = fc.oneof(
  { arbitrary: fc.integer({ min: 0x20, max: 0x7e }), weight: 5 },
  { arbitrary: fc.integer({ min: 0xc0, max: 0xff }), weight: 1 },
  { arbitrary: fc.integer({ min: 0x3b1, max: 0x3c9 }), weight: 1 },
  { arbitrary: fc.integer({ min: 0x4e00, max: 0x4fff }), weight: 1 },
);

/** Session ids of 1 to 256 characters; the lengths at both ends often. */
const sessionId = (): fc.Arbitrary<string> =>
  fc
    .oneof(
      { arbitrary: fc.array(LETTER, { minLength: 1, maxLength: 60 }), weight: 4 },
      { arbitrary: fc.array(LETTER, { minLength: 1, maxLength: 1 }), weight: 1 },
      { arbitrary: fc.array(LETTER, { minLength: 256, maxLength: 256 }), weight: 1 },
    )
    .map((codes) => String.fromCodePoint(...codes));

/** CHAT-14 and CHAT-15: sessions, and prompts to busy ones. */
export const CHAT_SESSIONS = checksOf('CHAT-15', {
  'chat-sessions/continue': {
    requirement: 'CHAT-3',
    title: 'A prompt with the session_id of an earlier one continues that session.',
    ...onShared([], async (_ctx, intern) => {
      const first = await intern.talk('Hello.');
      expect.finish(first, 'stop', 'the first prompt');
      const session_id = sessionOf(first);
      const second = await intern.talk({ prompt: 'Hello again.', session_id });
      expect.finish(second, 'stop', 'the second prompt');
      sameSession(second, session_id, 'the second prompt');
    }),
  },
  'chat-sessions/unseen-id': {
    title: 'An unseen session_id of up to 256 characters starts a session under that id, letter for letter.',
    maxRuns: 60,
    ...onShared([], async (ctx, intern) => {
      const longest = await intern.talk({ prompt: 'Hello.', session_id: ctx.interns.name().padEnd(256, 'a') });
      expect.finish(longest, 'stop', 'a prompt with a session_id of 256 characters');
      await ctx.property('session_id', sessionId(), async (some) => {
        // Whether interns share their sessions is not stated: an id of one character may have been seen long ago.
        const session_id = [...`${ctx.interns.name()} ${some}`].slice(0, 256).join('');
        const t = await intern.talk({ prompt: 'Hello.', session_id });
        expect.finish(t, 'stop');
        equal(sessionOf(t), session_id, 'session_id of the final chunk');
        // No session of invoke: a rule judges the answer.
        await intern.invoke('Also.', session_id);
      });
    }),
  },
  'chat-sessions/same-id-elsewhere': {
    title: 'Equal session ids on two interns are two sessions, even ids of one character.',
    ...onRunning(['control', 'clock'], async (ctx, one) => {
      const two = await runningOne(ctx);
      const session_id = 'b';
      const reply = await one.held({ prompt: await ctx.script(PAUSED), session_id });
      const t = await two.talk({ prompt: 'Hello.', session_id });
      expect.finish(t, 'stop', 'a prompt under the same id on another intern');
      equal(t.sessionId, session_id, 'session_id there');
      await ctx.clock.advance(20_000);
      equal((await read(reply)).content, 'One. Two.', 'content of the run on the first intern');
    }),
  },
  'chat-sessions/invoke-session-going': {
    level: 'C',
    title: 'A prompt to a session of invoke whose run goes on is delivered into that run.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const id = session(await intern.invoke(await ctx.script(PAUSED)), 'the invoke');
      steered(await intern.unstreamed({ prompt: 'Also.', session_id: id }), id, 'a prompt to a run of invoke');
      equal((await ctx.control.runs(intern.id)).length, 1, 'runs of the intern');
      await ctx.clock.advance(20_000);
      equal(await intern.fate(id), 'ended: stop', 'the run of invoke');
    }),
  },
  'chat-sessions/of-the-intern': {
    level: 'C',
    title: 'Chat may continue any session of the intern: those of another caller and those of invoke.',
    ...onRunning(['control', 'peer_api_key'], async (ctx, intern) => {
      const t = await intern.asked(await ctx.script(ASKING));
      const rest = await intern.answered(t, 'allow_once', { as: 'peer_api_key' });
      expect.finish(rest, 'stop', 'a question answered by a peer');
      const theirs = await intern.talk({ prompt: 'Hello.', session_id: callOf(t).session }, { as: 'peer_api_key' });
      expect.finish(theirs, 'stop', "a peer's prompt to the session");
      equal(theirs.sessionId, callOf(t).session, "session_id of a peer's prompt");
      const started = await ctx.api.invoke(intern.id, { input: 'Hello.' });
      expect.status(started, 202, 'the invoke');
      const { session_id } = started.json as { session_id: string };
      const next = await intern.talk({ prompt: 'Hello.', session_id });
      expect.finish(next, 'stop', 'a prompt to the session of an invoke that has ended');
      equal(next.sessionId, session_id, 'its session_id');
    }),
  },
});
