import { NEARLY_OPTIONS, NO_COLOURS, NO_OPTIONS, noColour, noOption } from '../arbitraries/answer.js';
import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { accepted, callOf, colour, permission, read, replyTo, when } from '../helpers/chat.js';
import { onShared, type Partner } from '../helpers/interns.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer } from '../probe/client.js';
import { GATEWAY } from '../probe/gateway.js';

/**
 * After a refusal with another status than 400: a question that refuses a good answer too is not open, and that is the finding.
 * The answer of a gateway says nothing about the question, which the next value needs.
 */
async function open(intern: Partner, t: Transcript, { status }: Answer): Promise<void> {
  if (status >= 401 && !GATEWAY.has(status)) await intern.answered(t, 'allow_once');
}

/** CHAT-6 and CHAT-7: unacceptable answers, which leave the question open. */
export const CHAT_UNACCEPTABLE = checksOf('CHAT-6', {
  'chat-unacceptable/unacceptable-option': {
    requirement: 'CHAT-7',
    level: 'P',
    title: 'An answer that is not an offered option is 400, and the question stays open.',
    maxRuns: 50,
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const refused = async (content: string) => {
        const answer = await intern.badAnswer(replyTo(t, content));
        const what = `the answer ${JSON.stringify(content)}, which is no option`;
        await open(intern, t, answer);
        expect.error(answer, { status: 400, reason: 'bad_request', retryable: false }, what);
      };
      for (const content of ctx.sample(NO_OPTIONS)) await refused(content);
      await ctx.property('content', noOption(), refused);
      expect.finish(await intern.answered(t, 'allow_once'), 'stop', 'the run, answered after all');
    }),
  },
  'chat-unacceptable/option-not-offered': {
    level: 'C',
    title: 'Of the four options only those are taken that were offered, letter for letter.',
    ...onShared(['control'], async (ctx, intern) => {
      const t = await intern.asked(await ctx.script([permission('ok', ['allow_once', 'reject_always']), { say: 'x' }]));
      for (const content of ['allow_always', 'reject_once', ...NEARLY_OPTIONS]) {
        const answer = await intern.badAnswer(replyTo(t, content));
        expect.error(answer, { status: 400, reason: 'bad_request' }, `${content}, which was not offered`);
      }
      expect.finish(await intern.answered(t, 'reject_always'), 'stop', 'the run, answered after all');
    }),
  },
  'chat-unacceptable/unacceptable-content': {
    level: 'C',
    title: 'No JSON, another action, a missing field, a wrong type, an unlisted option: 400, and the question stays.',
    maxRuns: 60,
    ...onShared(['control'], async (ctx, intern) => {
      const says = when({ it: { answer: 'red' } }, [{ say: 'red' }], [{ say: 'else' }]);
      const t = await intern.asked(await ctx.script([{ say: 'Asking. ' }, colour('it'), says]));
      const refused = async (content: string) => {
        const answer = await intern.badAnswer(replyTo(t, content));
        expect.error(answer, { status: 400, reason: 'bad_request', retryable: false }, `the answer ${content}`);
      };
      for (const content of ctx.sample(NO_COLOURS)) await refused(content);
      await ctx.property('content', noColour(), refused);
      const rest = await intern.answered(t, accepted({ answer: 'red' }));
      expect.finish(rest, 'stop', 'the run, answered after all');
      equal(rest.content, 'red', 'content of the run, answered after all');
    }),
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
    title: 'A required field named as what every object inherits is missing until it is answered.',
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
  'chat-unacceptable/without-session': {
    requirement: 'CHAT-15',
    title: 'A tool message without session_id is refused, and the question stays.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const { id, session } = callOf(t);
      const tool = { role: 'tool', tool_call_id: id, content: 'allow_once' };
      const answer = await intern.unstreamed({ messages: [tool] });
      expect.error(
        answer,
        { status: 400, reason: 'bad_request', retryable: false },
        'a tool message without session_id',
      );
      const rest = await read(await intern.answerWith({ call: id, session, content: 'allow_once' }));
      expect.finish(rest, 'stop', 'the run, answered with its session_id');
    }),
  },
  'chat-unacceptable/unacceptable-stays': {
    requirement: 'CHAT-7',
    level: 'P',
    title: 'After any number of unacceptable answers the same question is answered under the same call.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      for (let turns = 0; turns < ctx.upTo(5, 2); turns++) {
        const answer = await intern.badAnswer({
          call: callOf(t).id,
          session: callOf(t).session,
          content: 'no such option',
        });
        await open(intern, t, answer);
        expect.error(answer, { status: 400, reason: 'bad_request', retryable: false }, 'an unacceptable answer');
      }
      expect.finish(await intern.answered(t, 'allow_once'), 'stop', 'the run, answered after all');
    }),
  },
  'chat-unacceptable/body-before-state': {
    requirement: 'CHAT-15',
    title: 'A reply with stream false is 400, and the question stays.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const { id, session } = callOf(t);
      const messages = [{ role: 'tool', tool_call_id: id, content: 'allow_once' }];
      const answer = await intern.unstreamed({ messages, session_id: session, extra: { stream: false } });
      expect.error(answer, { status: 400, reason: 'bad_request', retryable: false }, 'a reply with stream false');
      expect.finish(await intern.answered(t, 'allow_once'), 'stop', 'the run, answered after all');
    }),
  },
});
