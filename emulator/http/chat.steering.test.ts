import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { createHarness } from './chat.harness.js';

describe('steering', () => {
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

test('shutdown ends all runs, those of invoke too, and leaves nothing on the clock', async () => {
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
