import fc from 'fast-check';
import { notEqual } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import { type Arrival, arrival, atOnce, heldBack } from '../helpers/held-back.js';
import { onRunning, onShared } from '../helpers/interns.js';

/** CHAT-1: the form of a reply. */
export const CHAT_STREAM = checksOf('CHAT-1', {
  'chat-stream/as-it-is-said': {
    title: 'The reply arrives while the run goes on, not when it has ended.',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      // Content that comes while the run goes on proves it at once. The rest is for interns that say all in one go.
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
  'chat-stream/model-not-the-requests': {
    level: 'P',
    title: 'A model in the request is not used: no chunk carries it.',
    maxRuns: 20,
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      await ctx.property('model', fc.stringMatching(/^[a-z]{3,8}\/[a-z0-9-]{3,12}$/), async (model) => {
        const t = await intern.talk({ prompt: 'Hello.', extra: { model } });
        for (const { json } of t.chunks) notEqual(json.model, model, 'model of a chunk');
      });
      const model = 'kit/never-echoed';
      const t = await intern.talk({
        prompt: ctx.prompt('ask-permission'),
        approval_mode: 'manual',
        extra: { model },
      });
      for (const { json } of t.chunks) notEqual(json.model, model, 'model of a chunk of a response that asks');
    }),
  },
});
