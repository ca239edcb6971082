import { equal } from '../framework/assert.js';
import { defineChecks } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { talk } from '../helpers/chat.js';

/** CHAT-3: the session of a run that ends with an error. */
export const CHAT_ENDING_SESSION = defineChecks([
  {
    id: 'chat-endings/session-stays',
    requirement: 'CHAT-3',
    level: 'S',
    title: 'A run of a known session that ends with an error tells its session_id, and the session goes on.',
    needs: ['running', 'behaviour:cancelled', 'behaviour:severed'],
    async run(ctx) {
      const intern = await ctx.interns.shared();
      for (const behaviour of ['cancelled', 'severed'] as const) {
        const first = await talk(ctx, intern.id, 'Hello.');
        expect.finish(first, 'stop', 'the first prompt of the session');
        const session = first.sessionId === undefined ? {} : { session_id: first.sessionId };
        const broken = await talk(ctx, intern.id, { prompt: ctx.prompt(behaviour), ...session });
        expect.finish(broken, 'error', `a run that is ${behaviour}`);
        equal(broken.sessionId, first.sessionId, `session_id of a run that is ${behaviour}`);
        const next = await talk(ctx, intern.id, { prompt: 'Hello.', ...session });
        expect.finish(next, 'stop', 'the next prompt of the session');
        equal(next.sessionId, first.sessionId, 'session_id of the next prompt');
      }
    },
  },
]);
