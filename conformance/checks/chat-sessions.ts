import fc from 'fast-check';
import { controlled, notText, sessionId } from '../arbitraries/session-id.js';
import { equal, fail, notEqual, ok } from '../assert.js';
import { defineChecks } from '../check.js';
import type { Ctx } from '../context.js';
import * as expect from '../expect.js';
import { ASKING, answered, asked, callOf, fate, held, read, stillOpen, talk, unstreamed } from '../talk.js';
import { invoke, session, steered } from '../turns.js';

/** Says something, waits 20 s, and says the rest. */
const PAUSED = [{ say: 'One. ' }, { wait: '20s' }, { say: 'Two.' }];

async function runsOf(ctx: Ctx, id: string): Promise<number> {
  return (await ctx.control.runs(id)).length;
}

/** CHAT-14 and CHAT-15: sessions, and prompts to those that are busy. */
export const CHAT_SESSIONS = defineChecks([
  {
    id: 'chat-sessions/continue',
    requirement: 'CHAT-3',
    level: 'S',
    title: 'A prompt with the session_id of an earlier one goes on in that session.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const first = await talk(ctx, intern.id, 'Hello.');
      expect.finish(first, 'stop', 'the first prompt');
      ok(first.sessionId !== undefined, 'session_id of the first prompt', 'a session_id', first.final);
      const second = await talk(ctx, intern.id, { prompt: 'Hello again.', session_id: first.sessionId });
      expect.finish(second, 'stop', 'the second prompt');
      equal(second.sessionId, first.sessionId, 'session_id of the second prompt');
    },
  },
  {
    id: 'chat-sessions/new-each-time',
    requirement: 'CHAT-15',
    level: 'P',
    title: 'Prompts without a session_id start sessions of their own.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const first = await talk(ctx, intern.id, 'Hello.');
      const second = await talk(ctx, intern.id, 'Hello.');
      notEqual(second.sessionId, first.sessionId, 'session_id of the second prompt');
    },
  },
  {
    id: 'chat-sessions/unseen-id',
    requirement: 'CHAT-15',
    level: 'P',
    title: 'An unseen session_id of 1 to 256 characters starts a session under that id, letter for letter.',
    needs: ['running'],
    maxRuns: 60,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.property('session_id', sessionId(), async (session_id) => {
        const t = await talk(ctx, intern.id, { prompt: 'Hello.', session_id });
        expect.finish(t, 'stop');
        equal(t.sessionId, session_id, 'session_id of the final chunk');
      });
    },
  },
  {
    id: 'chat-sessions/unfit-id',
    requirement: 'CHAT-15',
    level: 'P',
    title: 'A session_id that is empty, longer than 256, no text, or holds a control character is refused.',
    needs: ['running'],
    maxRuns: 60,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      expect.finish(
        await talk(ctx, intern.id, { prompt: 'Hello.', session_id: 'a'.repeat(256) }),
        'stop',
        'the twin of 256',
      );
      const unfit = fc.oneof(
        { arbitrary: controlled() as fc.Arbitrary<unknown>, weight: 3 },
        { arbitrary: notText(), weight: 1 },
      );
      const refused = async (session_id: unknown) => {
        const answer = await unstreamed(ctx, intern.id, { prompt: 'Hello.', extra: { session_id } });
        const what = 'a prompt with an unfit session_id';
        expect.error(answer, { status: 400, reason: 'bad_request', retryable: false }, what);
      };
      for (const id of ['', 'a'.repeat(257), 'é'.repeat(257), 'a\nb', '\u0000', 'a\u007f', 1, {}]) await refused(id);
      await ctx.property('session_id', unfit, refused);
    },
  },
  {
    id: 'chat-sessions/same-id-elsewhere',
    requirement: 'CHAT-15',
    level: 'P',
    title: 'Equal session ids on two interns are two sessions.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const one = await ctx.interns.running();
      const two = await ctx.interns.running();
      const session_id = `both ${one.id}`;
      const reply = await held(ctx, one.id, { prompt: await ctx.script(PAUSED), session_id });
      const t = await talk(ctx, two.id, { prompt: 'Hello.', session_id });
      expect.finish(t, 'stop', 'a prompt under the same id on another intern');
      equal(t.sessionId, session_id, 'session_id there');
      await ctx.clock.advance(20_000);
      equal((await read(reply)).content, 'One. Two.', 'content of the run on the first intern');
    },
  },
  {
    id: 'chat-sessions/steered',
    requirement: 'CHAT-14',
    level: 'S',
    title: 'A prompt to a session whose run streams is reported as steered, and starts no run.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const session_id = `s ${intern.id}`;
      const reply = await held(ctx, intern.id, { prompt: await ctx.script(PAUSED), session_id });
      const before = await runsOf(ctx, intern.id);
      steered(
        await unstreamed(ctx, intern.id, { prompt: 'Also this.', session_id }),
        session_id,
        'a prompt to a run that streams',
      );
      equal(await runsOf(ctx, intern.id), before, 'runs of the intern after the steered prompt');
      await ctx.clock.advance(20_000);
      const t = await read(reply);
      expect.finish(t, 'stop', 'the steered run');
      expect.grammar(t, 'S');
      ok(
        t.content.startsWith('One. ') && t.content.includes('Two.'),
        'content of the steered run',
        'all of its own',
        t.content,
      );
    },
  },
  {
    id: 'chat-sessions/steered-answer',
    requirement: 'CHAT-14',
    level: 'P',
    title: 'A steered prompt is answered 202 {session_id, status: steered} as JSON, streaming or waiting.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const session_id = `s ${intern.id}`;
      const reply = await held(ctx, intern.id, { prompt: await ctx.script(PAUSED), session_id });
      const waiting = await ctx.interns.running();
      const t = await asked(ctx, waiting.id, await ctx.script(ASKING));
      for (const [id, session] of [
        [intern.id, session_id],
        [waiting.id, callOf(t).session],
      ] as const) {
        const answer = await unstreamed(ctx, id, { prompt: 'Also this.', session_id: session });
        expect.status(answer, 202, 'a steered prompt');
        steered(answer, session, 'a steered prompt');
        equal((answer.json as Record<string, unknown>).session_id, session, 'session_id of a steered prompt');
        ok(
          /^application\/json/i.test(answer.headers.get('content-type') ?? ''),
          'content-type of a steered prompt',
          'JSON',
        );
      }
      await reply.disconnect();
      await answered(ctx, waiting.id, t, 'allow_once');
    },
  },
  {
    id: 'chat-sessions/steered-shows',
    requirement: 'CHAT-14',
    level: 'C',
    title: 'Steered prompts show once each, in order, on the response that streams the run, as `(steered: TEXT)`.',
    needs: ['running', 'control', 'clock'],
    maxRuns: 12,
    async run(ctx) {
      const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 4 });
      await ctx.property('steered', words, async (prompts) => {
        const intern = await ctx.interns.running();
        const session_id = `s ${intern.id}`;
        const reply = await held(ctx, intern.id, { prompt: await ctx.script(PAUSED), session_id });
        for (const prompt of prompts)
          expect.status(await unstreamed(ctx, intern.id, { prompt, session_id }), 202, 'a steered prompt');
        await ctx.clock.advance(20_000);
        const t = await read(reply);
        expect.finish(t, 'stop', 'the steered run');
        const seen = [...t.content.matchAll(/\(steered: ([^)]*)\)/g)].map((match) => match[1]);
        equal(seen, prompts, 'what was steered, as it shows');
        equal(t.content.replace(/\(steered: [^)]*\)/g, ''), 'One. Two.', 'content beside it');
      });
    },
  },
  {
    id: 'chat-sessions/steered-into-waiting',
    requirement: 'CHAT-14',
    level: 'S',
    title: 'A prompt to a session whose run waits is steered too; the question stays as it was.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, await ctx.script(ASKING));
      const { session } = callOf(t);
      steered(
        await unstreamed(ctx, intern.id, { prompt: 'Also this.', session_id: session }),
        session,
        'a prompt to a run that waits',
      );
      equal(await fate(ctx, intern.id), 'waiting', 'the run after the steered prompt');
      await stillOpen(ctx, intern.id, t, 'the question after the steered prompt');
      const rest = await answered(ctx, intern.id, t, 'allow_once');
      expect.finish(rest, 'stop', 'the answered run');
      ok(rest.content.includes('Allowed.'), 'content after the answer', 'what the run says to it', rest.content);
    },
  },
  {
    id: 'chat-sessions/steered-shows-after-answer',
    requirement: 'CHAT-14',
    level: 'C',
    title: 'What was steered into a waiting run shows once, after the answer.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const t = await asked(ctx, intern.id, await ctx.script(ASKING));
      await unstreamed(ctx, intern.id, { prompt: 'also this', session_id: callOf(t).session });
      const rest = await answered(ctx, intern.id, t, 'allow_once');
      equal(
        rest.content.split('(steered: also this)').length - 1,
        1,
        'how often the steered prompt shows after the answer',
      );
      equal(rest.content.replace('(steered: also this)', ''), 'Allowed.', 'content beside it');
    },
  },
  {
    id: 'chat-sessions/not-steered-when-over',
    requirement: 'CHAT-14',
    level: 'S',
    title: 'Once the run of a session has ended, however it did, the next prompt starts another.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      for (const end of ['stop', 'cancelled', 'deadline', 'severed', 'failed']) {
        const first = await talk(ctx, intern.id, await ctx.script([{ say: 'x' }, { end }]));
        const session_id = first.sessionId;
        if (session_id === undefined) fail(`session_id after ${end}`, 'a session_id', first.final);
        const next = await talk(ctx, intern.id, { prompt: 'Hello.', session_id });
        expect.finish(next, 'stop', `the prompt after a run that ended ${end}`);
        equal(next.sessionId, session_id, `session_id of the prompt after a run that ended ${end}`);
      }
    },
  },
  {
    id: 'chat-sessions/steered-is-checked',
    requirement: 'CHAT-15',
    level: 'P',
    title: 'A steered prompt has to be a valid one.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const session_id = `s ${intern.id}`;
      const reply = await held(ctx, intern.id, { prompt: await ctx.script(PAUSED), session_id });
      expect.status(await unstreamed(ctx, intern.id, { prompt: 'x', session_id }), 202, 'its valid twin');
      for (const prompt of ['', 'x'.repeat(32_001)]) {
        const answer = await unstreamed(ctx, intern.id, { prompt, session_id });
        expect.error(answer, { status: 400, reason: 'bad_request' }, `a steered prompt of ${prompt.length} characters`);
      }
      await reply.disconnect();
    },
  },
  {
    id: 'chat-sessions/invoke-session-going',
    requirement: 'CHAT-15',
    level: 'C',
    title: 'A prompt to a session of invoke whose run goes on is delivered into that run.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, await ctx.script(PAUSED)), 'the invoke');
      steered(await unstreamed(ctx, intern.id, { prompt: 'Also.', session_id: id }), id, 'a prompt to a run of invoke');
      equal(await runsOf(ctx, intern.id), 1, 'runs of the intern');
      await ctx.clock.advance(20_000);
      equal(await fate(ctx, intern.id, id), 'ended: stop', 'the run of invoke');
    },
  },
  {
    id: 'chat-sessions/of-the-intern',
    requirement: 'CHAT-15',
    level: 'C',
    title: 'Chat may continue any session of the intern: those of another caller and those of invoke.',
    needs: ['running', 'control', 'peer_api_key'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, await ctx.script(ASKING));
      const rest = await answered(ctx, intern.id, t, 'allow_once', { as: 'peer_api_key' });
      expect.finish(rest, 'stop', 'a question answered by a peer');
      const theirs = await talk(
        ctx,
        intern.id,
        { prompt: 'Hello.', session_id: callOf(t).session },
        { as: 'peer_api_key' },
      );
      expect.finish(theirs, 'stop', "a peer's prompt to the session");
      equal(theirs.sessionId, callOf(t).session, "session_id of a peer's prompt");
      const started = await ctx.api.invoke(intern.id, { input: 'Hello.' });
      expect.status(started, 202, 'the invoke');
      const { session_id } = started.json as { session_id: string };
      const next = await talk(ctx, intern.id, { prompt: 'Hello.', session_id });
      expect.finish(next, 'stop', 'a prompt to the session of an invoke that has ended');
      equal(next.sessionId, session_id, 'its session_id');
    },
  },
]);
