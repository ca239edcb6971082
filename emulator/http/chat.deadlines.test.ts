import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { createHarness, listen } from './chat.harness.js';

const DECLINE = '{"action":"decline"}';

describe('the interaction deadline', () => {
  test('at t-1 ms the question can be answered', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    await h.clock.advance(299_999);
    expect(h.runs.list()[0]).toMatchObject({ status: 'waiting' });
    const last = await listen(await h.reply(q.sessionId, q.call?.id, DECLINE)).end();
    expect(last).toMatchObject({ content: 'No colour then.', finish: 'stop' });
    await h.clock.advance(10);
    expect(h.runs.list()[0]).toMatchObject({ ended: 'stop' });
  });

  test.each([0, 1])('at t+%i ms the run is cancelled, with nobody connected', async (late) => {
    const h = createHarness();
    const q = await (await h.say('ask-question')).end();
    await h.clock.advance(300_000 + late);
    expect(h.runs.list()[0]).toMatchObject({
      status: 'ended',
      ended: 'deadline',
      ended_at: '2026-01-01T00:05:00.000Z',
    });
    expect(h.runs.list()[0]?.question).toBeUndefined();
    expect(await h.refused(h.reply(q.sessionId, q.call?.id, DECLINE))).toMatchObject({
      status: 409,
      reason: 'interaction_not_pending',
    });
  });

  test('refused replies do not extend it; each question has its own', async () => {
    const h = createHarness();
    const q = await (await h.say('ask-twice')).end();
    await h.clock.advance(299_999);
    expect((await h.reply(q.sessionId, q.call?.id, 'nonsense')).status).toBe(400);
    const second = await listen(await h.reply(q.sessionId, q.call?.id, DECLINE)).end();
    await h.clock.advance(299_999);
    expect((await h.reply(q.sessionId, second.call?.id, 'nonsense')).status).toBe(400);
    await h.clock.advance(1);
    expect(h.runs.list()[0]).toMatchObject({ ended: 'deadline' });
  });

  test('follows the setting as it is when the question is asked', async () => {
    const h = createHarness();
    h.settings.interaction_deadline = 1_000;
    await (await h.say('ask-question')).end();
    h.settings.interaction_deadline = 5_000;
    await h.clock.advance(999);
    expect(h.runs.list()[0]?.status).toBe('waiting');
    await h.clock.advance(1);
    expect(h.runs.list()[0]?.ended).toBe('deadline');
  });

  test('a behaviour that waits on a question is closed, and its finally runs', async () => {
    const closed: string[] = [];
    const tidy: Behaviour = {
      name: 'tidy',
      async *turn(_turn, { signal }) {
        try {
          yield { ask: { kind: 'elicitation', message: '?', fields: [] } };
        } finally {
          closed.push(String(signal.aborted));
        }
      },
    };
    const h = createHarness({ scripts: [tidy] });
    await (await h.say('tidy')).end();
    await h.clock.advance(300_000);
    expect(closed).toEqual(['true']);
  });
});

describe('the execution deadline of invoke', () => {
  test.each([
    [3_599_999, 'running'],
    [3_600_000, 'ended'],
    [3_600_001, 'ended'],
  ])('at %i ms the run is %s', async (ms, status) => {
    const h = createHarness();
    expect((await h.invoke({ input: 'script: never-ends' })).status).toBe(202);
    await h.clock.advance(ms);
    const [run] = h.runs.list();
    expect(run?.status).toBe(status);
    expect(run?.ended).toBe(status === 'ended' ? 'deadline' : undefined);
    if (status === 'ended') expect(run?.ended_at).toBe('2026-01-01T01:00:00.000Z');
  });

  test('a chat run has none', async () => {
    const h = createHarness();
    const stream = await h.say('never-ends');
    await h.clock.advance(3_600_001);
    expect(h.runs.list()[0]?.status).toBe('running');
    await stream.cancel();
  });
});

describe('acceptance', () => {
  const mute: Behaviour = {
    name: 'mute',
    async *turn() {
      await new Promise(() => {});
    },
  };

  test('an intern that neither says nor waits for 30 s has not accepted: 504', async () => {
    const h = createHarness({ scripts: [mute] });
    let answered: Response | undefined;
    const sent = h.prompt('script: mute').then((response) => {
      answered = response;
      return response;
    });
    await h.clock.advance(29_999);
    expect(answered).toBeUndefined();
    await h.clock.advance(1);
    expect(await h.refused(sent)).toMatchObject({ status: 504, reason: 'timeout' });
    expect(h.runs.list()[0]).toMatchObject({ status: 'ended', ended: 'failed' });
    expect((await h.prompt('the lock is free')).status).toBe(200);
  });

  test('waiting is accepting: a failure after it comes in the stream', async () => {
    const h = createHarness();
    h.scripts.put('later', { name: 'later', turn: [{ wait: '1s' }, { end: 'severed' }] });
    const stream = await h.say('later');
    expect(stream.status).toBe(200);
    await h.settle();
    expect(stream.heard().chunks).toHaveLength(1);
    await h.clock.advance(1_000);
    expect((await stream.end()).error).toMatchObject({ code: 502, metadata: { reason: 'stream_severed' } });
  });

  test('what is not accepted counts against no limit', async () => {
    const h = createHarness({ settings: { turns_per_minute: 1 } });
    for (let i = 0; i < 3; i++) expect((await h.prompt('script: refuses')).status).toBe(502);
    expect((await h.prompt('x')).status).toBe(200);
    expect((await h.prompt('x')).status).toBe(429);
  });
});

describe('keepalives', () => {
  test('come after exactly 30 s of silence, measured from the last write', async () => {
    const h = createHarness();
    h.scripts.put('now-and-then', {
      name: 'now-and-then',
      turn: [{ say: 'a' }, { wait: '29s' }, { say: 'b' }, { wait: '31s' }, { say: 'c' }],
    });
    const stream = await h.say('now-and-then');
    await h.clock.advance(58_999);
    expect(stream.heard()).toMatchObject({ content: 'ab', keepalives: 0 });
    await h.clock.advance(1);
    expect(stream.heard()).toMatchObject({ content: 'ab', keepalives: 1 });
    await h.clock.advance(1_000);
    const said = await stream.end();
    expect(said).toMatchObject({ content: 'abc', keepalives: 1, done: true });
    expect(said.text).toContain('\n\n: keepalive\n\ndata: ');
  });

  test('none are written once the stream is over', async () => {
    const h = createHarness();
    const stream = await h.say('ask-question');
    const said = await stream.end();
    await h.clock.advance(120_000);
    expect(said.keepalives).toBe(0);
    expect(stream.over()).toBe('end');
  });

  test('a reader that does not read gets none on top of what it has not read', async () => {
    const h = createHarness();
    const response = await h.prompt('script: never-ends');
    const reader = response.body?.getReader();
    await reader?.read();
    await h.clock.advance(3_600_000);
    const pending = reader?.read();
    await h.settle();
    await h.clock.advance(30_000);
    expect(new TextDecoder().decode((await pending)?.value)).toBe(': keepalive\n\n');
  });
});
