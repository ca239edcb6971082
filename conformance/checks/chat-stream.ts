import fc from 'fast-check';
import { content, earlier } from '../arbitraries/message.js';
import { prompt, said, surrogates } from '../arbitraries/prompt.js';
import { equal, fail, match, notEqual, ok } from '../assert.js';
import { defineChecks } from '../check.js';
import * as expect from '../expect.js';
import { asked, permission, talk } from '../talk.js';

/** CHAT-1 to CHAT-4: the form of a reply. */
export const CHAT_STREAM = defineChecks([
  {
    id: 'chat-stream/grammar',
    requirement: 'CHAT-1',
    level: 'S',
    title: 'Whatever is asked, the reply is chunks, one finish reason, one final chunk with session_id, [DONE], end.',
    needs: ['running'],
    maxRuns: 50,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.property('prompt', fc.stringMatching(/^[A-Za-z]{1,8}( [A-Za-z]{1,8}){0,6}\.$/), async (said) => {
        const t = await talk(ctx, intern.id, said);
        expect.finish(t, 'stop', 'the reply to a prompt');
        expect.grammar(t, 'S');
        equal(t.ended, 'end', 'how the body ended');
      });
    },
  },
  {
    id: 'chat-stream/published-shape',
    requirement: 'CHAT-1',
    level: 'P',
    title: 'Chunks have the published shape: object, one id, created, role first, one choice.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const reply = await ctx.chat(intern.id, 'Hello.');
      equal(reply.status, 200, 'status of the reply');
      match(reply.headers.get('content-type'), /^text\/event-stream(\s*;|$)/i, 'content-type of the reply');
      expect.grammar(await reply.end(), 'P');
    },
  },
  {
    id: 'chat-stream/shape-across-pauses',
    requirement: 'CHAT-1',
    level: 'P',
    title: 'A response that asks, and the one that goes on, have the published shape too.',
    needs: ['running', 'behaviour:ask-permission'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const first = await asked(ctx, intern.id, ctx.prompt('ask-permission'));
      expect.grammar(first, 'P');
      const rest = await (await ctx.answer(intern.id, first, 'allow_once')).end();
      expect.finish(rest, 'stop', 'the answered run');
      expect.grammar(rest, 'P');
    },
  },
  {
    id: 'chat-stream/created-in-seconds',
    requirement: 'CHAT-1',
    level: 'P',
    title: 'created is the time in whole Unix seconds.',
    needs: ['running', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const before = Math.floor((await ctx.clock.now()) / 1000);
      const t = await talk(ctx, intern.id, 'Hello.');
      const after = Math.ceil((await ctx.clock.now()) / 1000);
      for (const { json } of t.chunks) {
        const { created } = json;
        ok(
          typeof created === 'number' && created >= before - 1 && created <= after + 1,
          'created',
          `a time between ${before} and ${after}`,
          created,
        );
      }
    },
  },
  {
    id: 'chat-stream/empty-first-content',
    requirement: 'CHAT-1',
    level: 'C',
    title: 'The first chunk carries the role and empty content.',
    needs: ['running'],
    async run(ctx) {
      const t = await talk(ctx, (await ctx.interns.shared()).id, 'Hello.');
      expect.grammar(t, 'C', 'CHAT-1');
    },
  },
  {
    id: 'chat-stream/model-not-the-requests',
    requirement: 'CHAT-1',
    level: 'P',
    title: "A model in the request is not used: no chunk carries it, and the reply is the intern's.",
    needs: ['running', 'behaviour:ask-permission'],
    maxRuns: 20,
    async run(ctx) {
      const intern = await ctx.interns.running();
      const plain = await talk(ctx, intern.id, 'Hello.');
      await ctx.property('model', fc.stringMatching(/^[a-z]{3,8}\/[a-z0-9-]{3,12}$/), async (model) => {
        const t = await talk(ctx, intern.id, { prompt: 'Hello.', extra: { model } });
        equal(t.content, plain.content, 'content of a reply to a request with a model');
        for (const { json } of t.chunks) notEqual(json.model, model, 'model of a chunk');
      });
      const model = 'kit/never-echoed';
      const t = await talk(ctx, intern.id, {
        prompt: ctx.prompt('ask-permission'),
        approval_mode: 'manual',
        extra: { model },
      });
      for (const { json } of t.chunks) notEqual(json.model, model, 'model of a chunk of a response that asks');
    },
  },
  {
    id: 'chat-stream/reasoning-apart',
    requirement: 'CHAT-1',
    level: 'P',
    title: 'Thinking comes as delta.reasoning and is no content.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const said = await ctx.script([{ reason: 'thinking first' }, { say: 'content then' }, { reason: ' and after' }]);
      const t = await talk(ctx, intern.id, said);
      expect.finish(t, 'stop');
      equal(t.content, 'content then', 'content');
      equal(t.reasoning, 'thinking first and after', 'reasoning');
    },
  },
  {
    id: 'chat-stream/content-intact',
    requirement: 'CHAT-1',
    level: 'S',
    title: 'Content arrives as the intern said it: line ends, data:, [DONE], U+2028 and every code point included.',
    needs: ['running', 'control'],
    maxRuns: 60,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const list = fc.array(fc.record({ say: said(60), chunks: fc.integer({ min: 1, max: 5 }) }), {
        minLength: 1,
        maxLength: 4,
      });
      await ctx.property('says', list, async (steps) => {
        const t = await talk(ctx, intern.id, await ctx.script(steps));
        expect.finish(t, 'stop');
        equal(t.content, steps.map((step) => step.say).join(''), 'content');
        expect.grammar(t, 'S');
      });
    },
  },
  {
    id: 'chat-stream/awkward-lines',
    requirement: 'CHAT-1',
    level: 'S',
    title: 'What looks like the framing of a stream is content like any other.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const lines = [
        '[DONE]',
        'data: [DONE]\n\n',
        '\n\ndata: {}\n\n',
        ': keepalive\n\n',
        'event: x\r\nid: 1\r\n\r\n',
        '\u2028\u2029\u0085',
        '\ufeff',
        '\u0000\u001f\u007f',
        '👩‍👩‍👧‍👦🏳️‍🌈é̂',
        '"\\" } ] } \\n',
        '</script><!--',
        ' ',
      ];
      const t = await talk(ctx, intern.id, await ctx.script(lines.map((say) => ({ say }))));
      expect.finish(t, 'stop');
      equal(t.content, lines.join(''), 'content');
      expect.grammar(t, 'S');
    },
  },
  {
    id: 'chat-stream/lone-surrogates',
    requirement: 'CHAT-1',
    level: 'P',
    title: 'Halves of surrogate pairs in content stay what they are, as JSON can say it.',
    needs: ['running', 'control'],
    maxRuns: 30,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.property('said', surrogates(), async (say) => {
        const t = await talk(ctx, intern.id, await ctx.script([{ say }]));
        expect.finish(t, 'stop');
        equal(t.content, say, 'content');
        expect.grammar(t, 'S');
      });
    },
  },
  {
    id: 'chat-stream/no-output',
    requirement: 'CHAT-2',
    level: 'S',
    title: 'A run that ends without a word ends as any other.',
    needs: ['running', 'control'],
    async run(ctx) {
      const t = await talk(ctx, (await ctx.interns.shared()).id, await ctx.script([{ end: 'stop' }]));
      expect.finish(t, 'stop');
      equal(t.content, '', 'content');
      expect.grammar(t, 'S');
    },
  },
  {
    id: 'chat-stream/session-id-only-final',
    requirement: 'CHAT-3',
    level: 'C',
    title: 'session_id and usage stand nowhere but in the final chunk.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const usage = { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } };
      const said = await ctx.script([{ say: 'a' }, usage, permission('ok'), { say: 'b' }]);
      const first = await asked(ctx, intern.id, said);
      expect.grammar(first, 'C', 'CHAT-3');
      expect.grammar(await (await ctx.answer(intern.id, first, 'allow_once')).end(), 'C', 'CHAT-3');
    },
  },
  {
    id: 'chat-stream/usage-as-reported',
    requirement: 'CHAT-4',
    level: 'S',
    title: "The final chunk's usage is what the intern reported, after a stop and after an error.",
    needs: ['running', 'control'],
    maxRuns: 30,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      const tokens = fc.nat({ max: 1_000_000 });
      const end = fc.constantFrom('stop', 'cancelled', 'deadline', 'severed', 'failed');
      await ctx.property('usage', tokens, tokens, end, async (prompt_tokens, completion_tokens, how) => {
        const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
        const t = await talk(ctx, intern.id, await ctx.script([{ say: 'x' }, { usage }, { end: how }]));
        expect.finish(t, how === 'stop' ? 'stop' : 'error');
        expect.grammar(t, 'S');
        const seen = t.final?.usage;
        for (const [key, value] of Object.entries(usage)) {
          equal((seen as Record<string, unknown> | null)?.[key], value, `usage.${key} of the final chunk after ${how}`);
        }
      });
    },
  },
  {
    id: 'chat-stream/no-usage-is-null',
    requirement: 'CHAT-4',
    level: 'S',
    title: 'Usage is null where the intern reported none, however the run ends.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      for (const end of ['stop', 'cancelled', 'deadline', 'severed', 'failed']) {
        const t = await talk(ctx, intern.id, await ctx.script([{ say: 'Some words that are no report.' }, { end }]));
        expect.grammar(t, 'S', 'CHAT-4');
        equal(t.final?.usage, null, `usage of the final chunk after ${end} without a report`);
      }
    },
  },
  {
    id: 'chat-stream/usage-after-pause',
    requirement: 'CHAT-4',
    level: 'S',
    title: 'Usage is null after tool_calls, also when some was reported, and stands at the end of the answered run.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
      const said = await ctx.script([{ say: 'a' }, { usage }, permission('ok'), { say: 'b' }]);
      const first = await asked(ctx, intern.id, said);
      equal(first.final?.usage, null, 'usage after tool_calls');
      const rest = await (await ctx.answer(intern.id, first, 'allow_once')).end();
      expect.finish(rest, 'stop');
      equal(
        (rest.final?.usage as Record<string, unknown> | null)?.total_tokens,
        52,
        'usage.total_tokens after the answer',
      );
    },
  },
  {
    id: 'chat-stream/usage-shape',
    requirement: 'CHAT-4',
    level: 'P',
    title: 'Usage is {prompt_tokens, completion_tokens, total_tokens}, with details and cost where they were reported.',
    needs: ['running', 'control'],
    async run(ctx) {
      const usage = {
        prompt_tokens: 7,
        completion_tokens: 5,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 3 },
        cost: 0.25,
      };
      const said = await ctx.script([{ say: 'x' }, { usage }]);
      const t = await talk(ctx, (await ctx.interns.shared()).id, said);
      equal(t.final?.usage, usage, 'usage of the final chunk');
    },
  },
  {
    id: 'chat-stream/long',
    requirement: 'CHAT-2',
    level: 'S',
    title: 'A long reply arrives whole and in order.',
    needs: ['running', 'control'],
    async run(ctx) {
      const words = Array.from({ length: 1500 }, (_, at) => `w${at} `);
      const said = await ctx.script(words.map((say) => ({ say })));
      const t = await talk(ctx, (await ctx.interns.shared()).id, said);
      expect.finish(t, 'stop');
      const seen = t.content.split(' ');
      const wrong = seen.findIndex((word, at) => word !== (at < words.length ? `w${at}` : ''));
      if (wrong >= 0 || seen.length !== words.length + 1) {
        fail(
          'content',
          `${words.length} words in order`,
          `${seen.length - 1} words, the first other one ${seen[wrong]}`,
        );
      }
      expect.grammar(t, 'S');
    },
  },
  {
    id: 'chat-stream/only-last-message',
    requirement: 'CHAT-15',
    level: 'P',
    title: 'Only the last message is read: what stands before it changes nothing.',
    needs: ['running', 'behaviour:echo', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.property('messages', earlier(), content(), async (before, last) => {
        const messages = [...before, { role: 'user', content: last.content }];
        const t = await talk(ctx, intern.id, { messages });
        expect.finish(t, 'stop');
        let from = 0;
        for (const text of last.texts) {
          const at = t.content.indexOf(text, from);
          if (at < 0)
            fail('content of the echo', `the text parts in order, ${JSON.stringify(text)} among them`, t.content);
          from = at + text.length;
        }
        for (const message of before as { content?: unknown }[]) {
          if (typeof message.content !== 'string' || message.content.length < 8) continue;
          ok(
            last.texts.join('').includes(message.content) || !t.content.includes(message.content),
            'content of the echo',
            'nothing of earlier messages',
            t.content,
          );
        }
      });
    },
  },
  {
    id: 'chat-stream/echo-is-the-prompt',
    requirement: 'EMU-9',
    level: 'C',
    title: 'echo repeats the prompt, with usage.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      await ctx.property('prompt', prompt(), async (said) => {
        const t = await talk(ctx, intern.id, said);
        expect.finish(t, 'stop');
        equal(t.content, said, 'content of the echo');
        expect.grammar(t, 'C');
        notEqual(t.final?.usage, null, 'usage of the echo');
      });
    },
  },
]);
