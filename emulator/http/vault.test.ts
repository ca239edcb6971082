import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createTestClient } from '../testing/client.js';
import '../../test/same-draws.js';

const make = (...given: Parameters<typeof createTestClient>) => {
  const api = createTestClient(...given);
  onTestFinished(() => api.emulator.close());
  return { ...api, internId: api.credentials.intern?.id ?? '', ownKey: api.credentials.intern?.api_key ?? '' };
};
type Api = ReturnType<typeof make>;

const HOSTS = ['api.example.com'];
const put = (api: Api, path: string, value = 'a value of some length', hosts: unknown = HOSTS, as?: string) =>
  api.put(path, { value, hosts }, as === undefined ? {} : { as });
const reasonOf = ({ status, json }: { status: number; json: { error: { message: string; metadata?: object } } }) => [
  status,
  json.error.message,
  json.error.metadata,
];
const NOT_FOUND = { reason: 'not_found', retryable: false };
const INVALID = { reason: 'invalid_body', retryable: false };

test('VAULT-1, VAULT-3: each scope is its own; a secret is stored, shown without its value, replaced', async () => {
  const api = make();
  const intern = `/vault/interns/${api.internId}/secrets`;
  const stored = await put(api, '/vault/secrets/github_token', 'first', [
    'API.GitHub.com.',
    'api.github.com',
    'b.test',
  ]);
  expect([stored.status, stored.json]).toEqual([
    200,
    {
      data: {
        name: 'github_token',
        hosts: ['api.github.com', 'b.test'],
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: '2026-01-01T00:00:00.000Z',
      },
    },
  ]);
  await api.advance(1_000);
  const again = await put(api, '/vault/secrets/github_token', 'second', ['c.test']);
  expect(again.json.data).toMatchObject({ hosts: ['c.test'], created_at: '2026-01-01T00:00:00.000Z' });
  expect(again.json.data.fingerprint).not.toBe(stored.json.data.fingerprint);
  // The workspace's other member sees it, another workspace and the intern do not.
  const names = async (path: string, as?: string) =>
    (await api.get(path, as === undefined ? {} : { as })).json.data.map(({ name }: { name: string }) => name);
  expect(await names('/vault/secrets', api.credentials.peer_api_key)).toEqual(['github_token', 'legacy_token']);
  expect(await names('/vault/secrets', api.credentials.oauth_interns_only_token)).toHaveLength(2);
  expect(await names('/vault/secrets', api.credentials.foreign_api_key)).toEqual([]);
  expect(await names(intern)).toEqual([]);
  expect((await api.delete(`${intern}/github_token`)).status).toBe(404);
});

test('VAULT-1: who is refused', async () => {
  const api = make();
  const { credentials, internId, ownKey } = api;
  const intern = `/vault/interns/${internId}/secrets`;
  for (const path of ['/vault/secrets', '/vault/nowhere', '/vault', intern])
    expect(reasonOf(await api.get(path, { as: credentials.outsider_api_key ?? '' }))).toEqual([
      404,
      'Intern not found',
      NOT_FOUND,
    ]);
  expect((await api.get(intern, { as: credentials.foreign_api_key ?? '' })).json.error.message).toBe(
    'Intern not found',
  );
  expect((await api.get('/vault/secrets', { as: null })).json).toEqual({
    error: { code: 401, message: 'Invalid or missing API key' },
  });
  expect((await api.get('/vault/secrets', { as: credentials.management_key })).status).toBe(401);
  // An own key has its own vault, and that alone. What belongs to the workspace does not exist for it, including the
  // source of a copy.
  expect((await put(api, `${intern}/mine`, 'something', HOSTS, ownKey)).status).toBe(200);
  expect((await api.get(intern, { as: ownKey })).json.data).toHaveLength(1);
  expect((await api.get('/vault/secrets', { as: ownKey })).status).toBe(404);
  expect(reasonOf(await api.post(`${intern}/copy`, { junk: 1 }, { as: ownKey }))).toEqual([
    404,
    'Intern not found',
    NOT_FOUND,
  ]);
  // An invalid path, and one that is a name and an operation.
  expect((await api.get('/vault/nowhere')).status).toBe(404);
  expect((await put(api, `${intern}/copy`)).json.data.name).toBe('copy');
  expect((await api.get(`${intern}/copy`)).headers.get('allow')).toBe('PUT, DELETE, POST, OPTIONS');
  expect((await api.get(`${intern}/other`)).headers.get('allow')).toBe('PUT, DELETE, OPTIONS');
});

test('VAULT-1: a vault is there whatever the status, but while it is torn down or not made yet', async () => {
  const api = make();
  const stopped = await api.create();
  const path = `/vault/interns/${stopped.id}/secrets`;
  expect((await put(api, `${path}/a_key`)).status).toBe(200);
  await api.put('/_emulator/scripts/stuck', {
    name: 'stuck',
    lifecycle: { teardown: { ends: 'workspace_archive_failed' } },
  });
  await api.put(`/_emulator/interns/${stopped.id}/script`, { name: 'stuck' });
  await api.delete(`/interns/${stopped.id}`);
  expect((await api.get(path)).status).toBe(404);
  expect((await put(api, `${path}/a_key`)).status).toBe(404);
  await api.advance(1_000);
  expect((await api.get(path)).json.data).toHaveLength(1);
  await api.delete(`/interns/${stopped.id}`, { acknowledge_workspace_loss: true });
  await api.advance(1_000);
  expect((await api.get('/_emulator/state')).json.secrets).toHaveLength(1);
  await api.post('/_emulator/faults', { operation: 'create', at: 'vault' });
  const body = { name: 'unfinished', workspace_id: api.workspaceId };
  expect((await api.post('/interns', body)).status).toBe(502);
  const [{ id }] = (await api.get('/interns')).json.data;
  expect((await api.get(`/vault/interns/${id}/secrets`)).status).toBe(404);
  await api.post('/interns', body);
  expect((await api.get(`/vault/interns/${id}/secrets`)).status).toBe(200);
});

test('VAULT-3: hosts are normalized, and what is no exact DNS name is 400', async () => {
  const api = make();
  const hosts = async (given: unknown) => {
    const { status, json } = await put(api, '/vault/secrets/k', 'v', given);
    return status === 200 ? json.data.hosts : status;
  };
  expect(await hosts(['A.B.', 'a.b', 'localhost', 'xn--bcher-kva.example', '1.a'])).toEqual([
    'a.b',
    'localhost',
    'xn--bcher-kva.example',
    '1.a',
  ]);
  const label = 'l'.repeat(63);
  const longest = [label, label, label, 'l'.repeat(61)].join('.');
  expect(await hosts([`${longest}.`])).toEqual([longest]);
  for (const wrong of [
    'https://a.b',
    'a.b:443',
    'a.b/',
    '*.a.b',
    '',
    '.',
    'a..b',
    'a.b..',
    '-a.b',
    'a-.b',
    'a_b.c',
    '127.0.0.1',
    'a.1',
    '[::1]',
    'bücher.example',
    'a b',
    ' a.b',
    '\u212a.test',
    `${label}l.a`,
    `${longest}a`,
    7,
    null,
  ])
    expect([wrong, await hosts([wrong])]).toEqual([wrong, 400]);
  expect(await hosts([])).toBe(400);
  expect(await hosts('a.b')).toBe(400);
  // Counted as sent.
  expect(await hosts(Array(100).fill('a.b'))).toEqual(['a.b']);
  expect(await hosts(Array(101).fill('a.b'))).toBe(400);
});

test('VAULT-3: invalid values, names and bodies are 400, whatever the content type', async () => {
  const api = make();
  const store = (body: unknown, name = 'k') => api.call('PUT', `/vault/secrets/${name}`, { raw: JSON.stringify(body) });
  const value = async (given: unknown) => (await store({ value: given, hosts: HOSTS })).status;
  expect(await value('v')).toBe(200);
  expect(await value('x'.repeat(65_536))).toBe(200);
  expect(await value('😀'.repeat(32_768))).toBe(200);
  for (const wrong of ['', 'x'.repeat(65_537), `${'😀'.repeat(32_768)}x`, '\ud83d', 'a\ude00b', 7, null, ['v']])
    expect(await value(wrong)).toBe(400);
  for (const body of [
    undefined,
    null,
    [],
    'v',
    { value: 'v' },
    { hosts: HOSTS },
    { value: 'v', hosts: HOSTS, name: 'k' },
  ])
    expect((await store(body)).status).toBe(400);
  for (const name of ['a', 'a1', 'a_1_b', 'z'.repeat(255), '%61'])
    expect((await store({ value: 'v', hosts: HOSTS }, name)).status).toBe(200);
  for (const name of ['A', '1a', '_a', 'a_', 'a__b', 'a-b', 'z'.repeat(256), 'a%20', '%', 'a%0A']) {
    expect(reasonOf(await store({ value: 'v', hosts: HOSTS }, name))).toEqual([400, 'Invalid request body', INVALID]);
    expect((await api.delete(`/vault/secrets/${name}`)).status).toBe(400);
  }
  expect(reasonOf(await api.call('PUT', '/vault/secrets/k', { raw: 'x'.repeat(1_048_577) }))[0]).toBe(413);
});

test('VAULT-4: fingerprints are equal exactly where values are, in one vault; they stay over suspension', async () => {
  const api = make();
  const other = await api.create();
  const paths = ['/vault/secrets', `/vault/interns/${api.internId}/secrets`, `/vault/interns/${other.id}/secrets`];
  const seen = new Map<string, string>();
  const values = fc.oneof(fc.constantFrom('a', 'aa', 'b'), fc.string({ minLength: 1, maxLength: 5, unit: 'binary' }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.constantFrom('k', 'l', 'm_1'), values, async (path, name, value) => {
      const { fingerprint } = (await put(api, `${path}/${name}`, value)).json.data;
      const key = `${path}\n${value}`;
      expect(seen.get(key) ?? fingerprint).toBe(fingerprint);
      for (const [known, print] of seen) if (known !== key) expect(print).not.toBe(fingerprint);
      seen.set(key, fingerprint);
    }),
    { numRuns: 60 },
  );
  await api.post(`/interns/${api.internId}/suspend`);
  const path = `${paths[1]}/k`;
  const before = (await put(api, path, 'same')).json.data.fingerprint;
  await api.post(`/interns/${api.internId}/provision`);
  expect((await put(api, path, 'same')).json.data.fingerprint).toBe(before);
});

test('VAULT-5: pages of any size give the whole, by name', async () => {
  const api = make();
  const path = `/vault/interns/${api.internId}/secrets`;
  const names = ['b', 'a_1', 'a1', 'a', 'z9', 'a_b', 'c'];
  for (const name of names) await put(api, `${path}/${name}`);
  const sorted = names.toSorted();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9 }), async (limit) => {
      const found: string[] = [];
      for (let more = true; more; ) {
        const page = (await api.get(`${path}?limit=${limit}&offset=${found.length}`)).json;
        found.push(...page.data.map(({ name }: { name: string }) => name));
        more = page.has_more;
      }
      expect(found).toEqual(sorted);
    }),
  );
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'offset=-1',
    'offset=10001',
  ])
    expect(reasonOf(await api.get(`${path}?${query}`))).toEqual([400, 'Invalid list query', INVALID]);
  expect((await api.get(`${path}?limit=100&offset=10000`)).json).toEqual({ data: [], has_more: false });
});

test('VAULT-6: a delete answers 204 without a body, then 404; the same name elsewhere stays', async () => {
  const api = make();
  const intern = `/vault/interns/${api.internId}/secrets/k`;
  await put(api, '/vault/secrets/k');
  await put(api, intern);
  const gone = await api.delete('/vault/secrets/k');
  expect([gone.status, gone.text]).toEqual([204, '']);
  expect(reasonOf(await api.delete('/vault/secrets/k'))).toEqual([404, 'Secret not found', NOT_FOUND]);
  expect((await api.delete(intern)).status).toBe(204);
});

test('VAULT-7: copies all or nothing, in the order asked, over what is there; a copy is a copy', async () => {
  const api = make();
  const path = `/vault/interns/${api.internId}/secrets`;
  const list = async () => (await api.get(path)).json.data;
  const copy = (names: unknown, more = {}) => api.post(`${path}/copy`, { names, ...more });
  await put(api, '/vault/secrets/a', 'value of a', ['a.test', 'b.test']);
  await put(api, '/vault/secrets/b', 'value of b');
  const old = (await put(api, `${path}/b`, 'what was there before')).json.data;
  await api.advance(5_000);

  expect(reasonOf(await copy(['a', 'missing', 'legacy_token']))).toEqual([404, 'Secret not found', NOT_FOUND]);
  expect(reasonOf(await copy(['a', 'legacy_token']))[2]).toEqual({ reason: 'secret_unbound', retryable: false });
  for (const names of [[], ['a', 'a'], Array.from({ length: 101 }, (_, n) => `n${n}`), ['A'], 'a', [7], undefined])
    expect((await copy(names)).status).toBe(400);
  expect((await copy(['a'], { more: 1 })).status).toBe(400);
  expect(await list()).toEqual([old]);

  const copied = (await copy(['b', 'a'])).json.data;
  expect(copied).toEqual([
    { ...copied[0], name: 'b', hosts: HOSTS, created_at: old.created_at },
    { ...copied[1], name: 'a', hosts: ['a.test', 'b.test'], created_at: '2026-01-01T00:00:05.000Z' },
  ]);
  // The value was copied: the same value stored again has the same fingerprint in this vault.
  expect((await put(api, `${path}/b`, 'value of b')).json.data.fingerprint).toBe(copied[0].fingerprint);
  await api.delete('/vault/secrets/a');
  await put(api, '/vault/secrets/b', 'changed');
  expect((await list()).map(({ fingerprint }: { fingerprint: string }) => fingerprint)).toEqual(
    [copied[1], copied[0]].map(({ fingerprint }) => fingerprint),
  );
});

test('VAULT-3, VAULT-7: a full vault takes no new name, by a copy neither; it takes what is there again', async () => {
  const api = make();
  const path = `/vault/interns/${api.internId}/secrets`;
  for (let n = 0; n < 999; n++) await put(api, `${path}/k${n}`, 'v');
  await put(api, '/vault/secrets/one', 'v');
  await put(api, '/vault/secrets/k1', 'v');
  await put(api, '/vault/secrets/two', 'v');
  const full = [409, expect.any(String), { reason: 'vault_full', retryable: false }];
  expect(reasonOf(await api.post(`${path}/copy`, { names: ['k1', 'one', 'two'] }))).toEqual(full);
  expect((await api.get(`${path}?offset=998`)).json).toMatchObject({ has_more: false, data: [{ name: 'k998' }] });
  expect((await api.post(`${path}/copy`, { names: ['k1', 'one'] })).status).toBe(200);
  expect(reasonOf(await put(api, `${path}/more`))).toEqual(full);
  expect((await put(api, `${path}/k5`, 'other')).status).toBe(200);
});

test('VAULT-8: writes off are 503 and retryable, after what is wrong with the call; reads go on', async () => {
  const api = make();
  const path = `/vault/interns/${api.internId}/secrets`;
  await put(api, '/vault/secrets/k');
  expect((await api.put('/_emulator/settings', { vault_writes: 'off' })).json).toEqual({
    vault_writes: 'off',
    scim_sync: 'succeeds',
  });
  const off = [503, 'Vault writes are disabled', { reason: 'vault_writes_disabled', retryable: true }];
  const refused = await put(api, '/vault/secrets/k');
  expect(reasonOf(refused)).toEqual(off);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(reasonOf(await api.delete('/vault/secrets/k'))).toEqual(off);
  expect(reasonOf(await api.post(`${path}/copy`, { names: ['legacy_token'] }))).toEqual(off);
  expect((await put(api, '/vault/secrets/K')).status).toBe(400);
  expect((await api.delete('/vault/secrets/none')).status).toBe(404);
  expect((await api.post(`${path}/copy`, { names: ['none'] })).status).toBe(404);
  expect((await api.get('/vault/secrets')).json.data).toHaveLength(2);
  expect((await api.get(path)).json.data).toEqual([]);
  await api.post('/_emulator/faults', { operation: 'vault-store', status: 500 });
  expect((await put(api, '/vault/secrets/k')).status).toBe(500);
  await api.post('/_emulator/reset');
  expect((await api.get('/_emulator/settings')).json).toEqual({ vault_writes: 'on', scim_sync: 'succeeds' });
  expect((await put(api, '/vault/secrets/k')).status).toBe(200);
});

test('VAULT-8: a fault of an operation hits both scopes, or one intern', async () => {
  const api = make();
  const path = `/vault/interns/${api.internId}/secrets`;
  await api.post('/_emulator/faults', { operation: 'vault-list', status: 503, times: 2 });
  expect([(await api.get(path)).status, (await api.get('/vault/secrets')).status]).toEqual([503, 503]);
  await api.post('/_emulator/faults', { operation: 'vault-list', intern_id: api.internId, status: 503 });
  expect([(await api.get('/vault/secrets')).status, (await api.get(path)).status]).toEqual([200, 503]);
});
