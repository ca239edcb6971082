import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { createHarness, listen } from './chat.harness.js';

describe('steering', () => {
  test('into a running run shows at once on the response that streams it', async () => {
    const h = createHarness();
    const stream = await h.say('never-ends', { session_id: 'mine' });
    await h.settle();
    const steered = await h.prompt('left a bit', { session_id: 'mine' });
    expect(steered.status).toBe(202);
    expect(await steered.json()).toEqual({ session_id: 'mine', status: 'steered' });
    await h.settle();
    expect(stream.heard().content).toBe('Still at it.(steered: left a bit)');
    expect(h.runs.list()).toHaveLength(1);
    await stream.cancel();
  });

  test('into a waiting run shows after the answer, before what the run says next', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    await h.clock.advance(1_000);
    expect((await h.prompt('one', { session_id: q.sessionId })).status).toBe(202);
    expect((await h.prompt('two\nlines', { session_id: q.sessionId })).status).toBe(202);
    expect(h.runs.list()[0]?.question?.deadline).toBe('2026-01-01T00:05:00.000Z');
    const rest = await listen(await h.reply(q.sessionId, q.call?.id, '{"action":"decline"}')).end();
    expect(rest.content).toBe('(steered: one)(steered: two\nlines)No colour then.');
  });

  test('a steered prompt selects no script, known or not', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    expect((await h.prompt('script: nowhere', { session_id: q.sessionId })).status).toBe(202);
  });

  test('a behaviour may show it its own way', async () => {
    const own: Behaviour = {
      name: 'own',
      // biome-ignore lint/correctness/useYield: it has nothing of its own to say
      async *turn(_turn, { clock }) {
        await clock.sleep(10);
      },
      steered: (text) => text.toUpperCase(),
    };
    const h = createHarness({ scripts: [own] });
    const stream = await h.say('own', { session_id: 's' });
    await h.prompt('louder', { session_id: 's' });
    await h.clock.advance(10);
    expect((await stream.end()).content).toBe('LOUDER');
  });

  test('a session whose run has ended starts a new one', async () => {
    const h = createHarness();
    const first = await listen(await h.prompt('one', { session_id: 'mine' })).end();
    const second = await listen(await h.prompt('two', { session_id: first.sessionId })).end();
    expect(second).toMatchObject({ content: 'two', sessionId: 'mine' });
    expect(h.runs.list()).toHaveLength(2);
  });

  test('a waiting run holds so much of it for a reader that may never come; then it cannot go on', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    const long = 'x'.repeat(32_000);
    for (let i = 0; i < 150; i++) await h.prompt(long, { session_id: q.sessionId });
    expect((await h.refused(h.reply(q.sessionId, q.call?.id, 'nonsense'))).status).toBe(400);
    const answer = h.reply(q.sessionId, q.call?.id, '{"action":"decline"}');
    expect(await h.refused(answer)).toMatchObject({ status: 410, reason: 'attachment_failed' });
    expect(h.runs.list()[0]).toMatchObject({ status: 'ended', ended: 'severed' });
  });
});

describe('the turn lock', () => {
  test('while a chat run streams, prompts without or with another session are busy; another intern is not', async () => {
    const h = createHarness();
    const stream = await h.say('never-ends');
    for (const more of [{}, { session_id: 'other' }]) {
      expect(await h.refused(h.prompt('x', more))).toMatchObject({ status: 409, reason: 'busy', retryAfter: '1' });
    }
    expect((await h.prompt('x', {}, { row: h.addIntern(2) })).status).toBe(200);
    await stream.cancel();
    expect((await h.prompt('x')).status).toBe(200);
  });

  test('a waiting run and an invoke run do not hold it', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    expect((await h.invoke({ input: 'script: never-ends' })).status).toBe(202);
    const stream = await h.say('slow');
    expect(stream.status).toBe(200);
    // The waiting run's session is another one while this streams.
    expect((await h.refused(h.prompt('x', { session_id: q.sessionId }))).reason).toBe('busy');
    await h.clock.advance(60_000);
    expect((await stream.end()).finish).toBe('stop');
    expect((await h.prompt('x', { session_id: q.sessionId })).status).toBe(202);
  });

  test('of prompts that arrive together one starts', async () => {
    const h = createHarness();
    const all = await Promise.all(Array.from({ length: 4 }, () => h.prompt('script: never-ends')));
    expect(all.map((response) => response.status).sort()).toEqual([200, 409, 409, 409]);
  });
});

describe('suspend, delete and shutdown', () => {
  test('while streaming: run_ended in the stream, and the lock is free', async () => {
    const h = createHarness();
    const stream = await h.say('slow');
    await h.clock.advance(500);
    h.setStatus(h.intern, 'stopped');
    const said = await stream.end();
    expect(said).toMatchObject({ finish: 'error', done: true, usage: null });
    expect(said.error).toEqual({
      code: 410,
      message: 'The intern ended the run: suspended',
      metadata: { reason: 'run_ended', retryable: false },
    });
    expect(h.runs.list()[0]).toMatchObject({ ended: 'cancelled', ended_at: '2026-01-01T00:00:00.500Z' });
    expect(await h.refused(h.prompt('x'))).toMatchObject({ status: 409, reason: 'intern_not_ready' });
    expect((await h.invoke({ input: 'x' })).status).toBe(409);
    h.setStatus(h.intern, 'running');
    expect((await h.prompt('x')).status).toBe(200);
  });

  test('while waiting: the answer comes too late', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    h.setStatus(h.intern, 'destroying');
    expect(h.runs.list()[0]).toMatchObject({ status: 'ended', ended: 'cancelled' });
    const reason = async (call: string | undefined) =>
      (await h.refused(h.reply(q.sessionId, call, '{"action":"decline"}'))).reason;
    for (const status of ['destroying', 'stopped', 'running'] as const) {
      h.setStatus(h.intern, status);
      expect([status, await reason(q.call?.id)]).toEqual([status, 'interaction_not_pending']);
      expect([status, await reason('call_x')]).toEqual([status, 'interaction_unknown']);
    }
  });

  test('shutdown ends all of them, invoke runs too, and leaves nothing on the clock', async () => {
    const h = createHarness();
    const stream = await h.say('never-ends');
    await (await h.say('ask-question', {}, { row: h.addIntern(2) })).end();
    await h.invoke({ input: 'script: never-ends' });
    h.runs.close();
    expect((await stream.end()).error?.message).toBe('The intern ended the run: shutdown');
    expect(h.runs.list().map((run) => run.ended)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const before = h.clock.now();
    await h.clock.advance(86_400_000);
    expect(h.clock.now()).toBe(before + 86_400_000);
    expect(h.runs.list().map((run) => run.ended_at)).toEqual(Array(3).fill('2026-01-01T00:00:00.000Z'));
  });

  test('reset forgets every run', async () => {
    const h = createHarness();
    const stream = await h.say('never-ends');
    h.runs.reset();
    expect((await stream.end()).done).toBe(true);
    expect(h.runs.list()).toEqual([]);
    expect((await h.prompt('x')).status).toBe(200);
  });
});
