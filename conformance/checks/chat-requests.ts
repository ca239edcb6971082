import { cuts, pieces } from '../arbitraries/cuts.js';
import { LAST_MESSAGES, NO_CONTENTS, unknownFields } from '../arbitraries/message.js';
import { prompt } from '../arbitraries/prompt.js';
import { equal } from '../framework/assert.js';
import { defineChecks } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { talk, unstreamed } from '../helpers/chat.js';
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

/** CHAT-15: what a chat request has to be. */
export const CHAT_REQUESTS = defineChecks({
  'chat-requests/length': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'A prompt has 1 to 32000 code points, however many bytes or code units that is.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      for (const unit of ctx.sample(['a', 'é', '€', '😀'])) {
        // Long replies cost: once with code points of one unit, once with those of two.
        const fits = unit === 'a' || unit === '😀' ? [1, 32_000] : [1];
        for (const length of fits) {
          expect.finish(await talk(ctx, intern.id, unit.repeat(length)), 'stop', `a prompt of ${length} times ${unit}`);
        }
        const over = await unstreamed(ctx, intern.id, unit.repeat(32_001));
        expect.error(over, BAD, `a prompt of 32001 times ${unit}`);
      }
      expect.error(await unstreamed(ctx, intern.id, ''), BAD, 'an empty prompt');
    },
  },
  'chat-requests/length-of-parts': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'Text parts of a prompt count together.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const of = (length: number) => ({
        messages: [
          { role: 'user', content: Array.from({ length }, () => ({ type: 'text', text: 'x'.repeat(8_000) })) },
        ],
      });
      expect.finish(await talk(ctx, intern.id, of(3)), 'stop', 'parts of 24000 characters');
      expect.error(await unstreamed(ctx, intern.id, of(5)), BAD, 'parts of 40000 characters');
    },
  },
  'chat-requests/stream-true': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'stream other than true is refused.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const messages = [{ role: 'user', content: 'Hello.' }];
      const sent = (stream: unknown) =>
        raw(ctx, intern.id, JSON.stringify({ messages, ...(stream === undefined ? {} : { stream }) }));
      expect.status(await sent(true), 200, 'the valid twin');
      for (const stream of ctx.sample([undefined, false, null, 'true', 1, 0, [], {}, [true]])) {
        expect.error(await sent(stream), BAD, `a prompt with stream ${JSON.stringify(stream)}`);
      }
    },
  },
  'chat-requests/messages': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'Messages that are missing, none, or no list are refused.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const good = { role: 'user', content: 'Hello.' };
      const sent = (messages: unknown) => raw(ctx, intern.id, JSON.stringify({ messages, stream: true }));
      expect.status(await sent([good]), 200, 'the valid twin');
      for (const messages of ctx.sample([undefined, null, [], {}, good, 'Hello.', 1, { 0: good, length: 1 }])) {
        expect.error(await sent(messages), BAD, `messages ${JSON.stringify(messages)}`);
      }
    },
  },
  'chat-requests/last-role': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'A last message that is neither of a user nor of a tool is refused, whatever stands before it.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const user = { role: 'user', content: 'Hello.' };
      expect.finish(await talk(ctx, intern.id, { messages: [user, user] }), 'stop', 'the valid twin');
      for (const last of ctx.sample(LAST_MESSAGES)) {
        const answer = await unstreamed(ctx, intern.id, { messages: [user, last] });
        expect.error(answer, BAD, `a prompt whose last message is ${JSON.stringify(last)}`);
      }
    },
  },
  'chat-requests/content-forms': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'Content that is neither text nor text parts is refused.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const parts = [{ type: 'text', text: 'Hello.' }];
      expect.finish(
        await talk(ctx, intern.id, { messages: [{ role: 'user', content: parts }] }),
        'stop',
        'the valid twin',
      );
      for (const content of ctx.sample(NO_CONTENTS)) {
        const answer = await unstreamed(ctx, intern.id, { messages: [{ role: 'user', content }] });
        expect.error(answer, BAD, `a prompt with the content ${JSON.stringify(content)}`);
      }
    },
  },
  'chat-requests/unknown-fields': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'A prompt with fields that the interface does not know is taken.',
    needs: ['running'],
    maxRuns: 40,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.property('fields', unknownFields(), async (extra) => {
        expect.finish(await talk(ctx, intern.id, { prompt: 'Hello.', extra }), 'stop');
      });
    },
  },
  'chat-requests/cut-anywhere': {
    requirement: 'CHAT-15',
    level: 'P',
    title: 'A body that arrives in pieces, cut within characters too, says the same.',
    needs: ['running', 'control'],
    maxRuns: 40,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.property('prompt', prompt(60), cuts(), async (said, at) => {
        const body = pieces(JSON.stringify({ messages: [{ role: 'user', content: said }], stream: true }), at);
        const headers = { 'content-type': 'application/json' };
        const answer = await ctx.send({ method: 'POST', path: chatPath(intern.id), body, headers });
        expect.status(answer, 200, 'a prompt sent in pieces');
        const content = answer.text
          .split(/\r\n|\r|\n/)
          .filter((line) => /^data: ?\{/.test(line))
          .map(
            (line) =>
              (JSON.parse(line.slice(5)) as { choices: { delta?: { content?: string } }[] }).choices[0]?.delta
                ?.content ?? '',
          )
          .join('');
        equal(content, said, 'content of the echo');
      });
    },
  },
});
