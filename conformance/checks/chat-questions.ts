import fc from 'fast-check';
import { fields, options } from '../arbitraries/answer.js';
import { notText } from '../arbitraries/session-id.js';
import { equal, isArray, isObject, match, notEqual, ok } from '../assert.js';
import { defineChecks } from '../check.js';
import type { Ctx } from '../context.js';
import * as expect from '../expect.js';
import {
  answered,
  asked,
  callOf,
  colour,
  fate,
  newest,
  permission,
  question,
  read,
  talk,
  unstreamed,
  when,
} from '../talk.js';

/** Which of the four options the run consented to by itself is not stated: these say that it was one that allows. */
const consented = (as: string, yes: string) =>
  when({ [as]: 'allow_once' }, [{ say: yes }], [when({ [as]: 'allow_always' }, [{ say: yes }], [{ say: 'refused' }])]);

const CONSENT = [{ say: 'Before. ' }, permission('ok'), consented('ok', 'consented')];

const selfDriven = async (
  ctx: Ctx,
  id: string,
  input: { prompt: string; approval_mode?: string; session_id?: string },
) => {
  const t = await talk(ctx, id, input);
  expect.finish(t, 'stop', 'a run that consents by itself');
  equal(t.content, 'Before. consented', 'content of a run that consents by itself');
  return t;
};

/** CHAT-5 and CHAT-8: what is asked, and when. */
export const CHAT_QUESTIONS = defineChecks([
  {
    id: 'chat-questions/one-tool-call',
    requirement: 'CHAT-5',
    level: 'S',
    title: 'Needing permission, the stream emits one tool call named by the profile, then tool_calls.',
    needs: ['running', 'behaviour:ask-permission'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, ctx.prompt('ask-permission'));
      expect.grammar(t, 'S');
      equal(t.toolCalls.length, 1, 'tool calls');
      equal(t.toolCalls[0]?.name, ctx.profile.tool_name, 'name of the tool call');
      equal(t.error, undefined, 'error of a response that asks');
      question(t);
    },
  },
  {
    id: 'chat-questions/question-in-self-drive',
    requirement: 'CHAT-5',
    level: 'S',
    title: 'A question that needs an answer is asked although the run consents to tools by itself.',
    needs: ['running', 'behaviour:ask-question'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, { prompt: ctx.prompt('ask-question') });
      expect.grammar(t, 'S');
      equal(question(t).kind, 'elicitation', 'kind of the question');
    },
  },
  {
    id: 'chat-questions/whole-call',
    requirement: 'CHAT-5',
    level: 'P',
    title: 'The call is one complete entry, index 0, type function, its arguments a JSON string.',
    needs: ['running', 'behaviour:ask-permission', 'behaviour:ask-question'],
    async run(ctx) {
      for (const behaviour of ['ask-permission', 'ask-question'] as const) {
        const intern = await ctx.interns.running();
        const t = await asked(ctx, intern.id, ctx.prompt(behaviour));
        expect.grammar(t, 'P');
        equal(t.toolCalls[0]?.parts, 1, 'entries that make up the tool call');
        const entries = t.chunks.flatMap(({ json }) => {
          const choice = (json.choices as Record<string, unknown>[])[0];
          const delta = choice?.delta as Record<string, unknown> | undefined;
          return Array.isArray(delta?.tool_calls) ? (delta.tool_calls as unknown[]) : [];
        });
        equal(entries.length, 1, 'entries of tool_calls in the response');
        const [entry] = entries;
        isObject(entry, 'the entry of tool_calls');
        equal(entry.index, 0, 'index of the tool call');
        equal(entry.type, 'function', 'type of the tool call');
        isObject(entry.function, 'function of the tool call');
        equal(typeof entry.function.arguments, 'string', 'type of the arguments of the tool call');
      }
    },
  },
  {
    id: 'chat-questions/permission-arguments',
    requirement: 'CHAT-5',
    level: 'P',
    title: 'A permission asks {kind, operation, options} as the intern asked it.',
    needs: ['running', 'control'],
    maxRuns: 14,
    async run(ctx) {
      const operation = fc.string({ minLength: 1, maxLength: 30 });
      await ctx.property('asked', options(), operation, async (offered, tool) => {
        const intern = await ctx.interns.running();
        const t = await asked(ctx, intern.id, await ctx.script([permission('ok', offered, tool)]));
        const seen = question(t);
        equal(seen.kind, 'permission', 'kind');
        equal(seen.operation, tool, 'operation');
        isArray(seen.options, 'options');
        equal([...seen.options].sort(), [...offered].sort(), 'options, in whatever order');
        await answered(ctx, intern.id, t, offered[0]);
      });
    },
  },
  {
    id: 'chat-questions/elicitation-arguments',
    requirement: 'CHAT-5',
    level: 'P',
    title: 'A question asks {kind, message, fields} as the intern asked it, and does not tell its fallback.',
    needs: ['running', 'control'],
    maxRuns: 14,
    async run(ctx) {
      const message = fc.string({ minLength: 1, maxLength: 60 });
      await ctx.property('asked', message, fields(), async (text, list) => {
        const intern = await ctx.interns.running();
        const ask = { kind: 'elicitation', message: text, fields: list, fallback: { action: 'decline' } };
        const t = await asked(ctx, intern.id, await ctx.script([{ ask, as: 'it' }]));
        const seen = question(t);
        equal(seen.kind, 'elicitation', 'kind');
        equal(seen.message, text, 'message');
        ok(!('fallback' in seen), 'arguments of the question', 'no fallback in them', seen);
        isArray(seen.fields, 'fields');
        equal(seen.fields.length, list.length, 'number of fields');
        for (const [at, field] of list.entries()) {
          const shown: unknown = seen.fields[at];
          isObject(shown, `fields[${at}]`);
          for (const [key, value] of Object.entries(field)) equal(shown[key], value, `fields[${at}].${key}`);
        }
        await answered(ctx, intern.id, t, { action: 'decline' });
      });
    },
  },
  {
    id: 'chat-questions/call-id-is-the-interaction',
    requirement: 'CHAT-5',
    level: 'C',
    title: 'While a question is open the control interface shows its run waiting on it, under the id of the call.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, ctx.prompt('ask-permission'));
      const { id, session } = callOf(t);
      const run = await newest(ctx, intern.id);
      equal(run.status, 'waiting', 'status of the run that asks');
      equal(run.session_id, session, 'session_id of the run that asks');
      equal(run.question?.id, id, 'id of the open question');
      const deadline = run.question?.deadline ?? 0;
      const at = typeof deadline === 'number' ? deadline : Date.parse(deadline);
      equal(at - (await ctx.clock.now()), 300_000, 'ms until the deadline of the question');
    },
  },
  {
    id: 'chat-questions/ids-differ',
    requirement: 'CHAT-5',
    level: 'P',
    title: 'Every question has a call id of its own: in one run, and across runs and interns.',
    needs: ['running', 'behaviour:ask-twice'],
    async run(ctx) {
      const seen = new Set<string>();
      for (let turn = 0; turn < 2; turn++) {
        const intern = await ctx.interns.running();
        const first = await asked(ctx, intern.id, ctx.prompt('ask-twice'));
        const kind = question(first).kind;
        const again = await answered(
          ctx,
          intern.id,
          first,
          kind === 'permission' ? 'allow_once' : { action: 'decline' },
        );
        expect.finish(again, 'tool_calls', 'the answer to the first of two questions');
        for (const t of [first, again]) {
          const { id } = callOf(t);
          ok(!seen.has(id), 'id of a further question', 'one that no question had before', id);
          seen.add(id);
        }
      }
    },
  },
  {
    id: 'chat-questions/consents-when-omitted',
    requirement: 'CHAT-8',
    level: 'S',
    title: 'Without approval_mode the run consents by itself and goes on; with manual the same prompt asks.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const said = await ctx.script(CONSENT);
      const t = await asked(ctx, intern.id, said);
      equal(t.content, 'Before. ', 'content before the question');
      await answered(ctx, intern.id, t, 'allow_once');
      await selfDriven(ctx, intern.id, { prompt: said });
    },
  },
  {
    id: 'chat-questions/manual-asks-live',
    requirement: 'CHAT-8',
    level: 'S',
    onLive: 'warn',
    title: 'A prompt that asks under manual runs through without it.',
    needs: ['running', 'behaviour:ask-permission'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, ctx.prompt('ask-permission'));
      await answered(ctx, intern.id, t, 'allow_once');
      const alone = await talk(ctx, intern.id, ctx.prompt('ask-permission'));
      expect.finish(alone, 'stop', 'the same prompt without approval_mode');
    },
  },
  {
    id: 'chat-questions/self-drive-is-omitted',
    requirement: 'CHAT-8',
    level: 'P',
    title: 'self-drive is the same as no mode.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      await selfDriven(ctx, intern.id, { prompt: await ctx.script(CONSENT), approval_mode: 'self-drive' });
    },
  },
  {
    id: 'chat-questions/unknown-mode',
    requirement: 'CHAT-8',
    level: 'P',
    title: 'An approval_mode that is neither manual nor self-drive is refused.',
    needs: ['running'],
    maxRuns: 50,
    async run(ctx) {
      const intern = await ctx.interns.shared();
      expect.finish(
        await talk(ctx, intern.id, { prompt: 'Twin.', approval_mode: 'self-drive' }),
        'stop',
        'the valid twin',
      );
      const mode = fc.oneof(
        fc.constantFrom<unknown>(
          '',
          'Manual',
          'MANUAL',
          'manual ',
          'self_drive',
          'selfdrive',
          'auto',
          'none',
          'automatic',
        ),
        fc.string({ maxLength: 12 }).filter((text) => text !== 'manual' && text !== 'self-drive'),
        notText(),
      );
      await ctx.property('mode', mode, async (approval_mode) => {
        const answer = await unstreamed(ctx, intern.id, { prompt: 'Hello.', extra: { approval_mode } });
        expect.error(
          answer,
          { status: 400, reason: 'bad_request', retryable: false },
          'a prompt with an unknown approval_mode',
        );
      });
    },
  },
  {
    id: 'chat-questions/mode-not-remembered',
    requirement: 'CHAT-8',
    level: 'S',
    title: 'The mode does not outlive its run: the next prompt of the session has to repeat it.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const said = await ctx.script(CONSENT);
      const first = await asked(ctx, intern.id, said);
      const { session } = callOf(first);
      expect.finish(await answered(ctx, intern.id, first, 'allow_once'), 'stop', 'the answered run');
      await selfDriven(ctx, intern.id, { prompt: said, session_id: session });
      const third = await asked(ctx, intern.id, { prompt: said, session_id: session, approval_mode: 'manual' });
      await answered(ctx, intern.id, third, 'allow_once');
      await selfDriven(ctx, intern.id, { prompt: said });
    },
  },
  {
    id: 'chat-questions/reply-keeps-mode',
    requirement: 'CHAT-8',
    level: 'S',
    title: 'A reply without a mode leaves the run under the one that its prompt started it with.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const said = await ctx.script([permission('a'), { say: 'between' }, permission('b'), { say: 'after' }]);
      const first = await asked(ctx, intern.id, said);
      const second = await answered(ctx, intern.id, first, 'allow_once');
      expect.finish(second, 'tool_calls', 'the second permission of a manual run');
      notEqual(callOf(second).id, callOf(first).id, 'id of the second question');
      expect.finish(await answered(ctx, intern.id, second, 'allow_once'), 'stop', 'the run answered twice');
    },
  },
  {
    id: 'chat-questions/mode-of-a-reply',
    requirement: 'CHAT-8',
    level: 'C',
    title: 'A mode sent with a reply is validated, and changes the run to neither side.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const twice = await ctx.script([permission('a'), permission('b'), { say: 'after' }]);
      const first = await asked(ctx, intern.id, twice);
      const second = await answered(ctx, intern.id, first, 'allow_once', { approval_mode: 'self-drive' });
      expect.finish(second, 'tool_calls', 'the second permission after a reply with self-drive');
      await answered(ctx, intern.id, second, 'allow_once');

      const then = await ctx.script([colour('c'), permission('b'), { say: 'after' }]);
      const free = await asked(ctx, intern.id, { prompt: then });
      const rest = await answered(ctx, intern.id, free, { action: 'decline' }, { approval_mode: 'manual' });
      expect.finish(rest, 'stop', 'a self-driven run after a reply with manual');

      const third = await asked(ctx, intern.id, twice);
      const wrong = await ctx.answer(intern.id, third, 'allow_once', { approval_mode: 'sometimes' });
      expect.error(await wrong.whole(), { status: 400, reason: 'bad_request' }, 'a reply with an unknown mode');
      equal(await fate(ctx, intern.id), 'waiting', 'the run after a reply with an unknown mode');
      await read(await ctx.answer(intern.id, third, 'allow_once'));
    },
  },
  {
    id: 'chat-questions/pause-keeps-content',
    requirement: 'CHAT-5',
    level: 'S',
    title: 'What was said before the question arrives before it, and the run waits.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(
        ctx,
        intern.id,
        await ctx.script([{ say: 'One. ' }, { say: 'Two.' }, permission('ok'), { say: 'Three.' }]),
      );
      equal(t.content, 'One. Two.', 'content before the question');
      const order = t.chunks.map(({ json }) => JSON.stringify(json.choices));
      const call = order.findIndex((text) => text.includes('"tool_calls":['));
      const last = order.findLastIndex((text) => text.includes('Two.'));
      ok(last >= 0 && call > last, 'place of the tool call', 'after all content', order);
      match(await fate(ctx, intern.id), /^waiting$/, 'status of the run');
    },
  },
]);
