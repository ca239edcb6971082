import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

/** Calls that change something and take no body. */
const BODILESS = ['/_emulator/reset', '/_emulator/snapshots/{name}', '/_emulator/snapshots/{name}/restore'];

interface Listed {
  method: string;
  path: string;
  does: string;
  body: string | null;
}

test('SEE-2: lists every call, with and without the slash, and each of them is routed', async () => {
  const api = createTestClient();
  const { data } = (await api.get('/_emulator')).json as { data: Listed[] };
  expect((await api.get('/_emulator/')).json.data).toEqual(data);
  expect(data.length).toBeGreaterThan(25);
  for (const { method, path, does, body } of data) {
    expect(does).toMatch(/^[A-Z]/);
    expect([path, body === null]).toEqual([path, method === 'GET' || method === 'DELETE' || BODILESS.includes(path)]);
    // A method that no call has distinguishes a known path from an unknown one.
    expect((await api.call('PATCH', path)).status).toBe(405);
  }
  expect(data).toContainEqual({
    method: 'PUT',
    path: '/_emulator/interns/{id}/script',
    does: expect.any(String),
    body: '{"name": string|null}',
  });
});

test('a call that is read may be asked for its head alone, a stream too', async () => {
  const api = createTestClient();
  for (const path of ['/_emulator/health', '/_emulator/clock', '/_emulator/events']) {
    const { status, text, headers } = await api.call('HEAD', path);
    expect([path, status, text]).toEqual([path, 200, '']);
    const { length } = path === '/_emulator/events' ? { length: undefined } : (await api.call('GET', path)).text;
    expect(headers.get('content-length')).toBe(length === undefined ? null : String(length));
    expect(headers.get('content-type')).toMatch(/json|event-stream/);
  }
  const refused = await api.call('HEAD', '/_emulator/reset');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
  expect(Number(refused.headers.get('content-length'))).toBeGreaterThan(10);
  expect((await api.call('PATCH', '/_emulator/health')).headers.get('allow')).toBe('GET, HEAD');
  await api.emulator.close();
});

test.each([
  ['/_emulator/clok', '/_emulator/clock'],
  ['/_emulator/intern/1', '/_emulator/interns/{id}'],
  ['/_emulator/scripts/echo/source', '/_emulator/scripts/{name}'],
])('SEE-2: %s is unknown, and names %s as the nearest', async (path, nearest) => {
  const api = createTestClient();
  const { status, json } = await api.get(path);
  expect([status, json.error.message]).toEqual([404, expect.stringContaining(`the nearest is ${nearest}.`)]);
});

test('a query parameter that a call does not know is refused, and names those it knows', async () => {
  const api = createTestClient();
  const { status, json } = await api.get('/_emulator/runs?intern=1');
  expect([status, json.error.message]).toEqual([
    400,
    'intern: unknown (did you mean intern_id?); expected one of intern_id',
  ]);
  expect((await api.get('/_emulator/runs?intern_id=1')).status).toBe(200);
});

test.each([
  ['/_emulator/scripts/ehco', 'no script ehco (did you mean echo?); known: '],
  ['/_emulator/events?types=intrn', 'types: "intrn" is not one of intern, '],
  ['/_emulator/snapshots/satrt', 'snapshot satrt does not exist (did you mean start?); known: '],
  ['/_emulator/spaces/oen', 'POST /_emulator/spaces makes one (did you mean one?)'],
])('a name that is not there is answered with the one that was meant: %s', async (path, message) => {
  const api = createTestClient();
  await api.put('/_emulator/snapshots/start');
  await api.post('/_emulator/spaces', { name: 'one' });
  const { json } = await api.get(path);
  expect(json.error.message).toContain(message);
  expect(json.error.message).toContain('did you mean');
});

test('a refusal is one line that a person can read, whatever it repeats of the call', async () => {
  const api = createTestClient();
  const script = (turn: unknown) => api.put('/_emulator/scripts/odd', { name: 'odd', turn });
  const long = 'x'.repeat(900_000);
  const refusals = [
    await api.put('/_emulator/interns/a%0D%0Ab/script', { name: null }),
    await api.get(`/_emulator/runs/${'x'.repeat(10_000)}`),
    await api.post('/_emulator/faults', { [long]: 1 }),
    await api.post('/_emulator/spaces', { settings: { [long]: 1 } }),
    await script([{ [`a\n${long}`]: 1 }]),
    await script([{ say: 'a', [long]: 1 }]),
  ];
  for (const { status, json } of refusals) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(json.error.message).toMatch(/^[^\p{Cc}]{5,2100}$/u);
  }
});
