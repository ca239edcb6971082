import { equal, hasKeys, match, notEqual, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { onShared } from '../helpers/interns.js';
import { session } from '../helpers/turns.js';

/** Fields that would tell what a run says, or how it goes. */
const PROGRESS = ['output', 'content', 'text', 'message', 'messages', 'choices', 'result', 'usage', 'progress'];

/** INVOKE-1 and INVOKE-7: what starts a run, and what comes back. */
export const INVOKE_CHECKS = checksOf('INVOKE-1', {
  'invoke/published-answer': {
    level: 'P',
    title: 'The answer is JSON {session_id, status: started}; prompts without a session start new ones.',
    ...onShared([], async (_ctx, intern) => {
      const answer = await intern.invoke('Hello.');
      const first = session(answer, 'the invoke');
      equal((answer.json as Record<string, unknown>).status, 'started', 'status in the body of the invoke');
      match(answer.headers.get('content-type'), /^application\/json/i, 'content-type of the invoke');
      const telling = Object.keys(answer.json as object).filter((key) => PROGRESS.includes(key));
      equal(telling, [], 'fields of the answer that tell of progress');
      notEqual(session(await intern.invoke('Hello.'), 'the second invoke'), first, 'session_id of the second invoke');
    }),
  },
  'invoke/no-progress': {
    requirement: 'INVOKE-7',
    title: 'Nothing of what the run says comes back on the request.',
    ...onShared(['control'], async (ctx, intern) => {
      const answer = await intern.invoke(await ctx.script([{ say: 'kit-progress-text' }, { end: 'stop' }]));
      session(answer, 'the invoke');
      ok(!answer.text.includes('kit-progress-text'), 'body of the invoke', 'nothing of what the run says', answer.text);
      hasKeys(answer.json, ['session_id', 'status'], 'body of the invoke');
    }),
  },
  'invoke/not-accepted': {
    title: 'What the intern does not accept is not answered 202.',
    ...onShared(['behaviour:unreachable', 'behaviour:refuses'], async (ctx, intern) => {
      for (const behaviour of ['unreachable', 'refuses'] as const) {
        const answer = await intern.invoke(ctx.prompt(behaviour));
        const said = expect.seen(answer);
        const did = `be one that ${behaviour === 'refuses' ? 'refuses' : 'cannot be reached'}`;
        const finding = { what: 'an invoke that is not accepted', expected: 'an error', actual: said };
        ctx.internDid(answer.status >= 400, { did, said, finding });
      }
    }),
  },
});
