import fc from 'fast-check';
import { equal, ok } from '../assert.js';
import { defineChecks } from '../check.js';
import type { Ctx } from '../context.js';
import * as expect from '../expect.js';
import type { Answer } from '../probe/client.js';
import { ASKING, asked, badAnswer, callOf, HELD, held, plain, unstreamed } from '../talk.js';
import { LIMITED, over, prompt, taken } from '../turns.js';

const DIGEST = { bodySha256: 'a'.repeat(64) };
/** One turn of each kind that counts; what has to stand before it is done by `ready`, with the limit off. */
const TURNS: Record<string, (ctx: Ctx, id: string) => Promise<() => Promise<Answer>>> = {
  prompt: async (ctx, id) => () => prompt(ctx, id),
  invoke: async (ctx, id) => () => ctx.api.invoke(id, { input: 'Hello.' }, { limited: true }),
  reply: async (ctx, id) => {
    const t = await asked(ctx, id, await ctx.script(ASKING));
    return async () => {
      const reply = await ctx.answer(id, t, 'allow_once', { limited: true });
      if (reply.status === 200) await reply.end();
      return plain(ctx, reply);
    };
  },
  'steered prompt': async (ctx, id) => {
    const t = await asked(ctx, id, await ctx.script(ASKING));
    return () => unstreamed(ctx, id, { prompt: 'Also.', session_id: callOf(t).session }, { limited: true });
  },
  'steered invoke': async (ctx, id) => {
    const started = await ctx.api.invoke(id, { input: await ctx.script(HELD) });
    const { session_id } = started.json as { session_id: string };
    return () => ctx.api.invoke(id, { input: 'Also.', session_id }, { limited: true });
  },
};

/** CHAT-17: what counts as a turn, and what does not. */
export const LIMITER_COUNTS = defineChecks([
  {
    id: 'limiter-counts/what-counts',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'Accepted prompts, replies, steers and invokes count one each.',
    needs: ['running', 'control'],
    async run(ctx) {
      for (const [name, ready] of Object.entries(TURNS)) {
        const intern = await ctx.interns.running();
        await ctx.control.limit(0);
        const turn = await ready(ctx, intern.id);
        await ctx.control.limit(2);
        expect.status(await turn(), [200, 202], `a ${name} within the limit`);
        await taken(ctx, intern.id, `the second turn of two, after a ${name}`);
        await over(ctx, intern.id, `the third turn of two, after a ${name}`);
      }
    },
  },
  {
    id: 'limiter-counts/what-is-limited',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'Each of them is refused over the limit, changes nothing then, and is taken once there is room.',
    needs: ['running', 'control'],
    async run(ctx) {
      for (const [name, ready] of Object.entries(TURNS)) {
        const intern = await ctx.interns.running();
        await ctx.control.limit(0);
        const turn = await ready(ctx, intern.id);
        await ctx.control.limit(1);
        await taken(ctx, intern.id, 'the one turn');
        const runs = await ctx.control.runs(intern.id);
        expect.error(await turn(), LIMITED, `a ${name} over the limit`);
        const after = await ctx.control.runs(intern.id);
        equal(
          after.map((run) => `${run.id} ${run.status}`),
          runs.map((run) => `${run.id} ${run.status}`),
          `runs after a ${name} over the limit`,
        );
        await ctx.control.limit(5);
        expect.status(await turn(), [200, 202], `the ${name} once there is room`);
      }
    },
  },
  {
    id: 'limiter-counts/refused-do-not-count',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'What is refused counts nothing: bodies, ids, credentials, states, locks, answers, signatures.',
    needs: ['running', 'control', 'oauth_interns_only_token'],
    maxRuns: 8,
    async run(ctx) {
      const kinds = fc.array(
        fc.constantFrom(
          'body',
          'length',
          'id',
          'key',
          'state',
          'lock',
          'answer',
          'call',
          'invoke body',
          'invoke session',
          'sign key',
          'sign grant',
          'script',
          'refused',
        ),
        { minLength: 1, maxLength: 4 },
      );
      const stopped = await ctx.interns.stopped();
      await ctx.property('refused', kinds, async (list) => {
        const intern = await ctx.interns.running();
        await ctx.control.limit(0);
        const t = await asked(ctx, intern.id, await ctx.script(ASKING));
        const occupied = list.includes('lock') ? await held(ctx, intern.id, await ctx.script(HELD)) : undefined;
        const away = await ctx.script([{ end: 'failed' }]);
        const { id: call, session } = callOf(t);
        const refusals: Record<string, () => Promise<Answer>> = {
          body: () => unstreamed(ctx, intern.id, { messages: [] }),
          length: () => unstreamed(ctx, intern.id, 'x'.repeat(32_001)),
          id: () => unstreamed(ctx, ctx.interns.unknownId(), 'Hello.'),
          key: () => unstreamed(ctx, intern.id, 'Hello.', { as: ctx.wrongKey }),
          state: () => unstreamed(ctx, stopped.id, 'Hello.'),
          lock: () => unstreamed(ctx, intern.id, 'Hello.'),
          answer: () => badAnswer(ctx, intern.id, { call, session, content: 'no such option' }),
          call: () => badAnswer(ctx, intern.id, { call: 'nobodys', session, content: 'allow_once' }),
          'invoke body': () => ctx.api.invoke(intern.id, { input: '' }),
          'invoke session': () => ctx.api.invoke(intern.id, { input: 'Hello.', session_id: 'nobodys' }),
          'sign key': () => ctx.api.sign(intern.id, DIGEST),
          'sign grant': () => ctx.api.sign(intern.id, DIGEST, { as: 'oauth_interns_only_token' }),
          script: () => unstreamed(ctx, intern.id, 'script: no-such-script'),
          refused: () => (occupied ? unstreamed(ctx, intern.id, { messages: [] }) : unstreamed(ctx, intern.id, away)),
        };
        await ctx.control.limit(1);
        for (const kind of list) {
          const answer = await refusals[kind]?.();
          ok(
            answer !== undefined && answer.status >= 400 && answer.status !== 429,
            `a turn refused for: ${kind}`,
            'a refusal other than 429',
            answer?.status,
          );
        }
        if (occupied)
          expect.status(await ctx.api.invoke(intern.id, { input: 'Hello.' }, { limited: true }), 202, 'the first turn');
        else await taken(ctx, intern.id, 'the first turn that is taken');
        expect.error(
          await ctx.api.invoke(intern.id, { input: 'Hello.' }, { limited: true }),
          LIMITED,
          'the second turn of one',
        );
        await occupied?.disconnect();
      });
    },
  },
  {
    id: 'limiter-counts/judged-last',
    requirement: 'BODY-5',
    level: 'C',
    title: 'Over the limit other refusals are told first.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const stopped = await ctx.interns.stopped();
      const t = await asked(ctx, intern.id, await ctx.script(ASKING));
      const { id: call, session } = callOf(t);
      await ctx.control.limit(1);
      await taken(ctx, intern.id, 'the one turn');
      await over(ctx, intern.id, 'the second turn');
      const limited = { limited: true };
      expect.status(await unstreamed(ctx, intern.id, { messages: [] }, limited), 400, 'a bad body over the limit');
      expect.status(
        await unstreamed(ctx, ctx.interns.unknownId(), 'Hello.', limited),
        404,
        'an unknown intern over the limit',
      );
      expect.status(
        await unstreamed(ctx, intern.id, 'Hello.', { ...limited, as: ctx.wrongKey }),
        401,
        'a wrong key over the limit',
      );
      expect.status(
        await unstreamed(ctx, stopped.id, 'Hello.', limited),
        409,
        'an intern that does not run over the limit',
      );
      expect.status(
        await badAnswer(ctx, intern.id, { call: 'nobodys', session, content: 'x' }, limited),
        404,
        'an unknown call over the limit',
      );
      expect.status(
        await badAnswer(ctx, intern.id, { call, session, content: 'x' }, limited),
        400,
        'an unacceptable answer over the limit',
      );
      const invoked = await ctx.api.invoke(intern.id, { input: 'x', session_id: 'nobodys' }, limited);
      expect.status(invoked, 404, 'an invoke in an unknown session over the limit');
    },
  },
  {
    id: 'limiter-counts/only-turns',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'Reads and writes of interns are neither counted nor limited.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.control.limit(1);
      for (let turn = 0; turn < 3; turn++) {
        expect.status(await ctx.api.get(intern.id, { limited: true }), 200, 'a read');
        expect.status(await ctx.api.list({ limit: 1 }, { limited: true }), 200, 'a list');
        expect.status(
          await ctx.api.update(intern.id, { description: `turn ${turn}` }, { limited: true }),
          200,
          'an update',
        );
      }
      await taken(ctx, intern.id, 'the one turn');
      await over(ctx, intern.id, 'the second turn');
      expect.status(await ctx.api.get(intern.id, { limited: true }), 200, 'a read over the limit');
      expect.status(
        await ctx.api.update(intern.id, { description: 'over' }, { limited: true }),
        200,
        'an update over the limit',
      );
    },
  },
]);
