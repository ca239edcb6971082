import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

const FAULT = { operation: 'list', status: 503 };

async function space(body: object, options: Parameters<typeof createTestClient>[0] = {}) {
  const { emulator } = createTestClient(options);
  const send = (url: string, method = 'GET', sent?: object, headers = {}) =>
    emulator.fetch(url, { method, headers, ...(sent && { body: JSON.stringify(sent) }) });
  const made = await send('/_emulator/spaces', 'POST', body);
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as JSON
  const json: any = await made.json();
  const { base_url, control_url, credentials } = json.target ?? {};
  const list = async (base = base_url) =>
    (await send(`${base}/interns`, 'GET', undefined, { authorization: `Bearer ${credentials.api_key}` })).status;
  return {
    status: made.status,
    json,
    list,
    outside: emulator.target.base_url,
    reset: () => send(`${control_url}/reset`, 'POST'),
  };
}

test('a space has the chaos profile that it is made with, from the start and after each reset, and no other has it', async () => {
  const { list, reset, outside } = await space({ chaos: { name: 'one', faults: [FAULT] } });
  expect([await list(outside), await list(), await list()]).toEqual([200, 503, 200]);
  await reset();
  expect([await list(), await list()]).toEqual([503, 200]);
});

test('without one it has that of the emulator around it, and an empty one has no fault', async () => {
  const around = { chaos: [{ operation: 'list', status: 429 }] as const };
  expect(await (await space({}, around)).list()).toBe(429);
  expect(await (await space({ chaos: { faults: [] } }, around)).list()).toBe(200);
});

test('a wrong profile is refused with its place', async () => {
  const { status, json } = await space({ chaos: { faults: [FAULT, { operation: 'lists', status: 503 }] } });
  expect(status).toBe(400);
  expect(json.error.message).toMatch(/^chaos\.faults\[1\]\.operation: /);
});
