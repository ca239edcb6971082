import fc from 'fast-check';
import { said } from '../arbitraries/text.js';
import { equal, fail, ok } from '../model/assert.js';
import { named, read, texts } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onShared, type Partner, runningOne, sharedOne, stoppedOne, talkingTo } from './steps/interns.js';

/** A script that says one word. */
const says = (ctx: Ctx, word: string) => ctx.control.script({ turn: [{ say: word }] });

/** An intern that runs with this model. */
async function booted(ctx: Ctx, model: string, instructions?: string): Promise<Partner> {
  const intern = await stoppedOne(ctx);
  const body = { model, ...(instructions === undefined ? {} : { instructions }) };
  expect.status(await ctx.api.update(intern.id, body), 200, 'an update of the model');
  expect.status(await ctx.api.provision(intern.id), 202, 'the provision');
  return talkingTo(ctx, await ctx.interns.until(intern.id, ['running']));
}

/** EMU-2 and EMU-3: steps of scripts, and the choice of a script. */
export const SCRIPTS = checksOf('EMU-3', {
  'scripts/pieces': {
    title: 'say streams its text in the stated number of chunks, and cuts no character in half.',
    maxRuns: 40,
    ...onShared(['control'], async (ctx, intern) => {
      const cut = async (say: string, chunks: number) => {
        const t = await intern.talk(await ctx.script([{ say, chunks }]));
        const seen = texts(t);
        equal(seen.join(''), say, 'content');
        for (const piece of seen) {
          ok(!/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(piece), 'a piece of what was said', 'no half character', piece);
        }
        return seen.length;
      };
      const number = fc.integer({ min: 1, max: 6 });
      await ctx.property('any text', said(30), number, async (say, chunks) => {
        const seen = await cut(say, chunks);
        ok(seen <= chunks, `chunks of a say in ${chunks}`, 'not more than that', seen);
      });
      // A text of plain letters comes in exactly the stated number of chunks.
      await ctx.property('letters', fc.stringMatching(/^[a-z]{6,20}$/), number, async (say, chunks) => {
        equal(await cut(say, chunks), chunks, `chunks of a say in ${chunks}`);
      });
    }),
  },
  'scripts/pace': {
    requirement: 'EMU-2',
    title: 'Paced chunks come one by one at the given interval, the first at once.',
    needs: ['running', 'control', 'clock'],
    maxRuns: 8,
    async run(ctx) {
      await ctx.property(
        'every',
        fc.integer({ min: 5, max: 9_000 }),
        fc.integer({ min: 2, max: 5 }),
        async (every, chunks) => {
          const intern = await runningOne(ctx);
          const prompt = await ctx.script([
            { say: 'a'.repeat(chunks), every: `${every}ms`, chunks },
            { wait: '1s' },
            { say: '!' },
          ]);
          const reply = await intern.held(prompt);
          equal(texts(reply.transcript).length, 1, 'chunks at once');
          for (let at = 2; at <= chunks; at++) {
            await ctx.clock.advance(every - 1);
            await ctx.settle();
            equal(texts(reply.transcript).length, at - 1, `chunks a millisecond before number ${at}`);
            await ctx.clock.advance(1);
            await reply.until(`chunk ${at} at its time`, () => texts(reply.transcript).length === at);
          }
          await ctx.clock.advance(every + 1_000);
          expect.finish(await reply.end(), 'stop');
        },
      );
    },
  },
  'scripts/ends': {
    title: 'A turn that runs out stops. A failed one says whether to retry.',
    ...onShared(['control'], async (ctx, intern) => {
      const out = await intern.talk(await ctx.script([{ say: 'a' }]));
      expect.finish(out, 'stop', 'a turn that runs out');
      for (const retryable of [true, false]) {
        const t = await intern.talk(await ctx.script([{ say: 'a' }, { end: 'failed', retryable }]));
        equal(t.error?.retryable, retryable, `retryable of a turn that failed with retryable ${retryable}`);
      }
    }),
  },
  'scripts/chosen-by': {
    title:
      'A run takes the first script that is named: on the intern, in the prompt, by the model, in the instructions. Else it takes echo.',
    needs: ['running', 'control'],
    async run(ctx) {
      const [put, asks, model, instructed] = await Promise.all(
        ['put', 'asked', 'model', 'instructed'].map((word) => says(ctx, `by ${word}`)),
      );
      if (put === undefined || asks === undefined) fail('scripts', 'four of them', 'fewer');
      const both = await booted(ctx, `script/${model}`, `script: ${instructed}\nBe kind.`);
      const content = async (intern: Partner, prompt: string) => (await intern.talk(prompt)).content;
      equal(await content(both, named(asks)), 'by asked', 'with one in the prompt');
      equal(await content(both, 'Hello.'), 'by model', 'with a model and instructions');
      equal(await content(both, `Hello.\nscript: ${asks}`), 'by model', 'with one in the second line of the prompt');
      const instructedOne = await runningOne(ctx, { instructions: `script: ${instructed}\nBe kind.` });
      equal(await content(instructedOne, 'Hello.'), 'by instructed', 'with instructions');
      equal(await content(instructedOne, named(asks)), 'by asked', 'with instructions and one in the prompt');
      await ctx.control.useScript(instructedOne.id, put);
      equal(await content(instructedOne, named(asks)), 'by put', 'with one put on the intern, and one in the prompt');
      equal((await ctx.control.intern(instructedOne.id)).script, put, 'script of the intern');
      const plain = await runningOne(ctx);
      equal(await content(plain, 'Hello.'), 'Hello.', 'with none');
    },
  },
  'scripts/unknown': {
    title: 'A prompt that names an unknown or deleted script is 400. The message lists the known ones.',
    ...onShared(['control'], async (ctx, intern) => {
      const name = await says(ctx, 'known');
      equal((await intern.talk(named(name))).content, 'known', 'content of a script that was put');
      const wrong = await intern.unstreamed(named('no-such-script'));
      expect.error(
        wrong,
        { status: 400, reason: 'bad_request', message: /ask-permission/ },
        'a prompt that names an unknown script',
      );
      ok(wrong.text.includes(name), 'message for an unknown script', `${name} among the known`, wrong.text);
      const read = await ctx.control.call('GET', `/scripts/${name}`);
      equal(read.status, 200, 'status of reading a script');
      ok((await read.text()).includes('known'), 'the script that was read', 'what was put');
      const gone = await ctx.control.call('DELETE', `/scripts/${name}`);
      ok(gone.status < 300, 'status of deleting a script', 'a success', gone.status);
      await gone.body?.cancel();
      expect.error(await intern.unstreamed(named(name)), { status: 400 }, 'a prompt that names a deleted script');
      const missing = await ctx.control.call('GET', `/scripts/${name}`);
      equal(missing.status, 404, 'status of reading a deleted script');
      await missing.body?.cancel();
    }),
  },
  'scripts/invalid': {
    title: 'An invalid script is refused when it is put.',
    needs: ['control', 'running'],
    async run(ctx) {
      const name = await says(ctx, 'twin');
      const turns: unknown[] = [
        [{ says: 'x' }],
        [{ say: 1 }],
        [{ say: 'x', every: 'soon' }],
        [{ say: 'x', chunks: 0 }],
        [{ wait: '5 parsecs' }],
        [{ end: 'somehow' }],
        [{ ask: { kind: 'permission', operation: 'shell', options: ['allow_twice'] } }],
        [{ ask: { kind: 'riddle' } }],
        'say x',
        [null],
      ];
      for (const turn of turns) {
        const answer = await ctx.control.call('PUT', `/scripts/${name}`, { name, turn });
        ok(
          answer.status >= 400 && answer.status < 500,
          `status of putting the turn ${JSON.stringify(turn)}`,
          'a refusal (4xx)',
          answer.status,
        );
        await answer.body?.cancel();
      }
      const intern = await sharedOne(ctx);
      equal((await intern.talk(named(name))).content, 'twin', 'content of the script that was there before');
    },
  },
  'scripts/put-again': {
    title: 'A replaced script applies from the next run on; a run under way keeps the old one.',
    ...onShared(['control', 'clock'], async (ctx, intern) => {
      const name = await ctx.control.script({ turn: [{ say: 'old ' }, { wait: '10s' }, { say: 'end' }] });
      const reply = await intern.held(named(name));
      const put = await ctx.control.call('PUT', `/scripts/${name}`, { name, turn: [{ say: 'new' }] });
      ok(put.status < 300, 'status of putting a script again', 'a success', put.status);
      await put.body?.cancel();
      await ctx.clock.advance(10_000);
      equal((await read(reply)).content, 'old end', 'content of the run that went on');
      equal((await intern.talk(named(name))).content, 'new', 'content of the next run');
    }),
  },
});
