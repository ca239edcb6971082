import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

type Api = ReturnType<typeof createTestClient>;

const left = async (api: Api) => (await api.get('/_emulator/faults')).json.data;
const fault = async (api: Api, body: object) => expect((await api.post('/_emulator/faults', body)).status).toBe(201);
const key = (name: string) => ({ headers: { 'idempotency-key': name } });

test('a fault at a step of create is used up by no refused create, 409 included, and by no replay', async () => {
  const api = createTestClient();
  const body = (name: string, more = {}) => ({ name, workspace_id: api.workspaceId, ...more });
  expect((await api.post('/interns', body('first'), key('one'))).status).toBe(201);
  await fault(api, { operation: 'create', at: 'vault' });
  const refusals: [object, string, number][] = [
    [body('first'), 'two', 409],
    [body('other'), 'one', 409],
    [body('second', { vault_id: '11111111-1111-4111-8111-111111111111' }), 'three', 409],
    [body('Bad'), 'four', 400],
    [body('second', { workspace_id: '11111111-1111-4111-8111-111111111111' }), 'five', 404],
    [body('first'), 'one', 200],
  ];
  for (const [sent, idempotency, status] of refusals) {
    expect([sent, (await api.post('/interns', sent, key(idempotency))).status]).toEqual([sent, status]);
    expect(await left(api)).toHaveLength(1);
  }
  expect((await api.post('/interns', body('second'), key('six'))).status).toBe(502);
  expect(await left(api)).toEqual([]);
  expect((await api.post('/interns', body('second'), key('six'))).status).toBe(201);
});

test('a fault at the provisioner waits for a create that provisions, and holds up no other fault', async () => {
  const api = createTestClient();
  await fault(api, { operation: 'create', at: 'provisioner' });
  const create = (name: string, more = {}) =>
    api.post('/interns', { name, workspace_id: api.workspaceId, ...more }, key(name));
  expect((await create('waits')).status).toBe(201);
  expect(await left(api)).toHaveLength(1);
  await fault(api, { operation: 'create', status: 503 });
  expect((await create('plain')).status).toBe(503);
  expect((await create('provisions', { provision: true })).status).toBe(502);
  expect(await left(api)).toEqual([]);
  expect((await create('provisions', { provision: true })).status).toBe(201);
});

test('a create that is answered from its idempotency key uses no fault up, of whatever kind', async () => {
  const api = createTestClient();
  const create = () => api.post('/interns', { name: 'again', workspace_id: api.workspaceId });
  expect((await create()).status).toBe(201);
  await fault(api, { operation: 'create', status: 500 });
  expect((await create()).status).toBe(200);
  expect(await left(api)).toHaveLength(1);
});

test('BODY-5: a prompt that names an unknown script is 400 before any fault, the state and the limiter', async () => {
  const api = createTestClient({ settings: { turns_per_minute: 1 } });
  const { intern } = api.credentials;
  const stopped = await api.create();
  const turn = (id: string, text: string) => api.chat(text, {}, undefined, id);
  const invoke = (id: string, input: string, more = {}) => api.post(`/interns/${id}/invoke`, { input, ...more });
  await fault(api, { operation: 'chat', status: 500 });
  await fault(api, { operation: 'invoke', status: 500 });
  for (const id of [intern?.id ?? '', stopped.id]) {
    for (const answer of [
      await turn(id, 'script: nope\nhi'),
      await invoke(id, 'script: nope', { session_id: 'nope' }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.json.error.message).toContain('known are');
    }
  }
  expect(await left(api)).toHaveLength(2);
  expect((await invoke(stopped.id, 'hi', { session_id: 'nope' })).status).toBe(404);
  expect((await turn(stopped.id, 'script: echo\nhi')).status).toBe(500);
  expect((await turn(stopped.id, 'script: echo\nhi')).status).toBe(409);
});

test('an injected refusal speaks of turns where turns count, and of 10 seconds where signing has them', async () => {
  const api = createTestClient();
  const { intern, oauth_token, management_key } = api.credentials;
  const signing = { as: oauth_token ?? null, body: { bodySha256: '0'.repeat(64) } };
  const said = async (status: number) => {
    for (const operation of ['sign', 'list', 'scim']) await fault(api, { operation, status });
    const answers = [
      await api.call('POST', `/interns/${intern?.id}/daemon/sign`, signing),
      await api.get('/interns'),
      await api.get('/scim/groups', { as: management_key ?? null }),
    ];
    return answers.map(({ json }) => json.error.message);
  };
  expect(await said(429)).toEqual(['Too many intern turns', 'Too many requests', 'Too many requests']);
  const timedOut = 'The operation timed out';
  expect(await said(408)).toEqual(['Operation timed out after 10s', timedOut, timedOut]);
});

test('an injected delay of no time holds nothing up where the clock stands still', async () => {
  const api = createTestClient();
  await fault(api, { operation: 'list', delay: 0 });
  expect((await api.get('/interns')).status).toBe(200);
});
