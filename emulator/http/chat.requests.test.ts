import { describe, expect, test } from 'vitest';
import { createHarness } from './chat.harness.js';

const user = (content: unknown) => ({ role: 'user', content });
const good = { stream: true, messages: [user('hi')] };

describe('chat bodies', () => {
  test.each<[string, unknown, string]>([
    ['no object', [], 'body'],
    ['nothing', undefined, 'body'],
    ['no messages', { stream: true }, 'messages'],
    ['empty messages', { stream: true, messages: [] }, 'messages'],
    ['no stream', { messages: [user('hi')] }, 'stream'],
    ['stream false', { ...good, stream: false }, 'stream'],
    ['stream as text', { ...good, stream: 'true' }, 'stream'],
    ['an invalid message', { ...good, messages: ['hi'] }, 'messages[0]'],
    [
      'an assistant at the end',
      { ...good, messages: [user('a'), { role: 'assistant', content: 'b' }] },
      'messages[1].role',
    ],
    ['a system message at the end', { ...good, messages: [{ role: 'system', content: 'b' }] }, 'messages[0].role'],
    ['an empty prompt', { ...good, messages: [user('')] }, 'messages[0].content'],
    ['a null prompt', { ...good, messages: [user(null)] }, 'messages[0].content'],
    ['a number as prompt', { ...good, messages: [user(7)] }, 'messages[0].content'],
    ['no content', { ...good, messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['too long a prompt', { ...good, messages: [user('x'.repeat(32_001))] }, 'messages[0].content'],
    ['an image part', { ...good, messages: [user([{ type: 'image_url' }])] }, 'messages[0].content[0]'],
    ['an empty session id', { ...good, session_id: '' }, 'session_id'],
    ['too long a session id', { ...good, session_id: 'x'.repeat(257) }, 'session_id'],
    ['a control character in it', { ...good, session_id: 'a\u0000b' }, 'session_id'],
    ['a null session id', { ...good, session_id: null }, 'session_id'],
    ['an unknown mode', { ...good, approval_mode: 'auto' }, 'approval_mode'],
    [
      'a tool message without call id',
      { ...good, session_id: 's', messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].tool_call_id',
    ],
    [
      'a tool message without session',
      { ...good, messages: [{ role: 'tool', tool_call_id: 'c', content: 'x' }] },
      'session_id',
    ],
  ])('%s is refused by name', async (_what, body, field) => {
    const h = createHarness();
    const refused = await h.refused(h.chat(body));
    expect(refused).toMatchObject({ status: 400, reason: 'bad_request' });
    expect(refused.message).toContain(`${field}: `);
    expect(h.runs.list()).toEqual([]);
    expect((await h.chat(good)).status).toBe(200);
  });
});

test('a model of any kind passes', async () => {
  const h = createHarness();
  expect((await h.chat({ ...good, model: 7 })).status).toBe(200);
});

describe('which script', () => {
  test('an unknown one in the prompt is 400 and lists the known; one the intern carries fails its turns', async () => {
    const h = createHarness();
    const refused = await h.refused(h.prompt('script: nowhere\nx'));
    expect(refused).toMatchObject({ status: 400, reason: 'bad_request' });
    expect(refused.message).toContain('unknown script "nowhere"');
    expect(refused.message).toContain('ask-permission-twice, ask-question');
    const row = h.addIntern(2, { booted: { model: 'script/nowhere', instructions: null } });
    const failed = await h.refused(h.prompt('x', {}, { row }));
    expect(failed).toMatchObject({ status: 502, reason: 'turn_failed' });
    expect(failed.message).toContain('its model names an unknown script "nowhere"');
  });

  test('the line that selects a script is not part of the prompt, unless nothing else is', async () => {
    const h = createHarness();
    const content = async (prompt: string) => (await (await h.ask(prompt)).end()).content;
    expect(await content('script: echo\nfirst\nsecond')).toBe('first\nsecond');
    expect(await content('script: echo')).toBe('script: echo');
    expect(await content('script:echo\r\nx')).toBe('x');
    expect(await content('a\nscript: refuses')).toBe('a\nscript: refuses');
  });
});
