import { expect, test } from 'vitest';
import type { EmulatorOptions } from '../index.js';
import { listening } from '../testing/listening.harness.js';

/** A disturbed prompt as a client beyond a socket sees it: the end of what it read, and how that ended. */
async function outcomeOf(chaos: NonNullable<EmulatorOptions['chaos']>) {
  const { emulator, at } = await listening({ clock: 'auto', chaos });
  const { credentials } = emulator.target;
  let said = '';
  try {
    const response = await fetch(`${at.baseUrl}/interns/${credentials.intern?.id}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.api_key}` },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] }),
    });
    for await (const bytes of response.body ?? []) said += Buffer.from(bytes).toString();
    return { said, ended: 'complete', status: response.status };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return { said, ended: cause?.code ?? message };
  }
}

test.each(['refused', 'reset', 'lost'] as const)('%s resets the connection', async (disturb) => {
  expect(await outcomeOf([{ operation: 'chat', disturb }])).toEqual({ said: '', ended: 'ECONNRESET' });
});

test('a stream that is cut closes its connection behind what was written', async () => {
  const { said, ended } = await outcomeOf([{ operation: 'chat', disturb: 'cut', write: 'before-done' }]);
  expect(said).toContain('"session_id"');
  expect(said).not.toContain('[DONE]');
  expect(ended).not.toBe('complete');
});

test('a refusal reaches a page, and has an id', async () => {
  const { at } = await listening({ chaos: [{ operation: 'list', disturb: 'unavailable' }] });
  const refused = await fetch(`${at.baseUrl}/interns`, { headers: { origin: 'http://localhost:3000' } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
  expect(refused.headers.get('x-request-id')).toMatch(/\S/);
  await refused.text();
});
