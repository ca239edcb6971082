import { equal, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { ASKING, callOf, HELD, plain, replyTo, unstreamed } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { LIMITED, onRunning, over, type Partner, prompt, runningOne, stoppedOne, taken } from './steps/interns.js';

const DIGEST = { bodySha256: 'a'.repeat(64) };
/** One turn of each kind that counts. `ready` prepares it while the limit is off. */
const TURNS: Record<string, (ctx: Ctx, intern: Partner) => Promise<() => Promise<Answer>>> = {
  prompt:
    async (ctx, { id }) =>
    () =>
      prompt(ctx, id),
  invoke:
    async (ctx, { id }) =>
    () =>
      ctx.api.invoke(id, { input: 'Hello.' }, { limited: true }),
  reply: async (ctx, intern) => {
    const t = await intern.asked(await ctx.script(ASKING));
    return async () => {
      const reply = await intern.answer(t, 'allow_once', { limited: true });
      if (reply.status === 200) await reply.end();
      return plain(ctx, reply);
    };
  },
  'steered prompt': async (ctx, intern) => {
    const t = await intern.asked(await ctx.script(ASKING));
    return () => intern.unstreamed({ prompt: 'Also.', session_id: callOf(t).session }, { limited: true });
  },
  'steered invoke': async (ctx, { id }) => {
    const started = await ctx.api.invoke(id, { input: await ctx.script(HELD) });
    const { session_id } = started.json as { session_id: string };
    return () => ctx.api.invoke(id, { input: 'Also.', session_id }, { limited: true });
  },
};

/** CHAT-17: requests that count as turns, and others. */
export const LIMITER_COUNTS = checksOf('CHAT-17', 'C', {
  'limiter-counts/what-counts': {
    title:
      'Prompts, replies, steers and invokes count one turn each. Over the limit they are refused, and change nothing.',
    needs: ['running', 'control'],
    async run(ctx) {
      for (const [name, ready] of Object.entries(TURNS)) {
        const intern = await runningOne(ctx);
        await ctx.control.limit(0);
        const turn = await ready(ctx, intern);
        const runs = async () => (await ctx.control.runs(intern.id)).map((run) => `${run.id} ${run.status}`);
        await ctx.control.limit(1);
        await taken(ctx, intern.id, 'the one turn');
        const before = await runs();
        expect.error(await turn(), LIMITED, `a ${name} over the limit`);
        equal(await runs(), before, `runs after a ${name} over the limit`);
        await ctx.control.limit(2);
        expect.status(await turn(), [200, 202], `a ${name} within the limit`);
        await taken(ctx, intern.id, `the second turn of two, after a ${name}`);
        await over(ctx, intern.id, `the third turn of two, after a ${name}`);
      }
    },
  },
  'limiter-counts/refused-do-not-count': {
    minRuns: 2,
    title:
      'Refused requests do not count: for their body, id, credential, state, answer or signature, or by the intern.',
    ...onRunning(['control', 'oauth_interns_only_token'], async (ctx, intern) => {
      const stopped = await stoppedOne(ctx);
      const t = await intern.asked(await ctx.script(ASKING));
      const away = await ctx.script([{ end: 'failed' }]);
      const gone = await ctx.script([{ end: 'severed' }]);
      const refusals: Record<string, () => Promise<Answer>> = {
        body: () => intern.unstreamed({ messages: [] }),
        length: () => intern.unstreamed('x'.repeat(32_001)),
        mode: () => intern.unstreamed({ prompt: 'Hello.', approval_mode: 'sometimes' }),
        id: () => unstreamed(ctx, ctx.interns.unknownId(), 'Hello.'),
        key: () => intern.unstreamed('Hello.', { as: ctx.wrongKey }),
        state: () => stopped.unstreamed('Hello.'),
        answer: () => intern.badAnswer(replyTo(t, 'no such option')),
        call: () => intern.badAnswer({ ...replyTo(t, 'allow_once'), call: 'nobodys' }),
        script: () => intern.unstreamed('script: no-such-script'),
        'invoke body': () => ctx.api.invoke(intern.id, { input: '' }),
        'invoke session': () => ctx.api.invoke(intern.id, { input: 'Hello.', session_id: 'nobodys' }),
        'invoke state': () => ctx.api.invoke(stopped.id, { input: 'Hello.' }),
        'sign with a key': () => ctx.api.sign(intern.id, DIGEST),
        'sign without the grant': () => ctx.api.sign(intern.id, DIGEST, { as: 'oauth_interns_only_token' }),
        'refused by the intern': () => intern.unstreamed(away),
        'out of reach': () => intern.unstreamed(gone),
        'invoke refused by the intern': () => ctx.api.invoke(intern.id, { input: away }),
      };
      for (const [kind, refuse] of Object.entries(refusals)) {
        await ctx.control.limit(0);
        await ctx.control.limit(1);
        const answer = await refuse();
        const what = `a turn refused for: ${kind}`;
        ok(answer.status >= 400 && answer.status !== 429, what, 'a refusal other than 429', answer.status);
        await taken(ctx, intern.id, `the first turn that is taken, after ${what}`);
        await over(ctx, intern.id, `the second turn of one, after ${what}`);
      }
    }),
  },
  'limiter-counts/busy-does-not-count': {
    title: 'A turn that is refused as busy does not count.',
    ...onRunning(['control'], async (ctx, intern) => {
      const t = await intern.asked(await ctx.script(ASKING));
      const occupied = await intern.held(await ctx.script(HELD));
      await ctx.control.limit(1);
      expect.status(await intern.unstreamed('Hello.'), 409, 'a prompt while a run streams');
      expect.status(await intern.badAnswer(replyTo(t, 'allow_once')), 409, 'a reply meanwhile');
      const invoke = () => ctx.api.invoke(intern.id, { input: 'Hello.' }, { limited: true });
      expect.status(await invoke(), 202, 'the first turn that is taken');
      expect.error(await invoke(), LIMITED, 'the second turn of one');
      await occupied.disconnect();
    }),
  },
  'limiter-counts/judged-last': {
    requirement: 'BODY-5',
    title: 'Over the limit every other refusal comes first.',
    ...onRunning(['control', 'oauth_token'], async (ctx, intern) => {
      const { api, interns } = ctx;
      const stopped = await stoppedOne(ctx);
      const { id: call, session } = callOf(await intern.asked(await ctx.script(ASKING)));
      await ctx.control.limit(1);
      await taken(ctx, intern.id, 'the one turn');
      await over(ctx, intern.id, 'the second turn');
      const limited = { limited: true };
      const person = { as: 'oauth_token', limited: true } as const;
      const refusals: readonly (readonly [number, string, () => Promise<Answer>])[] = [
        [400, 'a prompt without messages', () => intern.unstreamed({ messages: [] }, limited)],
        [404, 'a prompt to an unknown intern', () => unstreamed(ctx, interns.unknownId(), 'Hello.', limited)],
        [401, 'a prompt with a wrong key', () => intern.unstreamed('Hello.', { ...limited, as: ctx.wrongKey })],
        [409, 'a prompt to an intern that does not run', () => stopped.unstreamed('Hello.', limited)],
        [404, 'an unknown call', () => intern.badAnswer({ call: 'nobodys', session, content: 'x' }, limited)],
        [400, 'an unacceptable answer', () => intern.badAnswer({ call, session, content: 'x' }, limited)],
        [404, 'an unknown session', () => api.invoke(intern.id, { input: 'x', session_id: 'nobodys' }, limited)],
        [400, 'an invoke without input', () => api.invoke(intern.id, {}, limited)],
        [409, 'an invoke of an intern that does not run', () => api.invoke(stopped.id, { input: 'x' }, limited)],
        [404, 'an invoke of an unknown intern', () => api.invoke(interns.unknownId(), { input: 'x' }, limited)],
        [400, 'an invalid signature', () => api.sign(stopped.id, { bodySha256: 'x' }, person)],
        [403, 'a signature with an API key', () => api.sign(stopped.id, DIGEST, limited)],
        [429, 'a signature', () => api.sign(stopped.id, DIGEST, person)],
        [429, 'an invoke', () => api.invoke(intern.id, { input: 'x' }, limited)],
      ];
      for (const [status, what, ask] of refusals) expect.status(await ask(), status, `${what} over the limit`);
    }),
  },
  'limiter-counts/only-turns': {
    title: 'The operations of the lifecycle and the daemon read are neither counted nor limited.',
    ...onRunning(['control', 'oauth_token'], async (ctx, { id }) => {
      const { api, interns } = ctx;
      await ctx.control.limit(1);
      const free = async () => {
        expect.status(await api.list({ limit: 1 }, { limited: true }), 200, 'a list');
        expect.status(await api.get(id, { limited: true }), 200, 'a read');
        expect.status(await api.update(id, { description: 'free' }, { limited: true }), 200, 'an update');
        const made = expect.intern(await api.create(interns.body(), { limited: true }), 201, 'a create');
        expect.status(await api.provision(made.id, { limited: true }), 202, 'a provision');
        expect.status(await api.remove(made.id, undefined, { limited: true }), 202, 'a delete');
        expect.status(await api.daemon(id, { as: 'oauth_token', limited: true }), 200, 'the daemon read');
      };
      await free();
      await free();
      await taken(ctx, id, 'the one turn');
      await over(ctx, id, 'the second turn');
      await free();
      expect.status(await api.suspend(id, { limited: true }), 200, 'a suspend');
    }),
  },
});
