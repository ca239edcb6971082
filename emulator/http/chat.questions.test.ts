import { describe, expect, test } from 'vitest';
import { createHarness, listen, type ParsedStream } from './chat.harness.js';

describe('answers', () => {
  test('more than 64 waiting runs refuse the next prompt, not the answers', async () => {
    const h = createHarness();
    const asked: ParsedStream[] = [];
    for (let i = 0; i < 65; i++) asked.push(await (await h.say('ask-question')).end());
    await h.clock.advance(60_000);
    expect(await h.refused(h.prompt('one more'))).toEqual({
      status: 503,
      reason: 'busy',
      message: 'Too many runs of this intern wait on questions',
      retryAfter: '240',
    });
    expect((await h.prompt('another intern', {}, { row: h.addIntern(2) })).status).toBe(200);
    const [first] = asked;
    await listen(await h.reply(first?.sessionId, first?.call?.id, '{"action":"decline"}')).end();
    expect((await h.prompt('one more')).status).toBe(200);
  });

  test('of ended runs the newest 1,000 of an intern are remembered', async () => {
    const h = createHarness();
    const first = await (await h.say('ask-question')).end();
    await listen(await h.reply(first.sessionId, first.call?.id, '{"action":"decline"}')).end();
    for (let i = 0; i < 1_000; i++) await listen(await h.prompt('x')).end();
    expect(h.runs.list(h.intern.id)).toHaveLength(1_000);
    expect(h.runs.list()[0]?.ended).toBe('stop');
    expect((await h.refused(h.reply(first.sessionId, first.call?.id, '{"action":"decline"}'))).status).toBe(404);
  });
});
