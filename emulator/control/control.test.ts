import { describe, expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

test('tells its target as in process, and refuses to advance its clock by no time', async () => {
  const api = createTestClient();
  expect((await api.get('/_emulator/target')).json).toEqual(JSON.parse(JSON.stringify(api.emulator.target)));
  for (const advance of ['5 parsecs', -1, Number.MAX_SAFE_INTEGER])
    expect((await api.post('/_emulator/clock', { advance })).status).toBe(400);
  expect((await api.get('/interns')).status).toBe(200);
});

test('WEB-3: health needs no token, and answers whatever host it is asked by; another page still gets nothing', async () => {
  const api = createTestClient({ controlToken: 'let-me-in-please' });
  const status = async (method: string, headers = {}) =>
    (await api.call(method, '/_emulator/health', { as: null, headers })).status;
  expect(await status('GET')).toBe(200);
  expect(await status('GET', { host: 'emulator:4683' })).toBe(200);
  expect(await status('HEAD', { host: 'emulator:4683' })).toBe(200);
  expect(await status('GET', { origin: 'https://example.com' })).toBe(403);
  expect(await status('POST')).toBe(403);
});

test('asks for its token where it has one', async () => {
  const api = createTestClient({ controlToken: 'let-me-in-please' });
  const status = async (as: string | null, headers = {}) => (await api.get('/_emulator/clock', { as, headers })).status;
  expect(await status(null)).toBe(403);
  expect(await status('let-me-in')).toBe(403);
  expect(await status('let-me-in-please')).toBe(200);
  expect(await status('let-me-in-please', { host: 'emulator.test' })).toBe(403);
});

test('one fault is taken back by its id, which it keeps while it is used up; as it is listed it can be added again', async () => {
  const api = createTestClient();
  const listed = async () => (await api.get('/_emulator/faults')).json.data;
  const same = { operation: 'list', times: 2, status: 503 };
  await api.post('/_emulator/faults', [same, same]);
  const [first, second] = await listed();
  expect((await api.get('/interns')).status).toBe(503);
  expect(await listed()).toEqual([{ ...first, times: 1 }, second]);
  expect((await api.delete(`/_emulator/faults/${first.id}`)).status).toBe(204);
  expect(await listed()).toEqual([second]);
  expect((await api.delete(`/_emulator/faults/${first.id}`)).status).toBe(404);
  await api.post('/_emulator/faults', second);
  expect(await listed()).toEqual([second, { ...second, id: expect.not.stringMatching(second.id) }]);
});

test('what is nested too deeply is refused, not fallen over', async () => {
  const api = createTestClient();
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const ask = '{"ask":{"kind":"permission","operation":"shell","options":["allow_once"]},"as":"a"}';
  const nest = (levels: number) =>
    `{"name":"deep","turn":[${ask},${'{"when":{"a":"allow_once"},"then":['.repeat(levels)}{"say":"x"}${']}'.repeat(levels)}]}`;
  const put = (path: string, raw: string) => api.call('PUT', `/_emulator${path}`, { raw });
  const empty = { format: 'intern-emulator', version: 1, interns: [], idempotency: [], sessions: [], reveals: [] };
  const state = (meta: string) => `${JSON.stringify(empty).slice(0, -1)},"scripts":[],"meta":[${meta}]}`;
  const nested = await put('/scripts/deep', nest(20_000));
  expect(nested.status).toBe(400);
  expect(nested.json.error.message).toMatch(/^turn\[1\]\.then\[0\]\.then.*…\S+: nested deeper than 1000 levels$/);
  expect((await put('/scripts/deep', '['.repeat(60_000))).status).toBe(400);
  expect((await put('/scripts/deep', deep(500_000))).status).toBe(400);
  expect((await put('/state', state(`{"id":"a","value":${deep(400_000)}}`))).status).toBe(400);
  expect((await put('/scripts/deep', nest(450))).status).toBe(200);
  expect(
    (await put('/scripts/brackets', `{"name":"brackets","turn":[{"say":"${'[\\"'.repeat(2_000)}"}]}`)).status,
  ).toBe(200);
  expect((await put('/state', state(`{"id":"a","value":${deep(900)}}`))).status).toBe(200);
  expect((await api.get('/_emulator/state')).status).toBe(200);
});

describe('a state that the interface could not have brought about is refused, names its field, and changes nothing', () => {
  const api = createTestClient();
  type Row = { record: Record<string, unknown>; [key: string]: unknown };
  const recorded = (change: object) => (row: Row) => void Object.assign(row.record, change);
  const changed = (change: object) => (row: Row) => void Object.assign(row, change);
  type State = { interns: Row[]; scripts: unknown[] };
  test.each<[what: string, message: string, spoil: (first: Row, second: Row, state: State) => void]>([
    ['a row that is there twice', 'interns[2].id: ', (first, _, { interns }) => interns.push(first)],
    [
      'an invalid script',
      'broken',
      (_, __, state) => state.scripts.push({ id: 'broken', source: { name: 'broken', turn: [{ shout: 'x' }] } }),
    ],
    ['a name', 'interns[0].record.name: expected lower-case words', recorded({ name: 'BAD NAME' })],
    [
      'a description',
      'interns[0].record.description: expected 0 to 2000',
      recorded({ description: 'x'.repeat(2_001) }),
    ],
    ['a model', 'interns[0].record.model: expected author/slug', recorded({ model: 'large' })],
    [
      'an id in capitals',
      'interns[0].id: expected a UUID in lower case',
      changed({ id: 'ABCDEF00-0000-4000-8000-000000000001' }),
    ],
    ['another id', 'interns[1].record.id: expected the id of its row', (a, b) => recorded({ id: a.record.id })(b)],
    [
      'a name that is taken',
      'interns[1].record.name: alice has another intern called "first-intern"',
      (a, b) => recorded({ name: a.record.name })(b),
    ],
    [
      'a vault that is taken',
      'interns[1].record.vault_id: another intern has this vault',
      (a, b) => recorded({ vault_id: a.record.vault_id })(b),
    ],
    [
      'a key that is taken',
      'interns[1].api_key: another intern has this key',
      (a, b) => changed({ api_key: a.api_key })(b),
    ],
    [
      'a place in the list',
      'interns[1].seq: another intern has this place in the list',
      (a, b) => changed({ seq: a.seq })(b),
    ],
    ['a place that no cursor can name', 'interns[0].seq: expected at least 1', changed({ seq: 0 })],
    [
      'a time that does not exist',
      'interns[0].record.updated_at: expected a time that exists',
      recorded({ updated_at: '2026-13-01T25:00:00.000Z' }),
    ],
  ])('%s', async (_, message, spoil) => {
    if ((await api.get('/interns')).json.data.length < 2) await api.create({ name: 'second' });
    const before = (await api.get('/_emulator/state?credentials=1')).text;
    const state = JSON.parse(before);
    const [first, second] = state.interns;
    spoil(first, second, state);
    const refused = await api.put('/_emulator/state', state);
    expect([refused.status, refused.json.error.message]).toEqual([400, expect.stringContaining(message)]);
    expect((await api.get('/_emulator/state?credentials=1')).text).toBe(before);
    expect((await api.put('/_emulator/state', JSON.parse(before))).status).toBe(200);
  });
});

test('lists the interns of every workspace, newest first', async () => {
  const api = createTestClient();
  const mine = await api.create();
  const target = (await api.get('/_emulator/target')).json;
  const theirs = await api.create(
    { workspace_id: target.foreign_workspace_id },
    { as: target.credentials.foreign_api_key },
  );
  const { data } = (await api.get('/_emulator/interns')).json;
  expect(data).toEqual([theirs, mine, expect.objectContaining({ id: api.credentials.intern?.id })]);
});

test('reset goes back to the seed', async () => {
  const api = createTestClient();
  const made = await api.create();
  await api.put('/_emulator/limits', { turns_per_minute: 1 });
  await api.post('/_emulator/faults', { operation: 'list', status: 500 });
  await api.put(`/_emulator/interns/${api.credentials.intern?.id}/script`, { name: 'silent' });
  const own = (await api.get(`/_emulator/interns/${made.id}`)).json.api_key;
  await api.delete(`/interns/${made.id}`);
  expect((await api.post('/_emulator/reset')).status).toBe(200);
  expect((await api.get('/interns')).json.data.map((row: { id: string }) => row.id)).toEqual([
    api.credentials.intern?.id,
  ]);
  expect((await api.get('/_emulator/limits')).json).toEqual({ turns_per_minute: 60 });
  expect((await api.get(`/interns/${made.id}`, { as: own })).status).toBe(401);
  expect((await api.get(`/_emulator/interns/${api.credentials.intern?.id}`)).json.script).toBeNull();
  // The teardown that was in progress does not reach into the new world.
  await api.advance(10_000);
  expect((await api.get('/interns')).json.data).toHaveLength(1);
});

test('a state leaves without credentials, and comes back whole', async () => {
  const api = createTestClient();
  const made = await api.create({ name: 'exported' });
  const plain = await api.get('/_emulator/state');
  const own = (await api.get(`/_emulator/interns/${made.id}`)).json.api_key;
  for (const secret of [own, api.credentials.intern?.api_key]) expect(plain.text).not.toContain(secret);
  expect(plain.text).not.toMatch(/PRIVATE KEY|emu-dtok-/);
  const { api_key } = api.credentials;
  await api.create({ name: 'secretive', description: `use ${api_key}`, instructions: `or ${encodeURIComponent(own)}` });
  const { text } = await api.get('/_emulator/state');
  for (const secret of [own, api_key]) expect(text).not.toContain(secret);
  expect(text).toContain('use [redacted]');
  expect((await api.get('/_emulator/state?credentials=1')).text).toContain(own);

  const other = createTestClient({ seed: 'another' });
  expect((await other.put('/_emulator/state', plain.json)).status).toBe(200);
  expect((await other.get(`/interns/${made.id}`)).json).toEqual(made);
  const created = await other.create({ name: 'after' });
  expect((await other.get('/interns')).json.data[0]).toEqual(created);
  const bad = await other.put('/_emulator/state', { ...plain.json, interns: [{ id: 1 }] });
  expect([bad.status, bad.json.error.message]).toEqual([400, expect.stringContaining('interns[0].id')]);
  expect((await other.get(`/interns/${made.id}`)).status).toBe(200);
});

test('a state with credentials is asked for by 1, and by nothing that only looks like it', async () => {
  const api = createTestClient();
  const refused = await api.get('/_emulator/state?credentials=yes');
  expect([refused.status, refused.json.error.message]).toEqual([400, 'credentials: expected 1; found "yes"']);
});
