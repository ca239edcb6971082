import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

const refusal = (code: number, message: string, reason: string, retryable = false) => ({
  error: { code, message, metadata: { reason, retryable } },
});

test('PROV-1: an intern that is resumed has its hostname again', async () => {
  const api = createTestClient();
  const path = `/interns/${api.credentials.intern?.id}`;
  const { hostname } = (await api.get(path)).json;
  await api.post(`${path}/suspend`);
  await api.post(`${path}/provision`);
  await api.advance(1_000);
  expect([hostname, (await api.get(path)).json]).toMatchObject([expect.any(String), { status: 'running', hostname }]);
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
