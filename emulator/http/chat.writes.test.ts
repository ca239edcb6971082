import { expect, test } from 'vitest';
import { createHarness } from './chat.harness.js';

test('everything that is ready at once leaves in one write', async () => {
  const writes = async (script: string) => (await (await createHarness().say(script)).end()).bytes.length;
  expect(await writes('long')).toBeLessThanOrEqual(2);
  expect(await writes('no-usage')).toBe(1);
});

test.each([
  [9_000, 100],
  [500, 2_000],
])('%i chunks of %i: too long for one write, nothing lost or repeated', async (count, length) => {
  const h = createHarness();
  const words = Array.from({ length: count }, (_, i) => `${String(i).padStart(length - 1, '0')} `);
  h.scripts.put('epic', { name: 'epic', turn: [{ say: words.join(''), chunks: count }, { end: 'stop' }] });
  const said = await (await h.say('epic')).end();
  expect(said.bytes.length).toBeGreaterThan(1);
  expect(said.content).toBe(words.join(''));
  expect(said).toMatchObject({ finish: 'stop', done: true });
  expect(said.chunks).toHaveLength(1 + count + 2);
});
