import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

const START = Date.UTC(2026, 0, 1);

/** The texts of a reply and when each left, in ms since the prompt. */
async function reply(pace: number, script: unknown, prompt = 'go') {
  const api = createTestClient({ clock: 'auto', settings: { pace } });
  await api.put('/_emulator/scripts/mine', { name: 'mine', turn: script });
  const { status, text } = await api.chat(`script: mine\n${prompt}`);
  expect(status).toBe(200);
  const [entry] = (await api.get('/_emulator/journal?operation=chat')).json.data;
  const said = (entry.writes as { at: string; text: string }[]).flatMap((write) =>
    [...write.text.matchAll(/"content":"([^"]+)"/g)].map(([, word = '']) => [Date.parse(write.at) - START, word]),
  );
  return { said, text };
}

test('WEB-2: with a pace, a text is said word by word', async () => {
  const { said } = await reply(30, [{ say: 'One two,  three. ' }, { say: ' four' }]);
  expect(said).toEqual([
    [0, 'One '],
    [30, 'two,  '],
    [60, 'three. '],
    [60, ' four'],
  ]);
});

test('WEB-2: chunks and every of a script win over it', async () => {
  const { said } = await reply(30, [
    { say: 'a b', chunks: 1 },
    { say: 'c d', every: '5ms' },
    { say: 'e f', chunks: 3, every: '100ms' },
  ]);
  expect(said).toEqual([
    [0, 'a b'],
    [0, 'c d'],
    [0, 'e'],
    [100, ' '],
    [200, 'f'],
  ]);
});

test('WEB-2: what is paced is ended like anything else', async () => {
  const api = createTestClient({ settings: { pace: 1_000 } });
  const id = api.credentials.intern?.id;
  const chat = api.chat('one two three four');
  await api.advance(1_500);
  await api.post(`/interns/${id}/suspend`);
  const { text } = await chat;
  expect([...text.matchAll(/"content":"([^"]+)"/g)].map(([, word]) => word)).toEqual(['one ', 'two ']);
  expect(text).toContain('"reason":"run_ended"');
});

test.each([
  [{}, 'stream: missing'],
  [{ stream: false }, 'stream: expected true'],
])('WEB-4: %j is refused as ever, and says what to do with which client', async (body, found) => {
  const api = createTestClient();
  const messages = [{ role: 'user', content: 'hi' }];
  const answer = await api.post(`/interns/${api.credentials.intern?.id}/chat/completions`, { messages, ...body });
  expect([answer.status, answer.json.error.message]).toEqual([400, 'Invalid request body: stream: expected true']);
  const detail = answer.headers.get('x-emulator-detail') ?? '';
  expect(detail).toContain(found);
  expect(detail).toContain('LangChain: streaming: true');
  expect(detail).toContain('AI SDK: streamText');
  const [entry] = (await api.get('/_emulator/journal')).json.data;
  expect(entry.wrong).toBe(detail);
});
