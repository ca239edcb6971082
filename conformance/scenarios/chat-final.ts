import fc from 'fast-check';
import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onShared } from '../helpers/interns.js';

/** CHAT-3 and CHAT-4: the final chunk. */
export const CHAT_FINAL = checksOf('CHAT-4', {
  'chat-final/usage-as-reported': {
    title: "The final chunk's usage is what the intern reported, after a stop and after an error.",
    maxRuns: 30,
    ...onShared(['control'], async (ctx, intern) => {
      const tokens = fc.nat({ max: 1_000_000 });
      const end = fc.constantFrom('stop', 'cancelled', 'deadline', 'severed', 'failed');
      await ctx.property('usage', tokens, tokens, end, async (prompt_tokens, completion_tokens, how) => {
        const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
        const t = await intern.talk(await ctx.script([{ say: 'x' }, { usage }, { end: how }]));
        expect.finish(t, how === 'stop' ? 'stop' : 'error');
        expect.grammar(t, 'S');
        const seen = t.final?.usage;
        for (const [key, value] of Object.entries(usage)) {
          equal((seen as Record<string, unknown> | null)?.[key], value, `usage.${key} of the final chunk after ${how}`);
        }
      });
    }),
  },
  'chat-final/usage-shape': {
    level: 'P',
    title: 'Usage is {prompt_tokens, completion_tokens, total_tokens}, with details and cost where they were reported.',
    ...onShared(['control'], async (ctx, intern) => {
      const usage = {
        prompt_tokens: 7,
        completion_tokens: 5,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 3 },
        cost: 0.25,
      };
      const t = await intern.talk(await ctx.script([{ say: 'x' }, { usage }]));
      equal(t.final?.usage, usage, 'usage of the final chunk');
    }),
  },
});
