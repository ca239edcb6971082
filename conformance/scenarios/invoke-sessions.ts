import { equal } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { sessionOf } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { invoke, onRunning, onShared, runningOne, seenByPeer, session, steered } from './steps/interns.js';
import { indistinguishable } from './steps/same.js';

/** ms for which a run is left alone. */
const MOMENT = 1_500;

const NOT_THEIRS = { status: 404 };

const isStatus = ({ status, json }: Answer, word: string) =>
  status === 202 && (json as { status?: unknown } | undefined)?.status === word;

/** INVOKE-2 and INVOKE-3: sessions of invoke, and their owners. */
export const INVOKE_SESSIONS = checksOf('INVOKE-3', {
  'invoke-sessions/continue': {
    requirement: 'INVOKE-2',
    title: 'A session_id that invoke gave is taken again.',
    ...onShared([], async (_ctx, intern) => {
      const id = session(await intern.invoke('Hello.'), 'the first invoke');
      const again = await intern.invoke('And more.', id);
      expect.status(again, 202, 'the second invoke');
      equal(session(again, 'the second invoke'), id, 'session_id of the second invoke');
    }),
  },
  'invoke-sessions/continued-at-once': {
    requirement: 'INVOKE-1',
    title: 'An invoke that continues a session is answered at once, however long its run lasts.',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      const id = session(await intern.invoke('Hello.'), 'the invoke');
      await ctx.wait(MOMENT);
      const continued = await intern.invoke(ctx.prompt('silent'), id);
      session(continued, 'an invoke that continues its session');
      const also = await intern.invoke('Also.', id);
      // The first run may have lasted until then, and the second may have ended, or the service may say so wrongly.
      const isSo = isStatus(continued, 'started') && isStatus(also, 'steered');
      ctx.assume(
        isSo,
        'a run that is over after a word, and one that goes on',
        'the statuses say otherwise',
        also.json,
      );
    }),
  },
  'invoke-sessions/steered-live': {
    requirement: 'INVOKE-2',
    title: 'A prompt to a session with a run going is delivered into that run. Another intern refuses the session.',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      const other = await runningOne(ctx);
      const id = session(await intern.invoke(ctx.prompt('silent')), 'the invoke');
      await ctx.wait(MOMENT);
      const also = await intern.invoke('Also.', id);
      if (isStatus(also, 'started')) {
        const why =
          'the second invoke answered "started": either the run of the first had ended, or it was not delivered into it';
        ctx.assume(ctx.reliable('silent'), 'a run of invoke that is seen to go on', `${why}; nothing shows which`);
        // An intern that is silent whenever it is asked to does not stop four times in a row.
        for (let round = 0; round < 3; round++) {
          const next = session(await other.invoke(ctx.prompt('silent')), 'the invoke');
          await ctx.wait(MOMENT);
          const again = isStatus(await other.invoke('Also.', next), 'started');
          ctx.assume(again, 'a run of invoke that is seen to go on', why);
        }
      }
      steered(also, id, 'an invoke with a run going');
      expect.error(await other.invoke('Also.', id), NOT_THEIRS, 'an invoke with it on another intern');
    }),
  },
  'invoke-sessions/session-of-the-caller': {
    title: 'A session_id is refused with 404 from another caller, also while its run goes on.',
    ...onRunning(['peer_api_key', 'behaviour:silent'], async (ctx, intern) => {
      await seenByPeer(ctx, intern.id);
      const mine = session(await intern.invoke(ctx.prompt('silent')), 'the invoke');
      const theirs = await intern.invoke('Also.', mine, { as: 'peer_api_key' });
      expect.error(theirs, { status: 404 }, 'its session with the key of a peer');
      const again = session(await intern.invoke('Also.', mine), 'its session with its own key');
      equal(again, mine, 'session_id with its own key');
    }),
  },
  'invoke-sessions/session-of-an-own-key': {
    title: "The intern's own key is a caller of its own.",
    needs: ['running', 'own_key'],
    async run(ctx) {
      const own = await ctx.interns.own({ running: true });
      if (!own.ours) {
        const { status } = expect.intern(await ctx.api.get(own.id, { as: own.key }), 200, 'the read with the own key');
        if (status !== 'running') ctx.unmet('own_key', 'the intern that the own key belongs to does not run', status);
      }
      const mine = session(
        await invoke(ctx, own.id, 'Hello.', undefined, { as: own.key }),
        'an invoke with the own key',
      );
      const other = await invoke(ctx, own.id, 'Hello.', mine);
      // Whether the caller is the intern or the member that it belongs to, is not stated.
      const note = 'its session is taken with the API key';
      ctx.assume(other.status >= 300, 'an own key that is a caller of its own', note);
      expect.error(other, { status: 404 }, 'its session with the API key');
      equal(
        session(await invoke(ctx, own.id, 'Hello.', mine, { as: own.key }), 'its session with the own key'),
        mine,
        'session_id',
      );
    },
  },
  'invoke-sessions/session-elsewhere': {
    title: 'A session_id of another intern, of chat, or of nobody is refused with 404.',
    ...onRunning([], async (ctx, intern) => {
      const other = await runningOne(ctx);
      const id = session(await intern.invoke('Hello.'), 'the invoke');
      expect.error(await other.invoke('Hello.', id), NOT_THEIRS, 'an invoke in a session of another intern');
      const chat = await intern.talk('Hello.');
      expect.error(await intern.invoke('Hello.', sessionOf(chat)), NOT_THEIRS, 'an invoke in a session of chat');
      for (const nobodys of ctx.sample(['no-such-session', ctx.interns.unknownId()]))
        expect.error(await intern.invoke('Hello.', nobodys), NOT_THEIRS, 'an invoke in a session of nobody');
      equal(session(await intern.invoke('Hello.', id), 'the valid twin'), id, 'session_id of the valid twin');
    }),
  },
  'invoke-sessions/hidden-is-unknown': {
    level: 'P',
    title: 'The 404 for a foreign session equals the 404 for an unknown one.',
    ...onShared(['peer_api_key'], async (ctx, intern) => {
      const nobodys = 'no-such-session';
      const unknown = async () => {
        const answer = await intern.invoke('Hello.', nobodys);
        expect.error(answer, { status: 404 }, 'an invoke in a session of nobody');
        return answer;
      };
      const theirs = async () => {
        await seenByPeer(ctx, intern.id);
        return session(await intern.invoke('Hello.', undefined, { as: 'peer_api_key' }), 'the invoke of a peer');
      };
      const far = async () => {
        const other = await runningOne(ctx);
        return session(await other.invoke('Hello.'), 'an invoke on another intern');
      };
      for (const [begin, what] of ctx.sample([
        [theirs, "a peer's session"],
        [far, 'a session of another intern'],
        [async () => sessionOf(await intern.talk('Hello.')), 'a session of chat'],
      ] as const)) {
        const id = await begin();
        const ask = () => intern.invoke('Hello.', id);
        const same = { ids: [id, nobodys], ignored: ['content-length'] };
        await indistinguishable(ask, unknown, `${what} and one of nobody`, same);
      }
    }),
  },
  'invoke-sessions/refused-reason': {
    level: 'P',
    title: 'The 404 for an unknown session has the reason not_found.',
    ...onShared([], async (_ctx, intern) => {
      const answer = await intern.invoke('Hello.', 'no-such-session');
      expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, 'an invoke in a session of nobody');
    }),
  },
});
