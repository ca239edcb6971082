import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { accepted, replyTo } from '../helpers/chat.js';
import { onShared } from '../helpers/interns.js';

/** CHAT-6 and CHAT-7: unacceptable answers, which leave the question open. */
export const CHAT_UNACCEPTABLE = checksOf('CHAT-6', {
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
