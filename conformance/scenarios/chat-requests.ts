import { unknownFields } from '../arbitraries/message.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { onShared } from '../helpers/interns.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';

const BAD = { status: 400, reason: 'bad_request', retryable: false } as const;

const chatPath = (id: string) => internPath(id, '/chat/completions');

/** Any body at all, sent as it is. */
async function raw(ctx: Ctx, id: string, body: string): Promise<Answer> {
  const open = await ctx.open({
    method: 'POST',
    path: chatPath(id),
    body,
    headers: { 'content-type': 'application/json' },
  });
  // Reads a stream to its end: leaving it may keep the intern busy for half a minute.
  return open.whole();
}

const USER = { role: 'user', content: 'Hello.' };

type Over = Readonly<Record<string, unknown>>;

/** Sends prompts that are valid but for what they are given. */
async function prompts(ctx: Ctx): Promise<(over: Over) => Promise<Answer>> {
  const { id } = await ctx.interns.shared();
  return (over) => raw(ctx, id, JSON.stringify({ messages: [USER], stream: true, ...over }));
}

/** CHAT-15: what a chat request must be. */
export const CHAT_REQUESTS = checksOf('CHAT-15', {
  'chat-requests/length': {
    title: 'A prompt has 1 to 32000 code points, however many bytes or code units that is.',
    ...onShared([], async (ctx, intern) => {
      for (const unit of ctx.sample(['a', 'é', '€', '😀'])) {
        // Long replies cost: once with code points of one unit, once with those of two.
        const fits = unit === 'a' || unit === '😀' ? [1, 32_000] : [1];
        for (const length of fits) {
          expect.finish(await intern.talk(unit.repeat(length)), 'stop', `a prompt of ${length} times ${unit}`);
        }
        const over = await intern.unstreamed(unit.repeat(32_001));
        expect.error(over, BAD, `a prompt of 32001 times ${unit}`);
      }
      expect.error(await intern.unstreamed(''), BAD, 'an empty prompt');
    }),
  },
  'chat-requests/length-of-parts': {
    title: 'Text parts of a prompt count together.',
    needs: ['running'],
    async run(ctx) {
      const send = await prompts(ctx);
      const text = { type: 'text', text: 'x'.repeat(8_000) };
      const of = (length: number) => ({ messages: [{ role: 'user', content: Array.from({ length }, () => text) }] });
      expect.success(await send(of(3)), 'parts of 24000 characters');
      expect.error(await send(of(5)), BAD, 'parts of 40000 characters');
    },
  },
  'chat-requests/unknown-fields': {
    title: 'A prompt with fields that the interface does not know is taken.',
    maxRuns: 40,
    ...onShared([], async (ctx, intern) => {
      await ctx.property('fields', unknownFields(), async (extra) => {
        expect.finish(await intern.talk({ prompt: 'Hello.', extra }), 'stop');
      });
    }),
  },
});
