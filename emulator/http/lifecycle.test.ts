import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.js';

const refusal = (code: number, message: string, reason: string, retryable = false) => ({
  error: { code, message, metadata: { reason, retryable } },
});
const BUSY = (await import('../contract/errors.js')).ERRORS.intern_busy.message;

test('CREATE-1, CREATE-2: creates in the workspace that is named, with a vault of its own', async () => {
  const api = createTestClient();
  const reply = await api.post('/interns', { name: 'ada', workspace_id: api.workspaceId });
  expect(reply.status).toBe(201);
  expect(reply.json).toMatchObject({
    name: 'ada',
    description: null,
    instructions: null,
    model: null,
    status: 'stopped',
    hostname: null,
    progress: null,
    last_failure_message: null,
    attached_vault_id: null,
    workspace_id: api.workspaceId,
    created_at: '2026-01-01T00:00:00.000Z',
  });
  const other = await api.create();
  expect(other.vault_id).not.toBe(reply.json.vault_id);
  expect((await api.get(`/interns/${reply.json.id}`)).json).toEqual(reply.json);
});

test('CREATE-1: a workspace that is not the key’s is refused, after the body was found valid', async () => {
  const api = createTestClient();
  const elsewhere = api.emulator.target.foreign_workspace_id;
  expect((await api.post('/interns', { name: 'ada', workspace_id: elsewhere })).status).toBe(404);
  expect((await api.post('/interns', { name: 'A', workspace_id: elsewhere })).status).toBe(400);
  expect((await api.post('/interns', { name: 'ada' })).status).toBe(400);
});

test('PROV-1: boots by steps on the clock, resumes after suspension with its disk', async () => {
  const api = createTestClient();
  const { id } = await api.create();
  const started = await api.post(`/interns/${id}/provision`);
  expect([started.status, started.json]).toEqual([202, { provisioning: true }]);
  const at = async (ms: number) => {
    await api.advance(ms);
    return (await api.get(`/interns/${id}`)).json;
  };
  expect(await at(0)).toMatchObject({
    status: 'provisioning',
    progress: { step_label: 'Creating disk', step_number: 1, total_steps: 2 },
  });
  expect((await api.post(`/interns/${id}/provision`)).json).toEqual(refusal(409, BUSY, 'intern_busy'));
  expect(await at(500)).toMatchObject({ status: 'provisioning', progress: { step_number: 2 } });
  expect(await at(499)).toMatchObject({ status: 'provisioning' });
  const running = await at(1);
  expect(running).toMatchObject({ status: 'running', progress: null });
  expect(running.hostname).toEqual(expect.any(String));

  const suspended = await api.post(`/interns/${id}/suspend`);
  expect([suspended.status, suspended.json]).toEqual([200, { suspended: true }]);
  expect((await api.get(`/interns/${id}`)).json.status).toBe('stopped');
  expect((await api.post(`/interns/${id}/suspend`)).status).toBe(409);
  await api.post(`/interns/${id}/provision`);
  expect(await at(1_000)).toMatchObject({ status: 'running', hostname: running.hostname });
});

test('PROV-1: a boot that fails can be tried again', async () => {
  const api = createTestClient();
  const { id } = await api.create({ instructions: 'script: boot-fails' });
  await api.post(`/interns/${id}/provision`);
  await api.advance(60_000);
  const failed = (await api.get(`/interns/${id}`)).json;
  expect(failed.status).toBe('failed');
  expect(failed.last_failure_message).toEqual(expect.any(String));
  await api.patch(`/interns/${id}`, { instructions: null });
  expect((await api.post(`/interns/${id}/provision`)).status).toBe(202);
  await api.advance(1_000);
  expect((await api.get(`/interns/${id}`)).json).toMatchObject({ status: 'running', last_failure_message: null });
});

test('DELETE-1: tears down, and then intern, key and name are gone', async () => {
  const api = createTestClient();
  const { id } = await api.create({ name: 'short-lived' });
  const key = (await api.get(`/_emulator/interns/${id}`)).json.api_key;
  const reply = await api.delete(`/interns/${id}`);
  expect([reply.status, reply.json]).toEqual([202, { deleting: true }]);
  expect((await api.get(`/interns/${id}`, { as: key })).json.status).toBe('destroying');
  expect((await api.delete(`/interns/${id}`)).status).toBe(202);
  for (const [method, path] of [
    ['PATCH', ''],
    ['POST', '/provision'],
    ['POST', '/suspend'],
  ] as const)
    expect((await api.call(method, `/interns/${id}${path}`, method === 'PATCH' ? { body: {} } : {})).status).toBe(409);
  await api.advance(1_000);
  expect((await api.get(`/interns/${id}`)).status).toBe(404);
  expect((await api.get(`/interns/${id}`, { as: key })).status).toBe(401);
  await api.create({ name: 'short-lived' });
});

test('DELETE-3: a workspace is only lost when that was acknowledged', async () => {
  const api = createTestClient();
  const { id } = await api.create({ instructions: 'script: teardown-fails' });
  const status = async () => (await api.get(`/interns/${id}`)).json;
  for (let attempt = 0; attempt < 2; attempt++) {
    expect((await api.delete(`/interns/${id}`)).status).toBe(202);
    expect((await status()).status).toBe('destroying');
    await api.advance(60_000);
    const left = await status();
    expect(left.status).toBe('destroy_failed');
    expect(left.last_failure_message).toContain('workspace_archive_failed');
  }
  expect((await api.delete(`/interns/${id}`, { acknowledge_workspace_loss: false })).status).toBe(202);
  await api.advance(60_000);
  expect((await status()).status).toBe('destroy_failed');
  await api.delete(`/interns/${id}`, { acknowledge_workspace_loss: true });
  await api.advance(60_000);
  expect((await api.get(`/interns/${id}`)).status).toBe(404);
});

test('DELETE-3: an acknowledgement with the first delete counts', async () => {
  const api = createTestClient();
  const { id } = await api.create({ instructions: 'script: teardown-fails' });
  await api.delete(`/interns/${id}`, { acknowledge_workspace_loss: true });
  await api.advance(60_000);
  expect((await api.get(`/interns/${id}`)).status).toBe(404);
});

test('UPDATE-1: changes what is named, moves updated_at, and only when something changed', async () => {
  const api = createTestClient();
  const made = await api.create({ description: 'before', instructions: 'keep' });
  const changed = (await api.patch(`/interns/${made.id}`, { description: null, model: 'a/b:c' })).json;
  expect(changed).toMatchObject({ description: null, instructions: 'keep', model: 'a/b:c', name: made.name });
  expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
  expect((await api.patch(`/interns/${made.id}`, {})).json).toEqual(changed);
  expect((await api.patch(`/interns/${made.id}`, { model: 'a/b:c' })).json).toEqual(changed);
  expect((await api.patch(`/interns/${made.id}`, { status: 'running' })).status).toBe(400);
});

test('LIST-3: pages hold every intern once while others come and go', async () => {
  const api = createTestClient();
  const made: string[] = [];
  for (let i = 0; i < 7; i++) made.push((await api.create()).id);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.get(`/interns?limit=2${cursor ? `&starting_after=${cursor}` : ''}`);
    expect(page.status).toBe(200);
    expect(page.json.data.length).toBeLessThanOrEqual(2);
    seen.push(...page.json.data.map((row: { id: string }) => row.id));
    cursor = page.json.next_cursor;
    expect(page.json.has_more).toBe(cursor !== undefined);
    await api.create();
    await api.delete(`/interns/${seen[0]}`);
    await api.advance(1_000);
  } while (cursor);
  expect(seen).toEqual([...made.reverse(), api.credentials.intern?.id]);
});

test('LIST-2, LIST-3: bad queries are 400 with the stated message', async () => {
  const api = createTestClient();
  for (const query of [
    'limit=0',
    'limit=501',
    'limit=1e1',
    'limit=',
    'status=',
    'status=running,',
    'status=unknown',
    `status=${Array(9).fill('running').join(',')}`,
    'starting_after=x',
    'starting_after=',
  ])
    expect([query, (await api.get(`/interns?${query}`)).json]).toEqual([
      query,
      refusal(400, 'Invalid list query', 'invalid_body'),
    ]);
  expect((await api.get(`/interns?status=${Array(8).fill('running').join(',')}`)).json.data).toHaveLength(1);
  expect((await api.get(`/interns?workspace_id=${api.emulator.target.foreign_workspace_id}`)).status).toBe(404);
});

test('AUTH-3: an intern of another workspace answers as an unknown one, on every operation', async () => {
  const api = createTestClient();
  const { id } = await api.create();
  const unknown = id.replace(/^.{8}/, '00000000');
  const foreign = { as: api.credentials.foreign_api_key ?? '' };
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/provision'],
    ['POST', '/suspend'],
    ['POST', '/chat/completions'],
    ['POST', '/invoke'],
    ['GET', '/daemon'],
    ['GET', '/daemon-access'],
    ['POST', '/daemon/sign'],
    ['POST', '/daemon-access/sign'],
  ] as const) {
    const shape = async (which: string) => {
      const reply = await api.call(method, `/interns/${which}${path}`, foreign);
      reply.headers.delete('x-request-id');
      return [
        reply.status,
        reply.text.replaceAll(which, 'ID'),
        [...reply.headers].map(([k, v]) => [k, v.replaceAll(which, 'ID')]),
      ];
    };
    expect(await shape(id)).toEqual(await shape(unknown));
    expect((await shape(id))[0]).toBe(404);
  }
});

test('AUTH-5: an outsider gets 404 for every path under /interns', async () => {
  const api = createTestClient();
  const as = api.credentials.outsider_api_key ?? '';
  const { id } = await api.create();
  for (const [method, path] of [
    ['GET', '/interns'],
    ['POST', '/interns'],
    ['OPTIONS', '/interns'],
    ['PUT', `/interns/${id}`],
    ['GET', `/interns/${id}/nowhere`],
    ['POST', `/interns/${id}/chat/completions`],
  ] as const) {
    const reply = await api.call(method, path, { as, ...(method === 'POST' ? { raw: '{'.repeat(1_048_577) } : {}) });
    expect(reply.json).toEqual(refusal(404, 'Intern not found', 'not_found'));
  }
});

test('BASE-4: a regional hostname is refused before anything else, SCIM included', async () => {
  const api = createTestClient();
  for (const path of ['/interns', '/scim/group-mappings/x', '/interns/x/y/z']) {
    const reply = await api.get(path, { as: null, headers: { host: 'eu.example.com' } });
    expect(reply.json).toEqual({ error: { code: 403, message: 'Forbidden' } });
  }
});

test('BASE-5: methods, HEAD, OPTIONS and unknown paths', async () => {
  const api = createTestClient();
  const wrong = await api.call('PUT', '/interns');
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
  const options = await api.call('OPTIONS', '/interns');
  expect([options.status, options.text, options.headers.get('allow')]).toEqual([204, '', 'GET, POST, HEAD, OPTIONS']);
  const head = await api.call('HEAD', '/interns');
  expect([head.status, head.text]).toEqual([200, '']);
  expect((await api.get('/interns/x/nowhere')).status).toBe(404);
  expect((await api.get('/scim/nowhere', { as: api.credentials.management_key })).json).toEqual({
    error: { code: 404, message: 'Resource not found' },
  });
  expect((await api.emulator.fetch('/interns')).status).toBe(404);
});

test('BODY-2: the cap counts the bytes that arrive', async () => {
  const api = createTestClient();
  const padded = (size: number) => {
    const body = JSON.stringify({ name: 'ada', workspace_id: api.workspaceId });
    return body + ' '.repeat(size - body.length);
  };
  const chunked = (text: string) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < text.length; at += 65_536) controller.enqueue(Buffer.from(text.slice(at, at + 65_536)));
        controller.close();
      },
    });
  const json = { 'content-type': 'application/json' };
  const over = await api.call('POST', '/interns', { raw: padded(1_048_577), headers: json });
  expect(over.json).toEqual(refusal(413, 'Request body exceeds 1048576 bytes', 'payload_too_large'));
  for (const headers of [json, { ...json, 'content-length': '10' }])
    expect((await api.call('POST', '/interns', { raw: chunked(padded(1_048_577)), headers })).status).toBe(413);
  expect((await api.call('POST', '/interns', { raw: chunked(padded(1_048_576)), headers: json })).status).toBe(201);
});

test('BODY-1, BODY-3: operations without a body', async () => {
  const api = createTestClient();
  const { id } = await api.create();
  const json = { 'content-type': 'Application/JSON; charset=utf-8' };
  const path = `/interns/${id}/suspend`;
  for (const raw of ['', ' \n', '{}']) expect((await api.call('POST', path, { raw, headers: json })).status).toBe(409);
  for (const raw of ['{"a":1}', '[]', 'null', '1', '"x"', 'true', '{'])
    expect((await api.call('POST', path, { raw, headers: json })).json).toEqual(
      refusal(400, 'Invalid request body', 'invalid_body'),
    );
  const typed = await api.call('POST', path, { raw: '{}', headers: { 'content-type': 'text/plain' } });
  expect(typed.json).toEqual(refusal(415, 'Request body must be sent as application/json', 'unsupported_media_type'));
});

test('SCIM-1, SCIM-2: reads a mapping, in any case of its id', async () => {
  const api = createTestClient();
  const as = api.credentials.management_key;
  const id = api.emulator.target.scim_mapping_id ?? '';
  const reply = await api.get(`/scim/group-mappings/${id.toUpperCase()}`, { as });
  expect(reply.status).toBe(200);
  expect(Object.keys(reply.json.data).sort()).toEqual(
    ['created_at', 'id', 'organization_id', 'role', 'scim_group_id', 'updated_at', 'workspace_id'].sort(),
  );
  for (const other of [null, api.credentials.api_key])
    expect((await api.get(`/scim/group-mappings/${id}`, { as: other })).json).toEqual({
      error: { code: 401, message: 'Missing Authentication header' },
    });
  expect((await api.get('/scim/group-mappings/no-uuid', { as })).json).toEqual({
    error: { code: 404, message: 'Resource not found' },
  });
});
