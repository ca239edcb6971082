import fc from 'fast-check';
import { fields, options } from '../arbitraries/answer.js';
import { equal, isArray, isObject, match, ok } from '../model/assert.js';
import { accepted, callOf, permission, question, sameSession, textsFor } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onRunning, onShared, runningOne } from './steps/interns.js';

/** CHAT-5: the contents of a question. */
export const CHAT_QUESTIONS = checksOf('CHAT-5', {
  'chat-questions/question-in-self-drive': {
    title: 'A question that needs an answer is asked even if the run consents to tools by itself.',
    ...onShared(['behaviour:ask-question'], async (ctx, intern) => {
      for (const action of ['accept', ...ctx.sample(['decline'], 0)]) {
        const t = await intern.asked({ prompt: ctx.prompt('ask-question') }, undefined, 'any');
        expect.grammar(t, 'S');
        const { kind } = question(t);
        const finding = { what: 'kind of the question', expected: 'elicitation', actual: kind };
        const said = callOf(t).arguments;
        ctx.internDid(kind === 'elicitation', { did: 'ask a question', question: true, said, finding });
        // How an answer carries texts is published.
        const texts = action === 'accept' && ctx.profile.published ? textsFor(t) : undefined;
        const rest = await intern.answered(t, texts === undefined ? { action: 'decline' } : accepted(texts));
        expect.grammar(rest, 'S');
        sameSession(rest, callOf(t).session, 'the answered run');
      }
    }),
  },
  'chat-questions/permission-arguments': {
    level: 'P',
    title: 'A permission shows {kind, operation, options} as the intern asked it.',
    needs: ['running', 'control'],
    maxRuns: 14,
    async run(ctx) {
      const operation = fc.string({ minLength: 1, maxLength: 30 });
      await ctx.property('asked', options(), operation, async (offered, tool) => {
        const intern = await runningOne(ctx);
        const t = await intern.asked(await ctx.script([permission('ok', offered, tool)]));
        const seen = question(t);
        equal(seen.kind, 'permission', 'kind');
        equal(seen.operation, tool, 'operation');
        isArray(seen.options, 'options');
        equal([...seen.options].sort(), [...offered].sort(), 'options, in whatever order');
        await intern.answered(t, offered[0]);
      });
    },
  },
  'chat-questions/elicitation-arguments': {
    level: 'P',
    title: 'A question shows {kind, message, fields} as the intern asked it, but not its fallback.',
    needs: ['running', 'control'],
    maxRuns: 14,
    async run(ctx) {
      const message = fc.string({ minLength: 1, maxLength: 60 });
      await ctx.property('asked', message, fields(), async (text, list) => {
        const intern = await runningOne(ctx);
        const ask = { kind: 'elicitation', message: text, fields: list, fallback: { action: 'decline' } };
        const t = await intern.asked(await ctx.script([{ ask, as: 'it' }]));
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
        await intern.answered(t, { action: 'decline' });
      });
    },
  },
  'chat-questions/call-id-is-the-interaction': {
    requirement: 'EMU-4',
    title: 'While a question is open the control interface shows its run waiting on it, under the id of the call.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const { id, session } = callOf(t);
      const run = await intern.newest();
      equal(run.status, 'waiting', 'status of the run that asks');
      equal(run.session_id, session, 'session_id of the run that asks');
      equal(run.question?.id, id, 'id of the open question');
      const deadline = run.question?.deadline ?? 0;
      const at = typeof deadline === 'number' ? deadline : Date.parse(deadline);
      equal(at - (await ctx.clock.now()), 300_000, 'ms until the deadline of the question');
      await intern.answered(t, 'allow_once');
      const after = await intern.newest();
      equal(after.status, 'ended', 'status of the run after the answer');
      equal(after.question, undefined, 'question of the run after the answer');
    }),
  },
  'chat-questions/ids-differ': {
    level: 'P',
    title: 'Every question has a call id of its own: in one run, and across runs and interns.',
    needs: ['running', 'behaviour:ask-twice'],
    async run(ctx) {
      const seen = new Set<string>();
      for (let turn = 0; turn < 2; turn++) {
        const intern = await runningOne(ctx);
        const first = await intern.asked(ctx.prompt('ask-twice'), undefined, 'any');
        const content = question(first).kind === 'permission' ? 'allow_once' : { action: 'decline' };
        const again = await intern.answered(first, content);
        expect.finish(again, 'tool_calls', 'the answer to the first of two questions');
        for (const t of [first, again]) {
          const { id } = callOf(t);
          ok(!seen.has(id), 'id of a further question', 'one that no question had before', id);
          seen.add(id);
        }
      }
    },
  },
  'chat-questions/pause-keeps-content': {
    title: 'What was said before the question arrives before it, and the run waits.',
    ...onRunning(['control'], async (ctx, intern) => {
      const t = await intern.asked(
        await ctx.script([{ say: 'One. ' }, { say: 'Two.' }, permission('ok'), { say: 'Three.' }]),
      );
      equal(t.content, 'One. Two.', 'content before the question');
      const order = t.chunks.map(({ json }) => JSON.stringify(json.choices));
      const call = order.findIndex((text) => text.includes('"tool_calls":['));
      const last = order.findLastIndex((text) => text.includes('Two.'));
      ok(last >= 0 && call > last, 'place of the tool call', 'after all content', order);
      match(await intern.fate(), /^waiting$/, 'status of the run');
    }),
  },
});
