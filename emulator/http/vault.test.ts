import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createTestClient } from '../testing/client.harness.js';

const make = () => {
  const api = createTestClient();
  closing(api.emulator);
  return { ...api, internId: api.credentials.intern?.id ?? '' };
};

const put = (api: ReturnType<typeof make>, path: string) =>
  api.put(path, { value: 'a value of some length', hosts: ['api.example.com'] });

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

test.each([
  ['127.0.0.1', 400],
  ['0x7f000001', 400],
  ['127.0.0.0X1', 400],
  ['0x', 400],
  ['0xg', 200],
  ['0x7f.test', 200],
])('VAULT-3: the host %s, as a URL parser reads it, is answered %i', async (host, status) => {
  const put = await make().put('/vault/secrets/a_key', { value: 'v', hosts: [host] });
  expect(put.status).toBe(status);
});

test('VAULT-8: a fault of an operation can be that of one intern', async () => {
  const api = make();
  const path = `/vault/interns/${api.internId}/secrets`;
  await api.post('/_emulator/faults', { operation: 'vault-list', intern_id: api.internId, status: 503 });
  expect([(await api.get('/vault/secrets')).status, (await api.get(path)).status]).toEqual([200, 503]);
});
