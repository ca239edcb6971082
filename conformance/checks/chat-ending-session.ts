import { defineChecks } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { sameSession, sessionOf, talk } from '../helpers/chat.js';

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
        const session_id = sessionOf(first);
        const broken = await talk(ctx, intern.id, { prompt: ctx.prompt(behaviour), session_id });
        expect.finish(broken, 'error', `a run that is ${behaviour}`);
        sameSession(broken, session_id, `a run that is ${behaviour}`);
        const next = await talk(ctx, intern.id, { prompt: 'Hello.', session_id });
        expect.finish(next, 'stop', 'the next prompt of the session');
        sameSession(next, session_id, 'the next prompt');
      }
    },
  },
]);
