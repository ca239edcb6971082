import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.js';

const refusal = (code: number, message: string, reason: string, retryable = false) => ({
  error: { code, message, metadata: { reason, retryable } },
});
const BUSY = (await import('../contract/errors.js')).ERRORS.intern_busy.message;

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
