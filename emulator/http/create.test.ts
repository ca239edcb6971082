import { describe, expect, test } from 'vitest';
import { PROFILES } from '../contract/profile.js';
import { createTestClient } from '../testing/client.harness.js';

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

test('CREATE-2: a vault that is borrowed is gone with its intern', async () => {
  const api = createTestClient();
  const lender = await api.create();
  const borrower = await api.create({ vault_id: lender.vault_id });
  expect(borrower.attached_vault_id).toBe(lender.vault_id);
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

test('PROV-1: an intern whose create has not made its vault is not provisioned', async () => {
  const api = createTestClient();
  const create = () => api.post('/interns', { name: 'ada', workspace_id: api.workspaceId });
  await api.post('/_emulator/faults', { operation: 'create', at: 'vault' });
  expect((await create()).status).toBe(502);
  const half = (await api.get('/interns')).json.data[0];
  const provision = () => api.post(`/interns/${half.id}/provision`);
  expect((await provision()).json.error).toMatchObject({ code: 409, metadata: { reason: 'intern_busy' } });
  expect((await create()).status).toBe(201);
  expect((await provision()).status).toBe(202);
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
