import { expect, test } from 'vitest';
import { createHarness, listen } from './chat.harness.js';

test('of ended runs the newest 1,000 of an intern are remembered, of their questions more', async () => {
  const h = createHarness();
  const first = await (await h.say('ask-question')).end();
  await listen(await h.reply(first.sessionId, first.call?.id, '{"action":"decline"}')).end();
  for (let i = 0; i < 1_000; i++) await listen(await h.prompt('x')).end();
  expect(h.runs.list(h.intern.id)).toHaveLength(1_000);
  expect(h.runs.list()[0]?.ended).toBe('stop');
  expect((await h.refused(h.reply(first.sessionId, first.call?.id, '{"action":"decline"}'))).status).toBe(409);
  expect((await h.refused(h.reply('another', first.call?.id, '{"action":"decline"}'))).status).toBe(404);
});
