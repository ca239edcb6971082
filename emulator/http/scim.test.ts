import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createTestClient } from '../testing/client.js';
import '../../test/same-draws.js';

const GROUPS = [1, 2, 3].map((n) => `0d000000-0000-4000-8000-00000000000${n}`);
const WORKSPACES = [1, 2].map((n) => `0a000000-0000-4000-8000-00000000000${n}`);

const make = () => {
  const api = createTestClient();
  onTestFinished(() => api.emulator.close());
  const as = api.credentials.management_key;
  const { target } = api.emulator;
  return {
    ...api,
    target,
    foreign: api.credentials.foreign_management_key ?? '',
    get: (path: string) => api.get(path, { as }),
    post: (path: string, body?: unknown) => api.post(path, body, { as }),
    patch: (path: string, body?: unknown) => api.patch(path, body, { as }),
    delete: (path: string) => api.delete(path, undefined, { as }),
    control: api,
  };
};
const MAPPINGS = '/scim/group-mappings';
const NOT_FOUND = { error: { code: 404, message: 'Resource not found' } };

test('SCIM-3, SCIM-6: lists are the organization’s, oldest first; pages of any size give the whole', async () => {
  const api = make();
  for (const [group, workspace] of [
    [GROUPS[0], WORKSPACES[1]],
    [GROUPS[2], WORKSPACES[0]],
  ])
    await api.post(MAPPINGS, { scim_group_id: group, workspace_id: workspace, role: 'member' });
  for (const [path, count] of [
    [MAPPINGS, 4],
    ['/scim/groups', 3],
  ] as const) {
    const whole = (await api.get(path)).json;
    expect(whole.total_count).toBe(count);
    const times = whole.data.map(({ created_at }: { created_at: string }) => created_at);
    expect(times).toEqual(times.toSorted());
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), async (limit) => {
        const found: unknown[] = [];
        for (let offset = 0; offset < count + limit; offset += limit) {
          const page = (await api.get(`${path}?offset=${offset}&limit=${limit}`)).json;
          expect(page.total_count).toBe(count);
          found.push(...page.data);
        }
        expect(found).toEqual(whole.data);
      }),
    );
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=', 'offset=-1', 'offset=1.5', 'offset=1&offset=2'])
      expect((await api.get(`${path}?${query}`)).json).toEqual({ error: { code: 400, message: 'Invalid list query' } });
    expect((await api.get(`${path}?offset=99999999999999999999`)).json.data).toEqual([]);
  }
  expect((await api.get('/scim/groups')).json.data[2]).toEqual({
    id: GROUPS[2],
    organization_id: 'org_emulator',
    external_id: null,
    display_name: 'Everyone',
    created_at: '2025-11-02T08:00:00.000Z',
    updated_at: '2025-11-02T08:00:00.000Z',
  });
  const foreign = await api.control.get(MAPPINGS, { as: api.foreign });
  expect(foreign.json).toMatchObject({ total_count: 1, data: [{ organization_id: 'org_other' }] });
});

test('SCIM-4: a mapping is made once; again with its role it is applied again, with another it is 409', async () => {
  const api = make();
  const body = { scim_group_id: GROUPS[2]?.toUpperCase(), workspace_id: WORKSPACES[0], role: 'member' };
  const made = await api.post(MAPPINGS, body);
  expect([made.status, made.json.data]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...body,
      scim_group_id: GROUPS[2],
      organization_id: 'org_emulator',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    },
  ]);
  const again = await api.post(MAPPINGS, body);
  expect([again.status, again.json.data]).toEqual([201, { ...made.json.data, updated_at: '2026-01-01T00:00:00.001Z' }]);
  expect((await api.post(MAPPINGS, { ...body, role: 'admin' })).json).toEqual({
    error: { code: 409, message: 'The mapping exists with another role' },
  });
  expect((await api.get(MAPPINGS)).json.total_count).toBe(3);
  const { target } = api;
  for (const unknown of [
    { scim_group_id: target.foreign_scim_group_id },
    { workspace_id: target.foreign_organization_workspace_id },
    { workspace_id: GROUPS[0] },
  ])
    expect((await api.post(MAPPINGS, { ...body, ...unknown })).json).toEqual(NOT_FOUND);
  for (const wrong of [
    { role: 'owner' },
    { role: null },
    { workspace_id: 'x' },
    { scim_group_id: undefined },
    { more: 1 },
  ])
    expect((await api.post(MAPPINGS, { ...body, ...wrong })).json.error).toEqual({
      code: 400,
      message: 'Invalid request body',
    });
  const raw = await api.control.call('POST', MAPPINGS, { as: api.credentials.management_key, raw: '{' });
  expect(raw.status).toBe(400);
});

test('SCIM-5: a role is changed, a mapping deleted only with a word on its members; unknown comes before junk', async () => {
  const api = make();
  const id = api.target.scim_mapping_id ?? '';
  const at = `${MAPPINGS}/${id.toUpperCase()}`;
  const before = (await api.get(at)).json.data;
  const changed = (await api.patch(at, { role: 'member' })).json.data;
  expect(changed).toEqual({ ...before, role: 'member', updated_at: '2026-01-01T00:00:00.000Z' });
  expect((await api.patch(at, { role: 'member' })).json.data.updated_at).toBe('2026-01-01T00:00:00.001Z');
  expect((await api.get(at)).json.data.role).toBe('member');
  for (const body of [{}, { role: 'x' }, { role: 'admin', more: 1 }, undefined])
    expect((await api.patch(at, body)).status).toBe(400);
  const foreign = `${MAPPINGS}/${api.target.foreign_scim_mapping_id}`;
  for (const unknown of [foreign, `${MAPPINGS}/${GROUPS[0]}`, `${MAPPINGS}/none`])
    for (const refused of [await api.patch(unknown, {}), await api.delete(unknown), await api.get(unknown)])
      expect(refused.json).toEqual(NOT_FOUND);
  for (const query of [
    '',
    '?keep_members=',
    '?keep_members=1',
    '?keep_members=TRUE',
    '?keep_members=true&keep_members=true',
  ])
    expect((await api.delete(at + query)).status).toBe(400);
  expect((await api.delete(`${at}?keep_members=false`)).json).toEqual({ deleted: true });
  expect((await api.get(at)).json).toEqual(NOT_FOUND);
  expect((await api.delete(`${at}?keep_members=true`)).status).toBe(404);
  expect((await api.get(MAPPINGS)).json.total_count).toBe(1);
});

test('SCIM-7: a sync goes along the clock, once at a time; the setting has the next one fail', async () => {
  const api = make();
  const start = async (raw?: string) =>
    api.control.call('POST', '/scim/sync-jobs', { as: api.credentials.management_key, ...(raw && { raw }) });
  const started = await start('no JSON at all');
  const { id } = started.json.data;
  expect(started.status).toBe(202);
  expect(started.headers.get('location')).toBe(`/api/v1/scim/sync-jobs/${id}`);
  const nothing = {
    started_at: null,
    finished_at: null,
    synced_groups: null,
    deleted_groups: null,
    error_message: null,
  };
  expect(started.json.data).toEqual({ id, status: 'queued', created_at: '2026-01-01T00:00:00.000Z', ...nothing });
  const job = async (of = id) => (await api.get(`/scim/sync-jobs/${of}`)).json;
  await api.advance(1_000);
  expect((await start()).json.data).toEqual({
    ...started.json.data,
    status: 'running',
    started_at: '2026-01-01T00:00:01.000Z',
  });
  await api.advance(1_000);
  expect((await job(id.toUpperCase())).data).toEqual({
    id,
    status: 'succeeded',
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: '2026-01-01T00:00:01.000Z',
    finished_at: '2026-01-01T00:00:02.000Z',
    synced_groups: 3,
    deleted_groups: 0,
    error_message: null,
  });
  expect((await api.control.get(`/scim/sync-jobs/${id}`, { as: api.foreign })).json).toEqual(NOT_FOUND);
  expect(await job('none')).toEqual(NOT_FOUND);

  await api.control.put('/_emulator/settings', { scim_sync: 'fails' });
  const failing = (await start()).json.data.id;
  expect((await api.control.get('/_emulator/settings')).json.scim_sync).toBe('succeeds');
  await api.advance(2_000);
  expect((await job(failing)).data).toMatchObject({
    status: 'failed',
    finished_at: '2026-01-01T00:00:04.000Z',
    synced_groups: null,
    deleted_groups: null,
    error_message: 'The directory could not be read',
  });
});

test('what SCIM changed is gone after a reset, and back after a restore, with a job under way', async () => {
  const api = make();
  const { id } = (await api.post('/scim/sync-jobs')).json.data;
  const mapping = api.target.scim_mapping_id;
  await api.patch(`${MAPPINGS}/${mapping}`, { role: 'member' });
  await api.control.put('/_emulator/snapshots/here');
  await api.control.post('/_emulator/reset');
  expect((await api.get(`/scim/sync-jobs/${id}`)).status).toBe(404);
  expect((await api.get(`${MAPPINGS}/${mapping}`)).json.data.role).toBe('admin');
  await api.advance(10_000);
  await api.control.post('/_emulator/snapshots/here/restore');
  expect((await api.get(`${MAPPINGS}/${mapping}`)).json.data.role).toBe('member');
  await api.advance(2_000);
  expect((await api.get(`/scim/sync-jobs/${id}`)).json.data.status).toBe('succeeded');
});

test('a fault hits every operation of SCIM, without metadata', async () => {
  const api = make();
  await api.control.post('/_emulator/faults', { operation: 'scim', status: 503, times: 3 });
  for (const path of [MAPPINGS, '/scim/groups'])
    expect((await api.get(path)).json).toEqual({ error: { code: 503, message: 'The service is unavailable' } });
  expect((await api.post('/scim/sync-jobs')).status).toBe(503);
  expect((await api.get(MAPPINGS)).status).toBe(200);
});
