import fc from 'fast-check';
import { equal, match, ok } from '../assert.js';
import { defineChecks } from '../check.js';
import type { Ctx } from '../context.js';
import * as expect from '../expect.js';
import type { Answer } from '../probe/client.js';
import type { As } from '../probe/request.js';
import { ASKING, asked, badAnswer, callOf, HELD, held, plain, unstreamed } from '../talk.js';

const DIGEST = { bodySha256: 'a'.repeat(64) };
const LIMITED = { status: 429, reason: 'rate_limited', retryable: true } as const;

/** A prompt: its status, and the whole answer where it was refused. */
async function prompt(ctx: Ctx, id: string, as: As = 'api_key'): Promise<Answer> {
  const reply = await ctx.chat(id, 'Hello.', { as, limited: true });
  if (reply.status !== 200) return reply.whole();
  await reply.end();
  return plain(ctx, reply);
}

const taken = async (ctx: Ctx, id: string, what: string, as?: As) =>
  expect.status(await prompt(ctx, id, as), 200, what);
const over = async (ctx: Ctx, id: string, what: string, as?: As) => {
  const answer = await prompt(ctx, id, as);
  expect.error(answer, LIMITED, what);
  return answer;
};

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

/** CHAT-17: the chat turn limiter. */
export const LIMITER = defineChecks([
  {
    id: 'limiter/chat',
    requirement: 'CHAT-17',
    level: 'S',
    title: 'Prompts over the limit are 429 rate_limited, retryable; those within it are taken.',
    needs: ['running', 'control'],
    maxRuns: 6,
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.property('turns a minute', fc.integer({ min: 1, max: 6 }), async (limit) => {
        await ctx.control.limit(0);
        await ctx.control.limit(limit);
        for (let turn = 1; turn <= limit; turn++) await taken(ctx, intern.id, `prompt ${turn} of ${limit} allowed`);
        await over(ctx, intern.id, `prompt ${limit + 1} of ${limit} allowed`);
      });
    },
  },
  {
    id: 'limiter/message-and-header',
    requirement: 'CHAT-17',
    level: 'P',
    title: 'The message starts `Too many intern turns`, and Retry-After says when; invoke is limited the same way.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.control.limit(1);
      await taken(ctx, intern.id, 'the first prompt');
      const invoked = await ctx.api.invoke(intern.id, { input: 'Hello.' }, { limited: true });
      for (const [answer, what] of [
        [await prompt(ctx, intern.id), 'a prompt over the limit'],
        [invoked, 'an invoke over the limit'],
      ] as const) {
        expect.error(answer, { ...LIMITED, message: /^Too many intern turns/ }, what);
        match(answer.headers.get('retry-after'), /^[1-9]\d*$/, `Retry-After of ${what}`);
        ok(
          Number(answer.headers.get('retry-after')) <= 60,
          `Retry-After of ${what}`,
          'at most 60 s',
          answer.headers.get('retry-after'),
        );
      }
    },
  },
  {
    id: 'limiter/what-counts',
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
    id: 'limiter/what-is-limited',
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
    id: 'limiter/signatures',
    requirement: 'SIGN-8',
    level: 'S',
    title: 'Signatures count against the limit of chat, and the other way round: 429 `Too many intern turns`.',
    needs: ['running', 'control', 'oauth_token'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const sign = () => ctx.api.sign(intern.id, DIGEST, { as: 'oauth_token', limited: true });
      await ctx.control.limit(2);
      expect.status(await sign(), 200, 'a signature within the limit');
      await taken(ctx, intern.id, 'a prompt within the limit', 'oauth_token');
      expect.error(await sign(), { ...LIMITED, message: /^Too many intern turns/ }, 'a signature over the limit');
      await over(ctx, intern.id, 'a prompt over the limit', 'oauth_token');
    },
  },
  {
    id: 'limiter/refused-do-not-count',
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
    id: 'limiter/judged-last',
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
    id: 'limiter/sliding',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'A turn counts for 60 seconds, to the millisecond, each for itself; refused ones do not count on.',
    needs: ['running', 'control', 'clock'],
    maxRuns: 6,
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.property('ms between two turns', fc.integer({ min: 1_000, max: 58_000 }), async (apart) => {
        await ctx.control.limit(0);
        await ctx.control.limit(2);
        await taken(ctx, intern.id, 'the first turn');
        await ctx.clock.advance(apart);
        await taken(ctx, intern.id, 'the second turn');
        await over(ctx, intern.id, 'the third at once');
        await ctx.clock.advance(60_000 - apart - 1);
        await over(ctx, intern.id, 'the third 59.999 s after the first');
        await ctx.clock.advance(2);
        await taken(ctx, intern.id, 'the third 60.001 s after the first');
        await over(ctx, intern.id, 'a fourth then, the second not being 60 s old');
        await ctx.clock.advance(apart - 2);
        await over(ctx, intern.id, 'a fourth 59.999 s after the second');
        await ctx.clock.advance(2);
        await taken(ctx, intern.id, 'a fourth 60.001 s after the second');
      });
    },
  },
  {
    id: 'limiter/retry-after-holds',
    requirement: 'CHAT-17',
    level: 'P',
    title: 'After the seconds of Retry-After the turn is taken, and Retry-After shrinks while one waits.',
    needs: ['running', 'control', 'clock'],
    maxRuns: 8,
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.property('ms since the turn', fc.integer({ min: 0, max: 59_500 }), async (waited) => {
        await ctx.control.limit(0);
        await ctx.control.limit(1);
        await taken(ctx, intern.id, 'the one turn');
        await ctx.clock.advance(waited);
        const answer = await over(ctx, intern.id, `a second turn ${waited} ms later`);
        const seconds = Number(answer.headers.get('retry-after'));
        const left = (60_000 - waited) / 1000;
        ok(
          seconds >= left && seconds <= left + 2,
          'Retry-After',
          `the ${left} s that are left, in whole seconds`,
          seconds,
        );
        await ctx.clock.advance(seconds * 1000);
        await taken(ctx, intern.id, `a turn ${seconds} s later, as Retry-After said`);
      });
    },
  },
  {
    id: 'limiter/per-member',
    requirement: 'CHAT-17',
    level: 'C',
    title: 'API key and OAuth tokens of a person share a limit, on every intern; a peer and an own key have their own.',
    needs: ['running', 'control', 'peer_api_key', 'oauth_token', 'oauth_interns_only_token', 'own_key'],
    async run(ctx) {
      const own = await ctx.interns.own({ running: true });
      const other = await ctx.interns.running();
      await ctx.control.limit(1);
      await taken(ctx, own.id, 'the one turn of the API key');
      await over(ctx, other.id, 'a second one on another intern');
      await over(ctx, own.id, 'one of the OAuth token of the same person', 'oauth_token');
      await over(ctx, own.id, 'one of the interns-only token of the same person', 'oauth_interns_only_token');
      await taken(ctx, own.id, 'the one turn of a peer', 'peer_api_key');
      await over(ctx, own.id, 'a second one of the peer', 'peer_api_key');
      await taken(ctx, own.id, "the one turn of the intern's own key", own.key);
      await over(ctx, own.id, "a second one of the intern's own key", own.key);
    },
  },
  {
    id: 'limiter/changing-clears',
    requirement: 'EMU-5',
    level: 'C',
    title: 'The limit can be read; changing it clears what was counted; 0 is off.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.control.limit(1);
      await taken(ctx, intern.id, 'the one turn');
      await over(ctx, intern.id, 'the second');
      await ctx.control.limit(2);
      const read = await ctx.control.call('GET', '/limits');
      equal(((await read.json()) as Record<string, unknown>).turns_per_minute, 2, 'turns_per_minute');
      await taken(ctx, intern.id, 'a first turn under a new limit');
      await taken(ctx, intern.id, 'a second turn under a new limit of two');
      await over(ctx, intern.id, 'a third turn');
      await ctx.control.limit(0);
      for (let turn = 0; turn < 5; turn++) await taken(ctx, intern.id, 'a turn without a limit');
    },
  },
  {
    id: 'limiter/only-turns',
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
