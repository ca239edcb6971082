import type { Answer } from '../probe/client.js';
import { ASKING, plain } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onRunning, onShared, runningOne, stoppedOne } from './steps/interns.js';

/** An intern decides which prompts it takes: only an answer that gives this reason is checked. */
const notTaken = (ctx: Ctx, answer: Answer, did: string, reason: string) =>
  ctx.internDid(answer.text.includes(`"${reason}"`), { did, said: expect.seen(answer) });

/** CHAT-16: prompts that an intern does not take, and when it takes them again. */
export const CHAT_NOT_TAKEN = checksOf('CHAT-16', {
  'chat-not-taken/not-running': {
    title: 'An intern that does not run answers 409 intern_not_ready, retryable: before its first boot and suspended.',
    needs: ['running'],
    async run(ctx) {
      const NOT_READY = { status: 409, reason: 'intern_not_ready', retryable: true } as const;
      const stopped = await stoppedOne(ctx);
      expect.error(await stopped.unstreamed('Hello.'), NOT_READY, 'a prompt to an intern never provisioned');
      const intern = await runningOne(ctx);
      expect.done(await ctx.api.suspend(intern.id), 'the suspend');
      await ctx.interns.untilSuspended(intern.id);
      expect.error(await intern.unstreamed('Hello.'), NOT_READY, 'a prompt to a suspended intern');
      expect.error(await ctx.api.invoke(intern.id, { input: 'Hello.' }), NOT_READY, 'an invoke on a suspended intern');
      expect.done(await ctx.api.provision(intern.id), 'the provision');
      await ctx.interns.until(intern.id, ['running']);
      expect.finish(await intern.talk('Hello.'), 'stop', 'the valid twin, once it runs again');
    },
  },
  'chat-not-taken/not-accepted': {
    title:
      'An intern that cannot be reached is 502 intern_unreachable, a refused turn 502 turn_failed, instead of a stream.',
    ...onShared(['behaviour:unreachable', 'behaviour:refuses'], async (ctx, intern) => {
      const away = await intern.unstreamed(ctx.prompt('unreachable'));
      notTaken(ctx, away, 'be out of reach', 'intern_unreachable');
      expect.error(
        away,
        { status: 502, reason: 'intern_unreachable', retryable: true },
        'a prompt to an intern out of reach',
      );
      const refused = await intern.unstreamed(ctx.prompt('refuses'));
      notTaken(ctx, refused, 'refuse the turn', 'turn_failed');
      expect.error(refused, { status: 502, reason: 'turn_failed' }, 'a prompt that the intern refuses');
      expect.finish(await intern.talk('Hello.'), 'stop', 'the next prompt');
    }),
  },
  'chat-not-taken/too-many-waiting': {
    minRuns: 2,
    title: '64 runs may wait on questions; with more than that the next prompt is 503 busy, until one is answered.',
    ...onRunning(['control'], async (ctx, intern) => {
      const said = await ctx.script(ASKING);
      const first = await intern.asked(said);
      for (let at = 1; at < 64; at++) await intern.asked(said);
      // The 65th run may wait or not: both readings are fair. The 66th may not.
      let waiting = 64;
      let reply = await intern.chat({ prompt: said, approval_mode: 'manual' });
      if (reply.status === 200) {
        await reply.end();
        waiting++;
        reply = await intern.chat({ prompt: said, approval_mode: 'manual' });
      }
      const full = await plain(ctx, reply);
      expect.error(full, { status: 503, reason: 'busy' }, `a prompt while ${waiting} runs wait`);
      expect.retryAfter(full, '503 busy');
      const other = await runningOne(ctx);
      expect.finish(await other.talk('Hello.'), 'stop', 'a prompt to another intern');
      expect.finish(await intern.answered(first, 'allow_once'), 'stop', 'an answer while so many wait');
      expect.finish(await intern.talk('Hello.'), 'stop', 'a prompt once one has been answered');
    }),
  },
});
