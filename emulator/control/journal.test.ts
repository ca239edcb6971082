import { expect, test } from 'vitest';
import { exchangeSchema } from '../recording/format.js';
import { createTestClient } from '../testing/client.harness.js';

type TestClient = ReturnType<typeof createTestClient>;

async function busyClient() {
  const api = createTestClient();
  const id = api.credentials.intern?.id ?? '';
  await api.get('/interns');
  await api.get(`/interns/${id}`);
  await api.get('/interns/0b000000-0000-4000-8000-0000000000ff');
  await api.advance(1_000);
  await api.post('/interns', { name: 'ada' });
  await api.chat('hi');
  return { api, id };
}

const operations = async (api: TestClient, query: string) =>
  (await api.get(`/_emulator/journal${query}`)).json.data.map(
    ({ operation, response }: { operation: string | null; response: { status: number } }) =>
      `${operation} ${response.status}`,
  );

test("SEE-3: what the console's page asks for itself is nobody else's, and listed only where it is asked for", async () => {
  const api = createTestClient();
  const mine = { 'x-request-id': 'console-0a1b2c3d4e5f6g7h8i' };
  await api.get('/interns', { headers: mine });
  await api.get('/interns', { headers: { 'x-request-id': 'console-7' } });
  const callers = async (query: string) =>
    (await api.get(`/_emulator/journal${query}`)).json.data.map(({ caller }: { caller: string }) => caller);
  expect(await callers('')).toEqual(['alice']);
  expect(await callers('?caller=alice')).toEqual(['alice']);
  expect(await callers('?caller=console')).toEqual(['console']);
  expect((await api.get(`/_emulator/journal/${mine['x-request-id']}`)).json).toMatchObject({ caller: 'console' });
});

test('SEE-3: filters by operation, status, intern, run, since and limit', async () => {
  const { api, id } = await busyClient();
  expect(await operations(api, '')).toEqual(['list 200', 'get 200', 'get 404', 'create 400', 'chat 200']);
  expect(await operations(api, '?operation=get')).toEqual(['get 200', 'get 404']);
  expect(await operations(api, '?status=404')).toEqual(['get 404']);
  expect(await operations(api, '?status=4xx')).toEqual(['get 404', 'create 400']);
  expect(await operations(api, `?intern_id=${id.toUpperCase()}`)).toEqual(['get 200', 'chat 200']);
  const [run] = (await api.get('/_emulator/runs')).json.data;
  expect(await operations(api, `?run_id=${run.id}`)).toEqual(['chat 200']);
  expect(await operations(api, '?limit=2')).toEqual(['create 400', 'chat 200']);
  expect(await operations(api, '?since=2026-01-01T00:00:00.000Z')).toEqual(['create 400', 'chat 200']);
  expect(await operations(api, '?since=2026-01-01T00:00:01.000Z')).toEqual([]);
  const entries = (await api.get('/_emulator/journal')).json.data;
  expect(await operations(api, `?since=${entries[3].id}`)).toEqual(['chat 200']);
  expect(await operations(api, '?status=4xx&operation=get&limit=1')).toEqual(['get 404']);
});

test.each([
  [
    '?operations=get',
    'operations: unknown (did you mean operation?); expected one of operation, status, intern_id, run_id, caller, judged, since, limit, format',
  ],
  ['?operation=fly', 'operation: expected list, create, '],
  ['?status=4x', 'status: expected a status such as 409, or 4xx; found "4x"'],
  ['?since=yesterday', 'since: expected the id of a request that the journal holds, or a time; found "yesterday"'],
  ['?limit=0', 'limit: expected a whole number from 1; found "0"'],
  ['?format=xml', 'format: expected json or har or recording; found "xml"'],
])('an invalid filter is refused: %s', async (query, message) => {
  const api = createTestClient();
  const { status, json } = await api.get(`/_emulator/journal${query}`);
  expect([status, json.error.message]).toEqual([400, expect.stringContaining(message)]);
});

test('SEE-3: one entry, with what exactly was wrong, also where the response may not say it', async () => {
  const { api } = await busyClient();
  const wrong = async (headers: Headers) => {
    const { json } = await api.get(`/_emulator/journal/${headers.get('x-request-id')}`);
    return [json.wrong, json.requirement];
  };
  const id = api.credentials.intern?.id;
  const unseen = await api.get(`/interns/${id}`, { as: api.credentials.foreign_api_key ?? null });
  const unknown = await api.get('/interns/0b000000-0000-4000-8000-0000000000ff');
  expect(unseen.text).toBe(unknown.text);
  expect([...unseen.headers.keys()]).toEqual([...unknown.headers.keys()]);
  expect(await wrong(unseen.headers)).toEqual(['the caller does not see first-intern, which exists', 'AUTH-3']);
  expect(await wrong(unknown.headers)).toEqual([
    'intern 0b000000-0000-4000-8000-0000000000ff does not exist',
    'AUTH-3',
  ]);
  expect(await wrong((await api.get('/interns', { as: null })).headers)).toEqual(['Authorization: missing', 'AUTH-1']);
  expect(await wrong((await api.get('/interns', { as: 'nobody' })).headers)).toEqual([
    'Authorization: an unknown key',
    'AUTH-1',
  ]);
  expect(await wrong((await api.post('/interns', { name: 'ada' })).headers)).toEqual([
    'workspace_id: missing',
    'CREATE-1',
  ]);
  expect(await wrong((await api.get(`/interns/${id}/daemon`)).headers)).toEqual([
    'an API key, but this needs an OAuth token',
    'AUTH-7',
  ]);
  expect((await api.get('/_emulator/journal/none')).status).toBe(404);
});

test('SEE-3: as a HAR, with streams as the text that they carried', async () => {
  const { api } = await busyClient();
  const { log } = (await api.get('/_emulator/journal?format=har&operation=chat')).json;
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'intern-emulator' }, entries: [{ time: 0 }] });
  const [{ request, response, timings }] = log.entries;
  expect(request).toMatchObject({
    method: 'POST',
    httpVersion: 'HTTP/1.1',
    postData: { mimeType: 'application/json' },
  });
  expect(request.headers).toContainEqual({ name: 'authorization', value: 'Bearer [redacted]' });
  expect(response).toMatchObject({ status: 200, statusText: 'OK', content: { mimeType: 'text/event-stream' } });
  expect(response.content.text).toMatch(/^data: .*\[DONE\]\n\n$/s);
  expect(timings).toEqual({ send: 0, wait: 0, receive: 0 });
  const one = await api.get(
    `/_emulator/journal/${response.headers.find(({ name }: { name: string }) => name === 'x-request-id').value}?format=har`,
  );
  expect(one.json.log.entries).toEqual(log.entries);
});

test('credentials of elsewhere are known by their names: headers, parameters, members', async () => {
  const api = createTestClient();
  const secret = 'Zq9w81Yx7-5c12aav4';
  await api.call('POST', `/interns?access_token=${secret}`, {
    body: { name: 'ada', accessToken: secret, note: secret },
    headers: { 'x-api-key': secret },
  });
  const { text, json } = await api.get('/_emulator/journal');
  expect(text).not.toContain(secret);
  expect(json.data[0].request).toMatchObject({
    url: expect.stringMatching(/\?access_token=\[redacted\]$/),
    headers: { 'x-api-key': '[redacted]' },
    body: '{"name":"ada","accessToken":"[redacted]","note":"[redacted]"}',
  });
});

test('a run is shown with what was said in it by either side', async () => {
  const api = createTestClient();
  const id = api.credentials.intern?.id;
  const session_id = 'a-session';
  await api.chat('script: ask-permission\ngo', { session_id, approval_mode: 'manual' });
  const [{ id: run, question }] = (await api.get('/_emulator/runs')).json.data;
  await api.chat('', { session_id, messages: [{ role: 'tool', tool_call_id: question.id, content: 'allow_once' }] });
  const { json } = await api.get(`/_emulator/runs/${run}`);
  expect(json).toMatchObject({
    id: run,
    intern_id: id,
    status: 'ended',
    script: 'ask-permission',
    approval_mode: 'manual',
  });
  const types = json.transcript.map(({ type }: { type: string }) => type);
  expect(types[0]).toBe('prompt');
  expect(types).toEqual(expect.arrayContaining(['content', 'ask', 'answer']));
  expect(types.at(-1)).toBe('end');
  expect(json.transcript[0]).toEqual({ n: 0, at: '2026-01-01T00:00:00.000Z', type: 'prompt', text: 'go' });
  expect((await api.get('/_emulator/runs/none')).status).toBe(404);
});

test('entries are a recording that drift and --replay read: aliases for ids and callers, streams in their writes', async () => {
  const api = createTestClient();
  const { intern, foreign_api_key } = api.credentials;
  await api.chat('hello');
  await api.get('/interns', { as: foreign_api_key ?? '' });
  await api.get('/interns', { as: 'nobody-knows-this' });
  // A recording has no hosts: as a line, this refusal would be one of any such request.
  await api.get('/interns', { headers: { host: 'eu.localhost' } });
  const text = await (await api.emulator.fetch('/_emulator/journal?format=recording')).text();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => exchangeSchema().parse(JSON.parse(line)));
  expect(lines.map(({ n, request, status }) => [n, request.path, request.headers.authorization, status])).toEqual([
    [1, '/api/v1/interns/$intern.1/chat/completions', 'Bearer $api_key', 200],
    [2, '/api/v1/interns', 'Bearer $foreign_api_key', 200],
    [3, '/api/v1/interns', 'Bearer $key.1', 401],
  ]);
  expect(lines[0]?.writes?.at(-1)).toMatchObject({ text: expect.stringContaining('data: [DONE]') });
  expect(lines[0]?.ended).toBe('complete');
  expect(text).not.toContain(intern?.id);
});

test('a recording of the journal says which values are equal, and that an API key was refused, not a token', async () => {
  const api = createTestClient();
  const { intern, api_key } = api.credentials;
  const headers = { authorization: `Bearer ${api_key}` };
  const at = `${api.emulator.target.base_url}/vault/secrets`;
  for (const [name, value] of ['one', 'two', 'one'].map((word, n) => [`name_${n}`, `the value ${word}`]))
    await api.emulator.fetch(`${at}/${name}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ value, hosts: ['a.test'] }),
    });
  await api.get(`/interns/${intern?.id}/daemon`);
  await api.emulator.fetch(`${at}/name_3`, { method: 'PUT', headers, body: '{"value":"of no host","hosts":[]}' });
  const text = await (await api.emulator.fetch('/_emulator/journal?format=recording')).text();
  const lines = text
    .trim()
    .split('\n')
    .map((line) => exchangeSchema().parse(JSON.parse(line)));
  const values = lines.slice(0, 3).map(({ request }) => (request.body as { value: string }).value);
  expect(values).toEqual([values[0], expect.not.stringMatching(values[0] ?? ''), values[0]]);
  expect(lines[3]).toMatchObject({ status: 403, request: { headers: { authorization: 'Bearer $api_key' } } });
  expect(lines[4]).toMatchObject({ status: 400, left_out: { request: { why: 'the journal keeps no credential' } } });
});
