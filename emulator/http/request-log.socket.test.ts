import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';
import { plainGet } from '../testing/plain-get.harness.js';
import type { RequestRecord } from './request-log.js';

function watched(options: Parameters<typeof createTestClient>[0] = {}) {
  const records: RequestRecord[] = [];
  const logged: Record<string, unknown>[] = [];
  const api = createTestClient({
    onRequest: (record) => records.push(record),
    log: (record) => logged.push(record),
    ...options,
  });
  const chat = (content: string, more = {}) => api.chat(content, more);
  return { api, records, logged, chat, intern: api.credentials.intern?.id ?? '' };
}

test('SEE-1: a record for each request to the interface, with what exactly was wrong', async () => {
  const { api, records, intern } = watched();
  await api.get(`/interns/${intern}`);
  await api.post('/interns', { name: 'ada' });
  await api.get(`/interns/${intern}`, { as: api.credentials.foreign_api_key ?? null });
  await api.get('/interns', { as: null });
  await api.get('/_emulator/target');
  const time = '2026-01-01T00:00:00.000Z';
  const path = `/api/v1/interns/${intern}`;
  expect(records).toEqual([
    { time, method: 'GET', path, status: 200, ms: 0, caller: 'alice', intern, script: null, wrong: null },
    {
      ...{ time, method: 'POST', path: '/api/v1/interns', status: 400, ms: 0, caller: 'alice', intern: null },
      ...{ script: null, wrong: 'workspace_id: missing' },
    },
    {
      ...{ time, method: 'GET', path, status: 404, ms: 0, caller: 'carol', intern: null, script: null },
      wrong: 'the caller does not see first-intern, which exists',
    },
    {
      ...{ time, method: 'GET', path: '/api/v1/interns', status: 401, ms: 0, caller: null, intern: null },
      ...{ script: null, wrong: 'Authorization: missing' },
    },
  ]);
});

test('SEE-1: streams when they open, pause, resume and end, and how', async () => {
  const { api, records, chat } = watched();
  const turns = () => records.splice(0).map(({ stream, how, status }) => [status, stream, how]);
  await chat('hello');
  expect(turns()).toEqual([
    [200, 'opened', undefined],
    [200, 'ended', 'stop'],
  ]);
  await chat('script: ask-permission', { session_id: 'a', approval_mode: 'manual' });
  expect(turns()).toEqual([
    [200, 'opened', undefined],
    [200, 'paused', undefined],
  ]);
  const [{ question }] = (await api.get('/_emulator/runs')).json.data;
  await chat('', { session_id: 'a', messages: [{ role: 'tool', tool_call_id: question.id, content: 'allow_once' }] });
  expect(turns()).toEqual([
    [200, 'resumed', undefined],
    [200, 'ended', 'stop'],
  ]);
  const slow = chat('script: slow');
  await api.advance(60_000);
  await slow;
  expect(records.at(-1)).toMatchObject({ stream: 'ended', how: 'stop', ms: 9_500, script: 'slow' });
  expect(turns().map(([, stream]) => stream)).toEqual(['opened', 'ended']);
});

test('SEE-1: a client that leaves, and a connection that a fault drops', async () => {
  const { api, records, intern } = watched();
  const { base_url, credentials } = api.emulator.target;
  const response = await api.emulator.fetch(`${base_url}/interns/${intern}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}` },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: silent' }] }),
  });
  await response.body?.cancel();
  expect(records.at(-1)).toMatchObject({ stream: 'ended', how: 'client left, run cancelled' });
  await api.post('/_emulator/faults', { operation: 'list', disconnect: true });
  await expect(api.get('/interns')).rejects.toThrow('fetch failed');
  expect(records.at(-1)).toMatchObject({ status: null, wrong: 'dropped by an injected fault' });
});

test('SEE-1: the daemons too', async () => {
  const { api, records } = watched();
  await api.emulator.daemon.fetch(`${api.emulator.target.daemon_origin}/api/invoke?x=1`, { method: 'POST' });
  expect(records).toMatchObject([
    {
      ...{ method: 'POST', path: '/api/invoke?x=1', status: 401, intern: null },
      wrong: 'token_invalid: no bearer token was sent',
    },
  ]);
});

test('AUTH-9: no credential stands in it', async () => {
  const { api, records } = watched();
  await api.get(`/interns?status=${api.credentials.api_key}`);
  expect(records).toHaveLength(1);
  expect(JSON.stringify(records)).not.toContain(api.credentials.api_key);
});

test('SEE-1: a wait on a clock that stands still is reported, once for each that waits', async () => {
  const { api, logged, chat } = watched();
  const waits = () => logged.filter(({ event }) => event === 'waits').map(({ message }) => message);
  const slow = chat('script: slow');
  await api.advance(500);
  const [{ id }] = (await api.get('/_emulator/runs')).json.data;
  expect(waits()).toEqual([`run ${id} waits for the clock: 500 ms (advance it, or --clock auto)`]);
  await api.advance(60_000);
  await slow;
  expect(waits()).toHaveLength(1);
  await api.create({ name: 'boots', provision: true });
  expect(waits()[1]).toMatch(/^intern boots waits for the clock: \d+ ms/);
});

test('a clock that runs has nobody waiting for it', async () => {
  const { api, logged, chat } = watched({ clock: 'auto' });
  await chat('script: slow');
  await api.create({ provision: true });
  expect(logged.filter(({ event }) => event === 'waits')).toEqual([]);
});

test('SEE-1: a request that is refused for its host', async () => {
  const { api, records } = watched();
  const { url } = await api.emulator.listen({ port: 0 });
  await plainGet(`${url}/api/v1/interns`, { host: 'app.test' });
  await api.emulator.close();
  expect(records).toMatchObject([
    { method: 'GET', path: '/api/v1/interns', status: 421, wrong: expect.stringContaining('--allow-host') },
  ]);
});
