import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createTestClient } from '../testing/client.harness.js';

const make = () => {
  const api = createTestClient();
  closing(api.emulator);
  const as = api.credentials.management_key;
  const { target } = api.emulator;
  return {
    ...api,
    target,
    get: (path: string) => api.get(path, { as }),
    post: (path: string, body?: unknown) => api.post(path, body, { as }),
    patch: (path: string, body?: unknown) => api.patch(path, body, { as }),
    control: api,
  };
};
const MAPPINGS = '/scim/group-mappings';

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

test('SCIM-5: keep_members that is neither true nor false is no mistake in the query of a list', async () => {
  const api = make();
  const { error } = (
    await api.control.delete(`${MAPPINGS}/${api.target.scim_mapping_id}?keep_members=yes`, undefined, {
      as: api.credentials.management_key,
    })
  ).json;
  expect(error).toEqual({ code: 400, message: 'Invalid query' });
});

test('a body of many levels is refused as any other value of the wrong kind', async () => {
  const api = make();
  const raw = `{"role":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const headers = { 'content-type': 'application/json' };
  const path = `${MAPPINGS}/${api.target.scim_mapping_id}`;
  const { status } = await api.control.patch(path, undefined, { as: api.credentials.management_key, raw, headers });
  expect(status).toBe(400);
});
