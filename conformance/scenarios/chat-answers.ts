import fc from 'fast-check';
import { ALL_OPTIONS, contentFor, fields, options } from '../arbitraries/answer.js';
import { equal, fail, gist } from '../model/assert.js';
import type { Transcript } from '../probe/chunks.js';
import { ASKING, accepted, callOf, permission, question, read, replyTo, sameSession, when } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onShared, runningOne } from './steps/interns.js';
import { codeWord, notFromTheBeginning, notRepeated } from './steps/words.js';

/** CHAT-6: accepted and refused answers, and the streams after them. */
export const CHAT_ANSWERS = checksOf('CHAT-6', {
  'chat/tool-call-pauses-and-continues': {
    title: 'After the answer the stream continues where it paused: in its session, well formed, repeating nothing.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      await notRepeated(ctx, async (saying) => {
        const before = await intern.asked(ctx.prompt('ask-permission', saying));
        const after = await intern.answered(before, 'allow_once');
        notFromTheBeginning(before, after);
        expect.finish(after, 'stop', 'the answered run');
        expect.grammar(after, 'S');
        sameSession(after, callOf(before).session, 'the answered run');
        equal(after.toolCalls.length, 0, 'tool calls after the answer');
        return { before, after };
      });
    }),
  },
  'chat-answers/every-option': {
    level: 'P',
    title: 'The run gets the very option that was chosen; cancel may be chosen too.',
    maxRuns: 25,
    ...onShared(['control'], async (ctx, intern) => {
      const choose = async (offered: readonly string[], choice: string) => {
        const tell = [...offered, 'cancel'].map((one) => when({ ok: one }, [{ say: `got ${one}.` }], []));
        const t = await intern.asked(await ctx.script([permission('ok', offered), ...tell]));
        const rest = await intern.answered(t, choice);
        expect.finish(rest, 'stop', `the run answered ${choice}`);
        equal(rest.content, `got ${choice}.`, `content after ${choice} was chosen`);
      };
      for (const choice of [...ALL_OPTIONS, 'cancel']) await choose(ALL_OPTIONS, choice);
      await ctx.property('chosen', options(), fc.nat({ max: 4 }), (offered, index) =>
        choose(offered, index === 4 ? 'cancel' : (offered[index % offered.length] ?? 'cancel')),
      );
    }),
  },
  'chat-answers/cancel-goes-on': {
    level: 'P',
    title: 'After the answer cancel the run goes on, as after any other.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const rest = await intern.answered(t, 'cancel');
      equal(rest.error?.reason === 'run_ended', false, 'whether the answer cancel ends the run');
      expect.grammar(rest, 'P');
    }),
  },
  'chat-answers/as-answered': {
    title: 'The run gets the answer that was given, and what it says after it arrives from its first word on.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const line = Array.from({ length: 6 }, () => codeWord(ctx));
      const no = codeWord(ctx);
      const saying = `If I refuse it, do nothing in its place: say only the word ${no}. If I allow it, say exactly this line after it, whatever comes of it, and nothing else: ${line.join(' ')}.`;
      const replies = { reject_once: [no, 'Rejected once'], allow_once: [line.join(' '), 'Allowed once'] };
      for (const [choice, other] of [
        ['allow_once', 'reject_once'],
        ['reject_once', 'allow_once'],
      ] as const) {
        const t = await intern.asked(ctx.prompt('ask-permission', saying));
        const { options } = question(t);
        const did = 'ask for a permission that can be allowed and refused';
        ctx.internDid(Array.isArray(options) && options.includes(choice), { did, question: true, asked: question(t) });
        const rest = await intern.answered(t, choice);
        expect.grammar(rest, 'S');
        const heard = rest.content.trim().replace(/\.$/, '');
        // Any other words are the intern's own.
        if (replies[other].includes(heard))
          fail(`a run that was answered ${choice}`, 'the answer', gist(`on as if it were ${other}`, rest.content));
        const [whole = ''] = replies[choice];
        if (heard !== '' && heard !== whole && whole.endsWith(heard))
          fail('the stream after an answer', whole, gist('without its beginning', rest.content));
        const isSaid = replies[choice].includes(heard);
        ctx.internDid(isSaid, { did: 'say what it was asked to after an answer', said: rest.content });
      }
    }),
  },
  'chat-answers/question-content': {
    level: 'P',
    title: 'Acceptable content of a question reaches the run, value by value.',
    maxRuns: 25,
    ...onShared(['control'], async (ctx, intern) => {
      const both = fields().chain((list) => fc.tuple(fc.constant(list), contentFor(list)));
      await ctx.property('answer', both, async ([list, values]) => {
        const ask = { kind: 'elicitation', message: 'Fill in.', fields: list };
        const tell = Object.entries(values).map(([key, value]) =>
          when({ it: { [key]: value } }, [{ say: `${key} ` }], []),
        );
        const said = await ctx.script([{ ask, as: 'it' }, when({ it: 'accept' }, [{ say: 'accept ' }], []), ...tell]);
        const t = await intern.asked(said);
        const rest = await intern.answered(t, accepted(values));
        expect.finish(rest, 'stop', 'the answered run');
        equal(rest.content, ['accept', ...Object.keys(values), ''].join(' '), 'what reached the run');
      });
    }),
  },
  'chat-answers/echo-not-checked': {
    level: 'C',
    title: 'The echo before the tool message is not checked.',
    ...onShared(['control'], async (ctx, intern) => {
      const said = await ctx.script(ASKING);
      for (const before of [
        [],
        [{ role: 'assistant', content: 'no call' }],
        [
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'another', type: 'function', function: { name: 'x', arguments: '' } }],
          },
        ],
        [{ role: 'user', content: 'Something else.' }],
      ]) {
        const t = await intern.asked(said);
        const { id, session } = callOf(t);
        const tool = { role: 'tool', tool_call_id: id, content: 'allow_once' };
        const rest = await intern.talk({ messages: [...before, tool], session_id: session });
        expect.finish(rest, 'stop', 'the answered run');
        equal(rest.content, 'Allowed.', 'content after the answer');
      }
    }),
  },
  'chat-answers/older-of-two': {
    title:
      'Of two questions that wait in two sessions the older may be answered first: each answer goes to its own run.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const input = { prompt: ctx.prompt('ask-permission'), approval_mode: 'manual' };
      const older = await intern.asked(input);
      const reply = await intern.chat(input);
      ctx.assume(reply.status === 200, 'an intern that takes a prompt while a question waits', undefined, reply.status);
      const newer = await read(reply);
      ctx.internDid(newer.finish === 'tool_calls', { did: 'ask for leave twice', said: newer.content });
      for (const [t, which] of [
        [older, 'older'],
        [newer, 'newer'],
      ] as const) {
        const rest = await intern.answered(t, 'allow_once');
        sameSession(rest, callOf(t).session, `the ${which} of two answered runs`);
        expect.finish(rest, 'stop', `the ${which} of two answered runs`);
      }
    }),
  },
  'chat-answers/to-the-run-that-asked': {
    title: 'Of several waiting runs each gets its own answer, in whatever order they are answered.',
    needs: ['running', 'control'],
    maxRuns: 6,
    async run(ctx) {
      const order = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 });
      await ctx.property('order', order, async (turns) => {
        const intern = await runningOne(ctx);
        const waiting: Transcript[] = [];
        for (let at = 0; at < 4; at++) {
          const tell = when({ ok: 'allow_once' }, [{ say: `run ${at}: yes` }], [{ say: `run ${at}: no` }]);
          waiting.push(await intern.asked(await ctx.script([{ say: '?' }, permission('ok'), tell])));
        }
        equal(new Set(waiting.map((t) => t.sessionId)).size, 4, 'sessions of four prompts without one');
        for (const at of turns) {
          const t = waiting[at];
          if (t === undefined) continue;
          const rest = await intern.answered(t, at % 2 === 0 ? 'allow_once' : 'reject_once');
          equal(rest.content, `run ${at}: ${at % 2 === 0 ? 'yes' : 'no'}`, 'content after the answer');
          equal(rest.sessionId, t.sessionId, 'session_id after the answer');
        }
      });
    },
  },
  'chat-unacceptable/field-types': {
    level: 'C',
    title: 'A field takes values of its type only, and may be left out where it is not required.',
    ...onShared(['control'], async (ctx, intern) => {
      const list = [
        { name: 'n', type: 'number', required: true },
        { name: 'b', type: 'boolean' },
        { name: 's', type: 'string' },
        { name: 'p', type: 'number', options: [1, 2] },
      ];
      const ask = { kind: 'elicitation', message: 'Fill in.', fields: list };
      const t = await intern.asked(await ctx.script([{ ask, as: 'it' }, { say: 'x' }]));
      for (const wrong of [
        { b: true },
        { n: '1' },
        { n: true },
        { n: 1, b: 'true' },
        { n: 1, b: 0 },
        { n: 1, s: 1 },
        { n: 1, p: 3 },
        { n: 1, p: '1' },
      ]) {
        const answer = await intern.badAnswer(replyTo(t, accepted(wrong)));
        expect.error(answer, { status: 400, reason: 'bad_request' }, `content ${JSON.stringify(wrong)}`);
      }
      expect.finish(await intern.answered(t, accepted({ n: 0, p: 2 })), 'stop', 'the run, answered after all');
    }),
  },
  'chat-unacceptable/inherited-names': {
    level: 'C',
    title:
      'A required field with the name of an inherited property, such as toString, is missing until it is answered.',
    ...onShared(['control'], async (ctx, intern) => {
      for (const name of ctx.sample(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])) {
        const ask = { kind: 'elicitation', message: 'Fill in.', fields: [{ name, required: true }] };
        const t = await intern.asked(await ctx.script([{ ask, as: 'it' }, { say: 'x' }]));
        const without = await intern.badAnswer(replyTo(t, accepted({})));
        expect.error(without, { status: 400, reason: 'bad_request' }, `an answer without the field ${name}`);
        const rest = await intern.answered(t, accepted({ [name]: 'here' }));
        expect.finish(rest, 'stop', `the run, answered with the field ${name}`);
      }
    }),
  },
});
