import { equal, ok } from '../framework/assert.js';
import { defineChecks } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { ASKING, answered, asked, broken, read, talk, unstreamed } from '../helpers/chat.js';

/** EMU-6: faults of chat and invoke. */
export const FAULTS = defineChecks([
  {
    id: 'faults/chat-statuses',
    requirement: 'EMU-6',
    level: 'C',
    title: 'Each status a fault may have comes in the error form of chat, so many times, and then no more.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      for (const status of [408, 429, 500, 502, 503, 504]) {
        await ctx.control.fault({ operation: 'chat', status, times: 2 });
        for (let turn = 1; turn <= 2; turn++) {
          const answer = await unstreamed(ctx, intern.id, 'Hello.', { limited: true });
          expect.error(answer, { status }, `prompt ${turn} under a fault ${status}`);
        }
        expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', `the prompt after a fault ${status}`);
      }
    },
  },
  {
    id: 'faults/only-their-operation',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A fault of chat leaves invoke alone, and the other way round; without times it is for one call.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.control.fault({ operation: 'chat', status: 500 });
      expect.status(await ctx.api.invoke(intern.id, { input: 'Hello.' }), 202, 'an invoke under a fault of chat');
      expect.error(await unstreamed(ctx, intern.id, 'Hello.'), { status: 500 }, 'a prompt under a fault of chat');
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'the second prompt');
      await ctx.control.fault({ operation: 'invoke', status: 503 });
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'a prompt under a fault of invoke');
      expect.error(
        await ctx.api.invoke(intern.id, { input: 'Hello.' }),
        { status: 503 },
        'an invoke under a fault of invoke',
      );
      expect.status(await ctx.api.invoke(intern.id, { input: 'Hello.' }), 202, 'the second invoke');
    },
  },
  {
    id: 'faults/refused-use-none',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A call that is refused anyway uses no fault up.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.control.fault({ operation: 'chat', status: 500 });
      expect.status(await unstreamed(ctx, intern.id, 'Hello.', { as: ctx.wrongKey }), 401, 'a prompt with a wrong key');
      expect.status(await unstreamed(ctx, ctx.interns.unknownId(), 'Hello.'), 404, 'a prompt to an unknown intern');
      expect.status(await unstreamed(ctx, intern.id, { messages: [] }), 400, 'a prompt without messages');
      expect.status(await unstreamed(ctx, intern.id, 'Hello.'), 500, 'the prompt that the fault is for');
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'the next prompt');
    },
  },
  {
    id: 'faults/starts-nothing',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A call that a fault answered has done nothing: no run, no answer taken.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, await ctx.script(ASKING));
      const before = (await ctx.control.runs(intern.id)).length;
      await ctx.control.fault({ operation: 'chat', status: 502, times: 2 });
      expect.error(await unstreamed(ctx, intern.id, 'Hello.'), { status: 502 }, 'a prompt under a fault');
      const reply = await ctx.answer(intern.id, t, 'allow_once');
      expect.error(await reply.whole(), { status: 502 }, 'a reply under a fault');
      equal((await ctx.control.runs(intern.id)).length, before, 'runs after the faults');
      expect.finish(await answered(ctx, intern.id, t, 'allow_once'), 'stop', 'the reply once more');
    },
  },
  {
    id: 'faults/delay',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A delayed call is answered when its time has come on the clock, and as it would have been.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      for (const delay of [5_000, '5s'] as const) {
        await ctx.control.fault({ operation: 'chat', delay });
        let open = false;
        const coming = ctx.chat(intern.id, 'Hello.').then((reply) => {
          open = true;
          return reply;
        });
        await ctx.settle();
        await ctx.settle();
        await ctx.clock.advance(4_999);
        await ctx.settle();
        ok(!open, 'a delayed prompt', 'no answer after 4.999 s', 'an answer');
        await ctx.clock.advance(1);
        expect.finish(await read(await coming), 'stop', `a prompt delayed by ${delay}`);
      }
    },
  },
  {
    id: 'faults/dropped',
    requirement: 'EMU-6',
    level: 'C',
    title: 'A dropped connection is no answer, or one that breaks off; the next call is answered.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.control.fault({ operation: 'chat', disconnect: true });
      const chat = await broken(async () => {
        const reply = await ctx.chat(intern.id, 'Hello.');
        const t = await reply.end();
        if (!t.done) throw (await broken(() => reply.until('[DONE]', (seen) => seen.done))) ?? new Error('unreachable');
      });
      ok(chat !== undefined, 'a prompt whose connection is dropped', 'no whole answer', 'one');
      await ctx.control.fault({ operation: 'invoke', disconnect: true });
      const invoke = await broken(() => ctx.api.invoke(intern.id, { input: 'Hello.' }));
      ok(invoke !== undefined, 'an invoke whose connection is dropped', 'no answer', 'one');
      await ctx.clock.advance(31_000);
      expect.finish(await talk(ctx, intern.id, 'Hello.'), 'stop', 'the next prompt');
      expect.status(await ctx.api.invoke(intern.id, { input: 'Hello.' }), 202, 'the next invoke');
    },
  },
]);
