import { describe, expect, test } from 'vitest';
import { PROFILES } from '../contract/profile.js';
import { createTestClient } from '../testing/client.js';

const KEY = { headers: { 'idempotency-key': 'k' } };

test.each([false, true])(
  'CREATE-1: a new intern (provision: %s) was updated when it was created',
  async (provision) => {
    const api = createTestClient();
    const { json } = await api.post('/interns', { name: 'new', workspace_id: api.workspaceId, provision });
    expect(json.updated_at).toBe(json.created_at);
    const seen = (await api.get(`/interns/${json.id}`)).json;
    expect(seen.updated_at === json.updated_at).toBe(!provision);
  },
);

test('CREATE-4: racing retries make one intern', async () => {
  const api = createTestClient();
  const body = { name: 'raced', workspace_id: api.workspaceId };
  const replies = await Promise.all(Array.from({ length: 50 }, () => api.post('/interns', body, KEY)));
  expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(49);
  expect(new Set(replies.map((reply) => reply.json.id)).size).toBe(1);
  expect((await api.get('/interns')).json.data).toHaveLength(2);
});

test('CREATE-4: a key belongs to its caller and its body', async () => {
  const api = createTestClient();
  const body = { name: 'first', workspace_id: api.workspaceId };
  const made = await api.post('/interns', body, KEY);
  // The order of keys does not make another value.
  const again = await api.post('/interns', { workspace_id: api.workspaceId, name: 'first' }, KEY);
  expect([again.status, again.json]).toEqual([200, made.json]);
  const other = await api.post('/interns', { ...body, description: 'x' }, KEY);
  expect([other.status, other.json.error.metadata.reason]).toEqual([409, 'idempotency_key_reused']);
  const peer = await api.post('/interns', body, { ...KEY, as: api.credentials.peer_api_key ?? '' });
  expect(peer.status).toBe(201);
  for (const key of ['', 'x'.repeat(256)])
    expect((await api.post('/interns', body, { headers: { 'idempotency-key': key } })).status).toBe(400);
  expect((await api.post('/interns', body, { headers: { 'idempotency-key': 'x'.repeat(255) } })).status).toBe(409);
});

test('CREATE-4: without a key an equal create replays, until its intern is gone', async () => {
  const api = createTestClient();
  const body = { name: 'derived', workspace_id: api.workspaceId };
  const made = (await api.post('/interns', body)).json;
  expect((await api.post('/interns', body)).json).toEqual(made);
  const named = await api.post('/interns', body, KEY);
  expect([named.status, named.json.error.metadata.reason]).toEqual([409, 'name_conflict']);
  await api.delete(`/interns/${made.id}`);
  await api.advance(1_000);
  const anew = await api.post('/interns', body);
  expect(anew.status).toBe(201);
  expect(anew.json.id).not.toBe(made.id);
});

for (const at of ['vault', 'provisioner'] as const) {
  test(`CREATE-4: a create that failed at the ${at} is completed by its retry`, async () => {
    const api = createTestClient();
    await api.post('/_emulator/faults', { operation: 'create', at });
    const body = { name: 'resumed', workspace_id: api.workspaceId, provision: true };
    const failed = await api.post('/interns', body, KEY);
    expect([failed.status, failed.json.error.metadata]).toEqual([
      502,
      { reason: 'upstream_unavailable', retryable: true },
    ]);
    const left = (await api.get('/interns')).json.data[0];
    expect(left).toMatchObject({ name: 'resumed', status: 'stopped' });
    expect(left.vault_id === null).toBe(at === 'vault');
    const done = await api.post('/interns', body, KEY);
    expect(done.status).toBe(201);
    expect(done.json).toMatchObject({ id: left.id, status: 'queued', vault_id: expect.any(String) });
    expect((await api.post('/interns', body, KEY)).json).toEqual(done.json);
    await api.advance(1_000);
    expect((await api.get(`/interns/${left.id}`)).json.status).toBe('running');
    expect((await api.get('/interns')).json.data).toHaveLength(2);
  });
}

test('CREATE-4: a script can fail the vault once', async () => {
  const api = createTestClient();
  const body = { name: 'scripted', workspace_id: api.workspaceId, instructions: 'script: vault-fails-once' };
  expect((await api.post('/interns', body)).status).toBe(502);
  expect((await api.post('/interns', body)).status).toBe(201);
  expect((await api.post('/interns', body)).status).toBe(200);
});

test('CREATE-2: a vault can be borrowed within the workspace, and is gone with its intern', async () => {
  const api = createTestClient();
  const lender = await api.create();
  const borrower = await api.create({ vault_id: lender.vault_id });
  expect(borrower.attached_vault_id).toBe(lender.vault_id);
  expect(borrower.vault_id).not.toBe(lender.vault_id);
  const carol = { as: api.credentials.foreign_api_key ?? '' };
  const elsewhere = { workspace_id: api.emulator.target.foreign_workspace_id };
  for (const [vault_id, ask, body] of [
    ['no-such-vault', {}, {}],
    [lender.vault_id, carol, elsewhere],
  ] as const)
    expect(
      (await api.post('/interns', { name: 'wants', workspace_id: api.workspaceId, ...body, vault_id }, ask)).status,
    ).toBe(409);
  await api.delete(`/interns/${lender.id}`);
  await api.advance(1_000);
  expect((await api.get(`/interns/${borrower.id}`)).json.attached_vault_id).toBeNull();
});

test('CREATE-4: a retry does not finish a create whose intern is being deleted, and makes a new one once it is gone', async () => {
  const api = createTestClient();
  const body = { name: 'ada', workspace_id: api.workspaceId };
  const create = () => api.post('/interns', body, { headers: { 'idempotency-key': 'one' } });
  await api.post('/_emulator/faults', { operation: 'create', at: 'vault' });
  expect((await create()).status).toBe(502);
  const half = (await api.get('/interns')).json.data[0];
  expect((await api.delete(`/interns/${half.id}`)).status).toBe(202);
  expect((await create()).json.error).toMatchObject({ code: 409, metadata: { reason: 'intern_busy' } });
  await api.advance(1_000);
  const made = await create();
  expect([made.status, made.json.status]).toEqual([201, 'stopped']);
  expect(made.json.id).not.toBe(half.id);
});

test('CREATE-5: names, lengths and unknown fields', async () => {
  const api = createTestClient();
  const status = async (body: Record<string, unknown>) =>
    (
      await api.post('/interns', {
        name: `n${Object.keys(body)}`.slice(0, 17).toLowerCase(),
        workspace_id: api.workspaceId,
        ...body,
      })
    ).status;
  for (const name of ['a', 'x'.repeat(18), 'A', 'aB', '1a', 'a-', '-a', 'a--b', 'a_b', 'a b', 'aé', 'ab\n', 7, null])
    expect([name, await status({ name })]).toEqual([name, 400]);
  for (const name of ['ab', 'x'.repeat(17), 'a-1-b2', 'a1'])
    expect([name, await status({ name })]).toEqual([name, 201]);
  // Code points, not code units.
  expect(await status({ description: '😀'.repeat(2_000) })).toBe(201);
  expect(await status({ description: '😀'.repeat(2_001) })).toBe(400);
  expect(await status({ instructions: 'x'.repeat(100_000) })).toBe(201);
  expect(await status({ instructions: 'x'.repeat(100_001) })).toBe(400);
  expect(await status({ unknown: 1 })).toBe(400);
  expect(await status({ provision: 'yes' })).toBe(400);
});

describe('a profile that names the header of idempotency keys', () => {
  const profile = { ...PROFILES.svc, idempotency_header: 'x-once' };
  const api = createTestClient({ profile });
  const twice = async (header: string, name: string) => {
    const create = (description: string) =>
      api.post('/interns', { name, workspace_id: api.workspaceId, description }, { headers: { [header]: 'one' } });
    return [(await create('a')).json.error, (await create('b')).json.error?.metadata.reason];
  };

  test('has its keys read there (CREATE-4)', async () => {
    expect(await twice('X-Once', 'named')).toEqual([undefined, 'idempotency_key_reused']);
    expect(await twice('Idempotency-Key', 'published')).toEqual([undefined, 'name_conflict']);
  });

  test('is sent to pages and is in the OpenAPI document', async () => {
    const preflight = await api.emulator.fetch(`${api.emulator.target.base_url}/interns`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/\bx-once\b/);
    const { json } = await api.get('/_emulator/openapi.json');
    const names = json.paths['/interns'].post.parameters.map(({ name }: { name?: string }) => name);
    expect(names).toContain('x-once');
    expect(names).not.toContain('Idempotency-Key');
  });

  test('is refused with the key and what was expected', () => {
    expect(() => createTestClient({ profile: { ...profile, idempotency_header: 'X Once' } })).toThrow(
      /profile: idempotency_header: expected a lower-case header name/,
    );
  });
});
