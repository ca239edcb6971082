import fc from 'fast-check';
import { equal, fail, ok } from '../framework/assert.js';
import * as expect from '../framework/expect.js';
import { allowable, heard } from '../helpers/chat.js';
import { refusedOrWoken } from '../helpers/turns.js';
import type { Answer } from '../probe/client.js';
import { on, type Real, which } from './command.js';
import type { Life } from './lives.js';

const chats = (intern: Life) => intern.phase !== 'booting' && intern.phase !== 'deleting';

/** A prompt to an intern that does not run is refused, or boots it. */
async function refusedOrBoots(intern: Life, { ctx }: Real, answer: Answer, what: string): Promise<void> {
  if ((await refusedOrWoken(ctx, intern.id, answer, what)) === 'refused') return;
  await ctx.interns.until(intern.id, ['running']);
  intern.phase = 'running';
}

export const chat = fc.record({ at: which, asks: fc.boolean(), again: fc.boolean() }).map(({ at, asks, again }) =>
  on(`chat(${at}${asks ? ', asks' : ''}${again ? ', same session' : ''})`, at, chats, async (intern, real) => {
    const { ctx } = real;
    // A session whose run waits would take the prompt into that run.
    const busy = new Set(intern.waiting.map((index) => real.asked[index]?.sessionId));
    const session = again ? intern.sessions.find((known) => known.origin === 'chat' && !busy.has(known.id)) : undefined;
    const reply = await ctx.chat(intern.id, {
      prompt: asks ? ctx.prompt('ask-permission') : ctx.prompt('echo', 'Say hello.'),
      ...(asks ? { approval_mode: 'manual' } : {}),
      ...(session === undefined ? {} : { session_id: session.id }),
    });
    if (intern.phase !== 'running') {
      const answer = await heard(reply);
      if (intern.phase === 'gone') return expect.status(answer, 404, 'chat with an intern that is gone');
      if (real.published) {
        return expect.error(
          answer,
          { status: 409, reason: 'intern_not_ready', retryable: true },
          'chat with a stopped intern',
        );
      }
      return refusedOrBoots(intern, real, answer, 'chat with a stopped intern');
    }
    const t = await reply.end();
    expect.finish(t, asks ? 'tool_calls' : 'stop', asks ? 'a prompt that makes the intern ask' : 'a prompt');
    expect.grammar(t, real.published ? 'P' : 'S');
    if (t.sessionId === undefined) fail('session_id of the final chunk', 'a string', t.final);
    if (session !== undefined) equal(t.sessionId, session.id, 'session_id of a continued session');
    else intern.sessions.push({ id: t.sessionId, origin: 'chat' });
    if (!asks) return;
    allowable(ctx, t);
    intern.waiting.push(real.asked.push(t) - 1);
  }),
);

export const answer = which.map((at) =>
  on(
    `answer(${at})`,
    at,
    (intern) => intern.phase === 'running' && intern.waiting.length > 0,
    async (intern, real) => {
      const asked = real.asked[intern.waiting.shift() ?? 0];
      if (asked === undefined) return;
      const t = await (await real.ctx.answer(intern.id, asked, 'allow_once')).end();
      expect.finish(t, 'stop', 'the answered run');
      expect.grammar(t, real.published ? 'P' : 'S');
      equal(t.sessionId, asked.sessionId, 'session_id of the answered run');
    },
  ),
);

export const invoke = fc.record({ at: which, session: fc.constantFrom('new', 'own', 'chat') }).map(({ at, session }) =>
  on(`invoke(${at}, ${session})`, at, chats, async (intern, real) => {
    const { ctx, published } = real;
    const origin = session === 'own' ? 'invoke' : 'chat';
    const known = session === 'new' ? undefined : intern.sessions.find((one) => one.origin === origin);
    const body = { input: ctx.prompt('echo', 'Say hello.'), ...(known === undefined ? {} : { session_id: known.id }) };
    const reply = await ctx.api.invoke(intern.id, body);
    if (intern.phase === 'gone') return expect.status(reply, 404, 'invoke of an intern that is gone');
    if (intern.phase !== 'running') {
      if (known?.origin === 'chat') return expect.refused(reply, 'invoke of a stopped intern');
      if (published) {
        return expect.error(reply, { status: 409, reason: 'intern_not_ready' }, 'invoke of a stopped intern');
      }
      return refusedOrBoots(intern, real, reply, 'invoke of a stopped intern');
    }
    if (known?.origin === 'chat') return expect.status(reply, 404, 'invoke with a session of chat');
    expect.status(reply, [200, 201, 202], 'invoke of a running intern');
    const { session_id: id } = (reply.json ?? {}) as { session_id?: unknown };
    if (typeof id !== 'string') fail('session_id of invoke', 'a string', expect.seen(reply));
    if (known === undefined) intern.sessions.push({ id, origin: 'invoke' });
    else equal(id, known.id, 'session_id of a continued session');
  }),
);

export const sign = which.map((at) =>
  on(`sign(${at})`, at, chats, async (intern, { ctx }) => {
    const reply = await ctx.api.sign(intern.id, { bodySha256: '0'.repeat(64) }, { as: 'oauth_token' });
    if (intern.phase === 'gone') return expect.status(reply, 404, 'signing for an intern that is gone');
    expect.status(reply, expect.ACCEPTED, 'signing for an intern');
    const proof = (reply.json ?? {}) as Record<string, unknown>;
    for (const header of [ctx.proof.signature, ctx.proof.timestamp, ctx.proof.user]) {
      ok(typeof proof[header] === 'string', `${header} of the proof`, 'a string', proof[header]);
    }
  }),
);
