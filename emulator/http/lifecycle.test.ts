import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

test('PROV-1: an intern that is resumed has its hostname again', async () => {
  const api = createTestClient();
  const path = `/interns/${api.credentials.intern?.id}`;
  const { hostname } = (await api.get(path)).json;
  await api.post(`${path}/suspend`);
  await api.post(`${path}/provision`);
  await api.advance(1_000);
  expect([hostname, (await api.get(path)).json]).toMatchObject([expect.any(String), { status: 'running', hostname }]);
});

test('PROV-1, DELETE-1: a boot and a teardown of no time need no advance of a clock that stands still', async () => {
  const api = createTestClient();
  const boot = { after: 0, steps: ['Disk', 'Runtime'], ends: 'running' };
  const script = { name: 'instant', lifecycle: { boot, teardown: { after: '0s', ends: 'gone' } } };
  expect((await api.call('PUT', '/_emulator/scripts/instant', { body: script })).status).toBe(200);
  const instructions = 'script: instant';
  const made = await api.post('/interns', {
    name: 'ada',
    workspace_id: api.workspaceId,
    instructions,
    provision: true,
  });
  expect([made.status, made.json.status]).toEqual([201, 'queued']);
  const path = `/interns/${made.json.id}`;
  expect((await api.get(path)).json).toMatchObject({ status: 'running', progress: null });
  expect((await api.call('DELETE', path)).status).toBe(202);
  expect((await api.get(path)).status).toBe(404);
});

test('BODY-2: the cap counts the bytes that arrive, whatever length was declared', async () => {
  const api = createTestClient();
  const raw = new Blob([' '.repeat(1_048_577)]).stream();
  const headers = { 'content-type': 'application/json', 'content-length': '10' };
  expect((await api.call('POST', '/interns', { raw, headers })).status).toBe(413);
});

test('LIST-3: a limit may begin with zeros, as in every other list', async () => {
  const api = createTestClient();
  for (const path of ['/interns', '/vault/secrets'])
    for (const [limit, status] of [
      ['01', 200],
      ['00', 400],
      ['', 400],
    ] as const)
      expect([path, limit, (await api.get(`${path}?limit=${limit}`)).status]).toEqual([path, limit, status]);
});

test("AUTH-4: an intern's own key finds neither the collection nor another intern, whatever the method", async () => {
  const api = createTestClient();
  const { id: own, api_key: as = '' } = api.credentials.intern ?? {};
  const other = await api.create();
  const send = async (method: string, path: string) => [method, path, (await api.call(method, path, { as })).status];
  for (const path of ['/interns', `/interns/${other.id}`, `/interns/${other.id}/provision`, '/vault/secrets'])
    for (const method of ['OPTIONS', 'HEAD', 'PUT', 'PATCH'])
      expect(await send(method, path)).toEqual([method, path, 404]);
  expect(await send('OPTIONS', `/interns/${own?.toUpperCase()}`)).toContain(204);
  expect(await send('PUT', `/interns/${own}`)).toContain(405);
});

test('AUTH-2: a UUID means the same in any letter case, to the service and to its judge', async () => {
  const api = createTestClient();
  const upper = api.workspaceId.toUpperCase();
  const { json: made, status } = await api.post('/interns', { name: 'ada', workspace_id: upper });
  expect([status, made.workspace_id]).toEqual([201, api.workspaceId]);
  expect((await api.get(`/interns/${String(made.id).toUpperCase()}`)).json.id).toBe(made.id);
});
