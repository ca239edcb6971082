import { equal, fail, gist, notEqual } from '../model/assert.js';
import type { CredentialName } from '../probe/request.js';
import { type answered, answeredItself, callOf, colour, permission, read, when } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { ChatInput, Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onRunning, onShared, type Partner, seenByPeer } from './steps/interns.js';
import { consents } from './steps/words.js';

/** Rounds in which a prompt asks in one place, but not in another, before that place is blamed. */
const ROUNDS = 3;

/** A manual prompt asks in one place as it does in others. */
async function asksHere(
  ctx: Ctx,
  intern: Partner,
  more: Pick<ChatInput, 'session_id'>,
  as: CredentialName,
  place: string,
): Promise<void> {
  const input = { prompt: ctx.prompt('ask-permission'), approval_mode: 'manual' };
  for (let round = 1; ; round++) {
    const t = await intern.talk({ ...input, ...more }, { as });
    if (t.finish === 'tool_calls') return void (await intern.answered(t, 'allow_once', { as }));
    ctx.internDid(t.finish === 'stop', { did: 'do what it was asked to', said: t.content });
    // An intern may not ask once. If it asks each time except here, the place decides that, not the intern.
    await intern.answered(await intern.asked(input), 'allow_once');
    if (round === ROUNDS)
      fail(`a manual prompt ${place}`, 'a question, as the same prompt leads to elsewhere', gist('none', t.content));
  }
}

/** CHAT-8: when a run asks for permission, and when it consents by itself. */
export const CHAT_MODES = checksOf('CHAT-8', {
  'chat-modes/mode-not-remembered': {
    title:
      'After a manual run the next prompt of its session, and one of a new session, run through without a mode. With it the next one asks.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      expect.finish(await intern.answered(t, 'allow_once'), 'stop', 'the answered run');
      const same = await intern.talk({ prompt: ctx.prompt('ask-permission'), session_id: callOf(t).session });
      for (const [t, what] of [
        [same, 'the next prompt of the session of a manual run'],
        [await intern.talk(ctx.prompt('ask-permission')), 'a prompt of a new session'],
      ] as const) {
        consents(t, what);
        expect.finish(t, 'stop', what);
      }
      await asksHere(ctx, intern, { session_id: callOf(t).session }, 'api_key', 'in a session that goes on');
    }),
  },
  'chat-modes/manual-of-a-peer': {
    title: 'With manual a prompt asks, from any member.',
    ...onShared(['behaviour:ask-permission', 'peer_api_key'], async (ctx, intern) => {
      await seenByPeer(ctx, intern.id);
      await asksHere(ctx, intern, {}, 'peer_api_key', 'of another member');
    }),
  },
  'chat-modes/self-drive-is-omitted': {
    level: 'P',
    title: 'self-drive is the same as no mode.',
    ...onShared(['behaviour:ask-permission'], async (ctx, intern) => {
      const asks = { prompt: ctx.prompt('ask-permission'), approval_mode: 'self-drive' };
      const t = await intern.talk(asks);
      consents(t, 'a prompt with approval_mode self-drive');
      expect.finish(t, 'stop', 'a prompt with approval_mode self-drive');
    }),
  },
  'chat-modes/reply-keeps-mode': {
    title: 'A reply without a mode leaves the run in the mode of its prompt.',
    ...onShared(['behaviour:ask-permission-twice'], async (ctx, intern) => {
      const twice = async (options: Parameters<typeof answered>[4]) => {
        const first = await intern.asked(ctx.prompt('ask-permission-twice'));
        const second = await intern.answered(first, 'allow_once', options);
        answeredItself(second);
        if (second.finish !== 'tool_calls') return false;
        notEqual(callOf(second).id, callOf(first).id, 'id of the second question');
        await intern.answered(second, 'allow_once');
        return true;
      };
      if (await twice({})) return;
      // An intern may ask only once. If it asks twice only with a repeated mode, the mode decides that.
      for (let round = 0; round < 2; round++) {
        const repeated = await twice({ approval_mode: 'manual' });
        const finding = { what: 'the second permission of a manual run', expected: 'a question', actual: 'none' };
        ctx.internDid(repeated, { did: 'ask for two permissions', finding });
        if (await twice({})) return;
      }
      fail('a manual run after a reply without a mode', 'asking for its second permission', gist('going on without'));
    }),
  },
  'chat-modes/mode-of-a-reply': {
    level: 'C',
    title: 'A mode sent with a reply is validated, but does not change the run.',
    ...onRunning(['control'], async (ctx, intern) => {
      const twice = await ctx.script([permission('a'), permission('b'), { say: 'after' }]);
      const first = await intern.asked(twice);
      const second = await intern.answered(first, 'allow_once', { approval_mode: 'self-drive' });
      expect.finish(second, 'tool_calls', 'the second permission after a reply with self-drive');
      await intern.answered(second, 'allow_once');

      const said = [{ say: 'allowed' }];
      const allowed = when({ b: 'allow_once' }, said, [when({ b: 'allow_always' }, said, [])]);
      const then = await ctx.script([colour('c'), permission('b'), allowed]);
      const free = await intern.asked({ prompt: then });
      const rest = await intern.answered(free, { action: 'decline' }, { approval_mode: 'manual' });
      expect.finish(rest, 'stop', 'a self-driven run after a reply with manual');
      equal(rest.content, 'allowed', 'content of a run that consents by itself');

      const third = await intern.asked(twice);
      const wrong = await intern.answer(third, 'allow_once', { approval_mode: 'sometimes' });
      expect.error(await wrong.whole(), { status: 400, reason: 'bad_request' }, 'a reply with an unknown mode');
      equal(await intern.fate(), 'waiting', 'the run after a reply with an unknown mode');
      await read(await intern.answer(third, 'allow_once'));
    }),
  },
});
