import { NEARLY_OPTIONS, NO_COLOURS, noColour } from '../arbitraries/answer.js';
import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { accepted, colour, permission, replyTo, when } from '../helpers/chat.js';
import { onShared } from '../helpers/interns.js';

/** CHAT-6 and CHAT-7: unacceptable answers, which leave the question open. */
export const CHAT_UNACCEPTABLE = checksOf('CHAT-6', {
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
});
