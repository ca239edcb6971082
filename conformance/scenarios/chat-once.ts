import { equal, fail, gist } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { ChatReply } from '../framework/reply.js';
import { permission, replyTo, when } from '../helpers/chat.js';
import { onRunning, type Partner } from '../helpers/interns.js';
import { CLOSED } from '../helpers/turns.js';

/** A run that streams on after the answer to its question, and the parts of another answer to that. */
async function goingOn(ctx: Ctx, intern: Partner) {
  ctx.needsStreaming();
  const t = await intern.asked(ctx.prompt('ask-then-silent'));
  const reply = await intern.resumed(t);
  ctx.mustGoOn(reply);
  return { reply, parts: replyTo(t, 'allow_once') };
}

/** CHAT-7: an answer is delivered once. */
export const CHAT_ONCE = checksOf('CHAT-7', {
  'chat-once/while-it-streams': {
    title: 'While an answered run streams, a further answer to its question is refused and reaches no run.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const tell = ['allow_once', 'reject_once'].map((one) => when({ ok: one }, [{ say: `${one};` }], []));
      const said = await ctx.script([permission('ok'), ...tell, { wait: '10s' }, permission('again'), { say: 'end' }]);
      const t = await intern.asked(said);
      const reply = await intern.resumed(t);
      expect.refused(await intern.badAnswer(replyTo(t, 'reject_once')), 'a second answer');
      await ctx.clock.advance(10_000);
      const rest = await reply.end();
      equal(rest.content, 'allow_once;', 'content after the answers');
      expect.finish(rest, 'tool_calls', 'the run that asks again');
      expect.refused(await intern.badAnswer(replyTo(t, 'allow_once')), 'a third answer');
      equal(await intern.fate(), 'waiting', 'the run after a third answer');
    }),
  },
  'chat-once/before-stale': {
    level: 'P',
    title: 'While an answered run streams on, an answer to its question is 409 attachment_failed.',
    ...onRunning(['behaviour:ask-then-silent'], async (ctx, intern) => {
      const { reply, parts } = await goingOn(ctx, intern);
      const second = await intern.badAnswer(parts);
      expect.error(second, { status: 409, reason: 'attachment_failed' }, 'an answer to a question already answered');
      await reply.disconnect();
    }),
  },
  'chat-once/race': {
    title: 'Of three equal answers sent at once one is delivered.',
    ...onRunning(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const replies = await ctx.race(3, () => intern.answer(t, 'allow_once'));
      const away = replies.find(({ status }) => status === 429 || status >= 500)?.status;
      ctx.undisturbed(away === undefined, 'an intern in reach', 'no 5xx', away);
      const delivered = replies.filter(({ status }) => status < 300).length;
      // The first answer says why none was delivered.
      if (delivered === 0) await replies[0]?.end();
      if (delivered !== 1) {
        const seen = async (reply: ChatReply) => (reply.status < 300 ? reply.status : expect.seen(await reply.whole()));
        const all = await Promise.all(replies.map(seen));
        if (delivered > 1) fail(CLOSED, 'a refusal (4xx)', gist('taken', all));
        fail('one question, answered three times at once', 'one answer delivered', gist('none delivered', all));
      }
      for (const reply of replies) {
        if (reply.status < 300) expect.finish(await reply.end(), 'stop', 'the answer that was delivered');
        else expect.refused(await reply.whole(), 'an answer that came second');
      }
    }),
  },
});
