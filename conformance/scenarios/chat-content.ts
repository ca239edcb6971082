import fc from 'fast-check';
import { said, surrogates } from '../arbitraries/text.js';
import { equal, fail } from '../model/assert.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { type Arrival, arrival, atOnce, heldBack } from './steps/held-back.js';
import { onRunning, onShared } from './steps/interns.js';

/** CHAT-1 and CHAT-2: content arrives whole, and while the intern says it. */
export const CHAT_CONTENT = checksOf('CHAT-1', {
  'chat-content/reasoning-apart': {
    level: 'P',
    title: 'Thinking comes as delta.reasoning, not as content.',
    ...onShared(['control'], async (ctx, intern) => {
      const said = await ctx.script([{ reason: 'thinking first' }, { say: 'content then' }, { reason: ' and after' }]);
      const t = await intern.talk(said);
      expect.finish(t, 'stop');
      equal(t.content, 'content then', 'content');
      equal(t.reasoning, 'thinking first and after', 'reasoning');
    }),
  },
  'chat-content/content-intact': {
    title: 'Content arrives as the intern said it: line ends, data:, [DONE], U+2028 and every code point included.',
    maxRuns: 60,
    ...onShared(['control'], async (ctx, intern) => {
      const list = fc.array(fc.record({ say: said(60), chunks: fc.integer({ min: 1, max: 5 }) }), {
        minLength: 1,
        maxLength: 4,
      });
      await ctx.property('says', list, async (steps) => {
        const t = await intern.talk(await ctx.script(steps));
        expect.finish(t, 'stop');
        equal(t.content, steps.map((step) => step.say).join(''), 'content');
        expect.grammar(t, 'S');
      });
    }),
  },
  'chat-content/lone-surrogates': {
    level: 'P',
    title: 'Content with halves of surrogate pairs arrives unchanged, because JSON can carry them.',
    maxRuns: 30,
    ...onShared(['control'], async (ctx, intern) => {
      await ctx.property('said', surrogates(), async (say) => {
        const t = await intern.talk(await ctx.script([{ say }]));
        expect.finish(t, 'stop');
        equal(t.content, say, 'content');
        expect.grammar(t, 'S');
      });
    }),
  },
  'chat-content/no-output': {
    requirement: 'CHAT-2',
    title: 'A run without a word ends as any other.',
    ...onShared(['behaviour:says-nothing'], async (ctx, intern) => {
      const t = await intern.talk(ctx.prompt('says-nothing'));
      expect.grammar(t, 'S');
      expect.finish(t, 'stop');
      const finding = { what: 'content', expected: '', actual: t.content };
      ctx.internDid(t.content === '', { did: 'say nothing', said: t.content, finding });
    }),
  },
  'chat-content/long': {
    requirement: 'CHAT-2',
    minRuns: 2,
    title: 'A long reply arrives whole and in order.',
    ...onShared(['control'], async (ctx, intern) => {
      const words = Array.from({ length: 1200 }, (_, at) => `w${at} `);
      const turns = [words.map((say) => ({ say })), [{ say: words.join(''), chunks: 1200 }]];
      for (const turn of turns) {
        const t = await intern.talk(await ctx.script(turn));
        expect.finish(t, 'stop');
        const seen = t.content.split(' ');
        const wrong = seen.findIndex((word, at) => word !== (at < words.length ? `w${at}` : ''));
        if (wrong >= 0 || seen.length !== words.length + 1) {
          const found = `${seen.length - 1} words, the first other one ${seen[wrong]}`;
          fail(`content of ${turn.length} steps`, `${words.length} words in order`, found);
        }
        expect.grammar(t, 'S');
      }
    }),
  },
  'chat-stream/as-it-is-said': {
    title: 'The reply arrives while the run goes on, not when it has ended.',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      // Content during the run proves it at once. The rest is for interns that say everything at once.
      const first = await atOnce(ctx, intern.chat(ctx.prompt('silent')));
      if (first.status < 300) {
        const began = first.until('the first content', (t) => t.content !== '' || t.finish !== undefined);
        const before = (await atOnce(ctx, began)).finish;
        await ctx.settle();
        if (before === undefined && first.transcript.finish === undefined) return first.disconnect();
        await first.end();
      }
      const seen: Arrival[] = [];
      for (let tries = 0; tries < 3; tries++) {
        const one = await arrival(ctx, intern.id);
        if (one.how === 'streams') return;
        seen.push(one);
        const late = seen.filter((before) => before.how === 'late');
        if (one.how === 'late' && late.length === 2) await heldBack(ctx, late);
      }
      const unknown = seen.find(({ how }) => how === 'unknown');
      if (unknown?.how === 'unknown')
        ctx.unmet('a reply that shows whether streams are held back', unknown.why, unknown.got);
      const { content, finish } = first.transcript;
      const finding = { what: 'arrival of a reply', expected: 'a reply of several chunks', actual: finish };
      ctx.internDid(false, { did: 'say enough, or fall silent,', said: content, finding });
    }),
  },
});
