import { describe, expect, test } from 'vitest';
import { createHarness } from './chat.harness.js';

const user = (content: unknown) => ({ role: 'user', content });
const good = { stream: true, messages: [user('hi')] };

test.each<[unknown, string]>([
  [[], 'body'],
  [{ stream: true, messages: [] }, 'messages'],
  [{ ...good, messages: ['hi'] }, 'messages[0]'],
  [{ ...good, messages: [user('a'), { role: 'assistant', content: 'b' }] }, 'messages[1].role'],
  [{ ...good, messages: [user([{ type: 'image_url' }])] }, 'messages[0].content[0]'],
  [{ ...good, session_id: null }, 'session_id'],
  [{ ...good, session_id: 's', messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].tool_call_id'],
])('the refusal of %j names its field', async (body, field) => {
  const h = createHarness();
  const refused = await h.refused(h.chat(body));
  expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(`${field}: `) });
});

test('a model of any kind passes', async () => {
  const h = createHarness();
  expect((await h.chat({ ...good, model: 7 })).status).toBe(200);
});

describe('which script', () => {
  test('an unknown one that the intern carries fails its turns', async () => {
    const h = createHarness();
    const row = h.addIntern(2, { booted: { model: 'script/nowhere', instructions: null } });
    const failed = await h.refused(h.prompt('x', {}, { row }));
    expect(failed).toMatchObject({ status: 502, reason: 'turn_failed' });
    expect(failed.message).toContain('its model names an unknown script "nowhere"');
    const other = h.addIntern(3, { booted: { model: null, instructions: 'script: nowhere' } });
    const { message } = await h.refused(h.prompt('x', {}, { row: other }));
    expect(message).toContain('the first line of its instructions names an unknown script "nowhere"');
    h.setStatus(row, 'failed');
    expect(await h.refused(h.prompt('x', {}, { row }))).toMatchObject({ reason: 'intern_not_ready' });
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
