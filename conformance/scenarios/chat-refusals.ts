import { equal, fail, gist } from '../model/assert.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer } from '../probe/client.js';
import { callOf, permission, replyTo, when } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import type { ChatReply } from '../run/reply.js';
import { CLOSED, closed, onRunning, type Partner, runningOne } from './steps/interns.js';

const UNKNOWN = 'call_that_nobody_made';
const GOOD = 'allow_once';

const BAD = 'no such option';

/** The question of a run that was answered and has ended. */
async function endedRun(ctx: Ctx, intern: Partner): Promise<Transcript> {
  const t = await intern.asked(ctx.prompt('ask-permission'));
  expect.finish(await intern.answered(t, GOOD), 'stop', 'the answered run');
  return t;
}

/** The questions of a run: the first was answered, the second is open. */
async function askingTwice(ctx: Ctx, intern: Partner): Promise<{ first: Transcript; second: Transcript }> {
  const first = await intern.asked(
    await ctx.script([permission('a'), { say: 'between' }, permission('b'), { say: 'end' }]),
  );
  const second = await intern.answered(first, GOOD);
  expect.finish(second, 'tool_calls', 'a run that asks twice');
  return { first, second };
}

const occupy = async (ctx: Ctx, intern: Partner) => intern.held(ctx.prompt('silent'));

const REASONS = {
  unknown: { status: 404, reason: 'interaction_unknown', retryable: false },
  ended: { status: 409, reason: 'interaction_not_pending' },
  attached: { status: 409, reason: 'attachment_failed' },
  stale: { status: 409, reason: 'interaction_not_pending' },
  busy: { status: 409, reason: 'busy', retryable: true },
  bad: { status: 400, reason: 'bad_request', retryable: false },
} as const;

/** Sends a reply that must be refused for this reason. */
async function refused(
  intern: Partner,
  reply: Parameters<Partner['badAnswer']>[0],
  as: keyof typeof REASONS,
  what: string,
): Promise<Answer> {
  const answer = await intern.badAnswer(reply);
  if (as === 'ended' && answer.status < 300) closed(answer, 'answered');
  expect.error(answer, REASONS[as], what);
  return answer;
}

/** A run that streams on after an answer, and the parts of a second answer to the same question. */
async function goingOn(ctx: Ctx, intern: Partner) {
  ctx.needsStreaming();
  const t = await intern.asked(ctx.prompt('ask-then-silent'));
  const reply = await intern.resumed(t);
  ctx.mustGoOn(reply);
  return { reply, parts: replyTo(t, 'allow_once') };
}

/** CHAT-7: the order of the refusals of a reply, by pairs of consecutive ones. An answer is delivered once. */
export const CHAT_REFUSALS = checksOf('CHAT-7', 'P', {
  'chat-refusals/unknown-call': {
    title:
      'A call never asked in this session is 404 interaction_unknown: invented, of another session, of another intern.',
    ...onRunning(['behaviour:ask-permission'], async (ctx, intern) => {
      const other = await runningOne(ctx);
      const said = ctx.prompt('ask-permission');
      const one = await intern.asked(said);
      const { session } = callOf(one);
      const invented = [
        [UNKNOWN, 'an invented call'],
        [`${callOf(one).id}_`, 'a call spelled otherwise'],
      ] as const;
      const elsewhere = ctx.sample([
        [intern, 'a call of another session'],
        [other, 'a call of another intern'],
      ] as const);
      const asking: [Partner, Transcript][] = [];
      const calls: (readonly [string, string])[] = [...ctx.sample(invented)];
      for (const [who, what] of elsewhere) {
        const t = await who.asked(said);
        asking.push([who, t]);
        calls.push([callOf(t).id, what]);
      }
      for (const [call, what] of calls) await refused(intern, { call, session, content: GOOD }, 'unknown', what);
      const nowhere = { ...replyTo(one, GOOD), session: 'a-session-that-never-was' };
      await refused(intern, nowhere, 'unknown', 'a call in a session that never was');
      await refused(other, replyTo(one, GOOD), 'unknown', 'a call and session of another intern');
      for (const [asks, t] of [[intern, one] as const, ...asking])
        expect.finish(await asks.answered(t, GOOD), 'stop', 'the run, answered rightly');
    }),
  },
  'chat-refusals/ended-before-busy': {
    title: 'An ended run is reported before another run that streams.',
    ...onRunning(['behaviour:ask-permission', 'behaviour:silent'], async (ctx, intern) => {
      const t = await endedRun(ctx, intern);
      const reply = await occupy(ctx, intern);
      await refused(intern, replyTo(t, GOOD), 'ended', 'an answer to an ended run while another streams');
      await reply.disconnect();
    }),
  },
  'chat-refusals/stale': {
    title: 'While the second question is open, any answer to the first is 409 interaction_not_pending.',
    ...onRunning(['control'], async (ctx, intern) => {
      const { first, second } = await askingTwice(ctx, intern);
      await refused(intern, replyTo(first, GOOD), 'stale', 'an answer to the first question');
      await refused(intern, replyTo(first, BAD), 'stale', 'an unacceptable one');
      await intern.stillOpen(second, 'the second question after answers to the first');
      expect.finish(await intern.answered(second, GOOD), 'stop', 'the run answered twice');
    }),
  },
  'chat-once/while-it-streams': {
    level: 'S',
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
    level: 'S',
    title: 'Of three equal answers sent at once, exactly one is delivered.',
    ...onRunning(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const replies = await ctx.race(3, () => intern.answer(t, 'allow_once'));
      const overload = replies.find(({ status }) => status === 429 || status >= 500)?.status;
      ctx.undisturbed(overload === undefined, 'an intern in reach', 'no 429 and no 5xx', overload);
      const delivered = replies.filter(({ status }) => status < 300).length;
      // The finding then comes from the first reply, which says why it failed.
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
