import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

const journalOf = async (api: ReturnType<typeof createTestClient>) => (await api.get('/_emulator/journal')).json;

test('AUTH-9: no credential gets into the journal, whatever part of a request it is sent in', async () => {
  const api = createTestClient();
  const { base_url, credentials, workspace_id } = api.emulator.target;
  const key = credentials.api_key;
  const send = (path: string, init: RequestInit) => api.emulator.fetch(base_url + path, init);
  const authorized = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  await send('/interns', { headers: { authorization: key } });
  await send('/interns', { headers: { authorization: `Basic ${key}`, 'x-request-id': key, cookie: 'session=0123' } });
  await send(`/interns?status=${key}`, { headers: authorized });
  await send('/interns', { method: 'POST', headers: authorized, body: JSON.stringify({ name: 'ada', [key]: key }) });
  // Where a long body is cut, half a key would be as good as the whole to somebody who knows the rest.
  for (const before of [65_530, 65_536 + 4_080, 65_536 + 4_096])
    await send('/interns', {
      method: 'POST',
      headers: authorized,
      body: JSON.stringify({ name: 'ada', workspace_id, description: '' }).slice(0, -2).padEnd(before, 'x') + key,
    });
  const journal = await journalOf(api);
  expect(journal.data).toHaveLength(7);
  expect(JSON.stringify(journal)).not.toContain(key.slice(0, 10));
  expect(JSON.stringify(journal)).not.toContain('0123');
  expect(journal.data[0].request.headers.authorization).toBe('[redacted]');
  expect(journal.data[2].request.headers.authorization).toBe('Bearer [redacted]');
});

test('AUTH-9: no credential gets into an error', async () => {
  const api = createTestClient();
  const { base_url, credentials } = api.emulator.target;
  const peer = credentials.peer_api_key ?? '';
  const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
  const unknown = await api.emulator.fetch(`${base_url}/interns?status=${peer}`, { headers });
  expect(unknown.headers.get('x-emulator-detail')).toContain('[redacted]');
  const body = `{"a":1}${peer}`;
  const broken = await api.emulator.fetch(`${base_url}/interns`, { method: 'POST', headers, body });
  expect(broken.status).toBe(400);
  expect(broken.headers.get('x-emulator-detail')).not.toContain(peer.slice(0, 8));
});

test('the journal shows the beginning of a long body and says that it was cut', async () => {
  const api = createTestClient();
  const instructions = 'i'.repeat(100_000);
  await api.post('/interns', { name: 'ada', workspace_id: api.workspaceId, instructions });
  await api.post('/interns', { name: 'bob', workspace_id: api.workspaceId, instructions: 'short' });
  const [long, short] = (await journalOf(api)).data;
  expect(long).toMatchObject({ truncated: true, response: { status: 201 } });
  expect(long.request.body).toMatch(/^\{"name":"ada".*iiii$/);
  expect(long.request.body.length).toBe(65_536);
  expect(long.response.body.length).toBe(65_536);
  expect(short.truncated).toBeUndefined();
  expect(JSON.parse(short.request.body)).toMatchObject({ instructions: 'short' });
});

test('a create is among the requests of the intern that it made', async () => {
  const api = createTestClient();
  const { json: made } = await api.post('/interns', { name: 'ada', workspace_id: api.workspaceId });
  await api.get('/interns');
  const { json } = await api.get(`/_emulator/journal?intern_id=${made.id}`);
  expect(json.data).toMatchObject([{ operation: 'create', intern_id: made.id }]);
});

test('a body that breaks off is the sender’s failure, not one of ours', async () => {
  const logged: Record<string, unknown>[] = [];
  const api = createTestClient({ log: (record) => logged.push(record) });
  const { base_url, credentials } = api.emulator.target;
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error('the sender left'));
    },
  });
  const answer = await api.emulator.fetch(`${base_url}/interns`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit);
  expect(answer.status).toBe(400);
  expect(logged.filter(({ event }) => event === 'internal_error')).toEqual([]);
});

test('AUTH-9: a stream shows no credential that was said in pieces, in its writes or where it was cut', async () => {
  const api = createTestClient();
  const { credentials } = api.emulator.target;
  const key = credentials.api_key;
  await api.put('/_emulator/scripts/pieces', {
    name: 'pieces',
    turn: [
      { say: `the key is ${key}, `, every: '10ms', chunks: 9 },
      { say: 'x'.repeat(64_000) },
      { say: `${key} `.repeat(300), chunks: 900 },
    ],
  });
  const chat = api.chat('script: pieces');
  await api.advance(1_000);
  expect((await chat).status).toBe(200);
  const entry = (await journalOf(api)).data.at(-1);
  expect(entry.truncated).toBe(true);
  const text = entry.writes.map((write: { text: string }) => write.text).join('');
  const said = [...text.matchAll(/"content":"([^"]*)/g)].map(([, content]) => content).join('');
  expect(said).toContain('the key is [redacted], xxx');
  for (let at = 0; at + 6 <= key.length; at++) expect(said).not.toContain(key.slice(at, at + 6));
});

test('AUTH-9: a proof is not in the journal, and a credential in any spelling neither', async () => {
  const api = createTestClient();
  const { credentials } = api.emulator.target;
  const signed = await api.post(
    `/interns/${credentials.intern?.id}/daemon/sign`,
    { bodySha256: '0'.repeat(64), route: { method: 'POST', path: '/api/invoke' } },
    { as: credentials.oauth_token },
  );
  const escaped = JSON.stringify({ name: 'ada' }).replace('ada', `\\u0065${credentials.api_key.slice(1)}`);
  const long = JSON.stringify({ name: 'ada', description: 'd'.repeat(65_500) }).slice(0, -2) + escaped;
  for (const raw of [escaped, long])
    await api.call('POST', '/interns', { raw, headers: { 'content-type': 'application/json' } });
  const text = JSON.stringify(await journalOf(api));
  for (const name of ['x-svc-invoke-signature', 'x-svc-invoke-signature-v2']) {
    expect(signed.json[name]).toHaveLength(88);
    expect(text).not.toContain(signed.json[name].slice(0, 20));
  }
  expect(text).not.toContain(credentials.api_key.slice(1));
});

test('the journal and the log keep the trace of a request, if its traceparent is valid and given once', async () => {
  const logged: { trace_id?: string }[] = [];
  const api = createTestClient({ onRequest: (record) => logged.push(record) });
  const { base_url, credentials } = api.emulator.target;
  const trace = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', parent_id: '00f067aa0ba902b7', sampled: true };
  const valid = `00-${trace.trace_id}-${trace.parent_id}-01`;
  for (const traceparent of [valid, valid.toUpperCase(), `${valid}, ${valid}`]) {
    const headers = { authorization: `Bearer ${credentials.api_key}`, traceparent };
    expect((await api.emulator.fetch(`${base_url}/interns`, { headers })).status).toBe(200);
  }
  const { data } = await journalOf(api);
  expect(data.map((entry: { trace?: object }) => entry.trace)).toEqual([trace, undefined, undefined]);
  expect(logged.map(({ trace_id }) => trace_id)).toEqual([trace.trace_id, undefined, undefined]);
});
