import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import type { LabRun } from '../contract/lab-run.js';
import { createEmulator, type Emulator } from '../index.js';
import { validateControl } from '../testing/answers.harness.js';

let emulator: Emulator;
beforeEach(() => {
  emulator = createEmulator();
});
afterEach(() => emulator.close());

/** An adapter that takes every event for `hullo`. */
const ADAPTER = `
  const say = (line) => console.log(JSON.stringify(line));
  say({ adapter: 'hullo', version: '1', layers: ['sse'] });
  require('readline').createInterface({ input: process.stdin }).on('line', async (text) => {
    const { run, url, body, headers } = JSON.parse(text);
    await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    say({ run, outcome: 'complete', events: [{ event: 'message', data: 'hullo', id: '' }] });
  });`;

const checks = async () => (await import('../../conformance/cli/checks.js')).CHECKS;

test('SECURITY: no command is run without --agents-may-run, nor for another origin', async () => {
  const ran = join(folderOfTest('lab-'), 'ran');
  const body = { command: [process.execPath, '-e', `require('fs').writeFileSync(${JSON.stringify(ran)}, '')`] };
  expect(await control('adapters', body)).toMatchObject({
    status: 403,
    body: { error: { message: expect.stringContaining('--agents-may-run') } },
  });
  await emulator.close();
  emulator = createEmulator({ checks, agentsMayRun: true });
  const foreign = await emulator.fetch('/_emulator/lab/adapters', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', origin: 'http://localhost:5173' },
  });
  expect(foreign.status).toBe(403);
  expect(existsSync(ran)).toBe(false);
  // The valid twin.
  const { status, body: said } = await control('adapters', body);
  expect([status, said.error.message]).toEqual([400, expect.stringContaining('The adapter did not begin')]);
  expect(existsSync(ran)).toBe(true);
});

test('an adapter is run through cases, each of which is shown as it ends', async () => {
  await emulator.close();
  emulator = createEmulator({ checks, agentsMayRun: true });
  const only = ['sse-one-event', 'sse-crlf'];
  const { status, body } = await control('adapters', {
    command: [process.execPath, '-e', ADAPTER],
    only,
    cuts: 'none',
  });
  expect(status).toBe(200);
  expect(body.counts).toEqual({ fail: 2 });
  const runs: LabRun[] = (await control('runs')).body.data;
  expect(runs.map((run) => [run.case, run.result?.client, run.result?.verdict]).sort()).toEqual([
    ['sse-crlf', 'hullo 1', 'fail'],
    ['sse-one-event', 'hullo 1', 'fail'],
  ]);
});

const control = async (path: string, body?: unknown) => {
  const url = `/_emulator/lab/${path}`;
  const response = await emulator.fetch(url, {
    ...(body === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const { status, headers } = response;
  const text = await response.text();
  expect(validateControl({ method: body === undefined ? 'GET' : 'POST', url, status, headers, text })).toEqual([]);
  return { status, body: JSON.parse(text || 'null') };
};

test('a run is served byte for byte at its URL, and below its base URL', async () => {
  const { status, body } = await control('runs', { case: 'sse-crlf' });
  expect(status).toBe(201);
  for (const url of [body.url, `${body.base_url}/any/other/path`]) {
    const response = await fetch(url, { method: 'POST', body: '{}', headers: body.headers });
    expect(await response.text()).toBe('data: a\r\n\r\ndata: b\r\ndata: c\r\n\r\n');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  }
});

test('what the client did can be read, without its credential', async () => {
  const { body: run } = await control('runs', { case: 'sse-one-event', cuts: [3] });
  await (await fetch(run.url, { method: 'POST', body: '{"a":1}', headers: run.headers })).text();
  const { body } = await control(`runs/${run.run}`);
  expect(body).toMatchObject({ run: run.run, case: 'sse-one-event' });
  expect(body.requests).toHaveLength(1);
  expect(body.requests[0]).toMatchObject({ method: 'POST', path: '/chat/completions', body: '{"a":1}', status: 200 });
  expect(body.requests[0].taken).toBeGreaterThan(100);
  expect(JSON.stringify(body)).not.toContain(run.headers.authorization);
  expect((await control('runs')).body.data).toHaveLength(1);
});

test('a case of one’s own can be given whole', async () => {
  const { body } = await control('runs', {
    case: {
      id: 'sse-mine',
      title: 'Mine.',
      layer: 'sse',
      class: 'valid',
      why: ['me'],
      seen: [],
      exchanges: [
        { status: 200, headers: {}, framing: 'close', connection: 'close', steps: [{ write: 'data: x\n\n' }] },
      ],
      expect: { outcome: 'complete' },
    },
  });
  expect(await (await fetch(body.url)).text()).toBe('data: x\n\n');
});

test.each([
  [{ case: 'sse-one-evnt' }, 404, 'did you mean sse-one-event?'],
  [{ case: 7 }, 400, 'case: expected the id of a case, or a case'],
  [{ case: { id: 'mine' } }, 400, 'case.id: '],
  [{ case: { id: 'sse-mine', title: 'Mine.', layer: 'sse', class: 'valid', why: 'me' } }, 400, 'case.why: '],
  [{ case: 'sse-one-event', cuts: [-1] }, 400, 'cuts[0]: expected at least 0; found -1'],
  [{ case: 'sse-one-event', cut: [1] }, 400, 'cut'],
])('%j is refused with %i', async (body, status, message) => {
  const refused = await control('runs', body);
  expect(refused.status).toBe(status);
  expect(refused.body.error.message).toContain(message);
});

test('a run that is not there is 404, on its URL too', async () => {
  expect((await control('runs/none')).status).toBe(404);
  const { body } = await control('runs', { case: 'sse-one-event' });
  expect((await fetch(body.url.replace(body.run, 'none'))).status).toBe(404);
});

test('a run of signing knows its client by its token, and verifies for real', async () => {
  const { body: run } = await control('runs', { case: 'sign-json' });
  const answer = await fetch(`${run.daemon_origin}${run.request.path}`, {
    method: 'POST',
    body: Buffer.from(run.request.body_base64, 'base64'),
    headers: { ...run.request.headers, authorization: `Bearer ${run.daemon_token}` },
  });
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ error: { metadata: { reason: 'proof_missing' } } });
});

test('runs are sent as events', async () => {
  const events = await emulator.fetch('/_emulator/events?types=lab');
  const reader = events.body?.getReader();
  const { body } = await control('runs', { case: 'sse-one-event' });
  let text = '';
  while (!text.includes(body.run)) text += new TextDecoder().decode((await reader?.read())?.value);
  expect(text).toContain('event: lab');
  await reader?.cancel();
});

test('what was sent for each request can be read: writes with their times, and what is no text in hex', async () => {
  const { body: run } = await control('runs', { case: 'sse-one-event', cuts: [3] });
  await (await fetch(run.url, { method: 'POST', body: '{}', headers: run.headers })).text();
  const { body } = await control(`runs/${run.run}/sent`);
  const parts = [
    { at: expect.any(Number), bytes: 3, text: 'dat' },
    { at: expect.any(Number), bytes: 10, text: 'a: hello\n\n' },
    { text: 'the body ends cleanly' },
  ];
  expect(body.data).toEqual([{ request: 1, parts, more: 0 }]);
  expect((await control('runs/none/sent')).status).toBe(404);
});

test('a run that a kit judged elsewhere is kept as one of the lab’s own', async () => {
  const given = { case: 'sse-one-event', client: 'mine 1', verdict: 'fail', sentence: 'it failed', requests: [] };
  const { status, body } = await control('results', given);
  expect(status).toBe(201);
  expect((await control(`runs/${body.run}`)).body).toMatchObject({
    case: 'sse-one-event',
    requests: [],
    result: { client: 'mine 1', verdict: 'fail', sentence: 'it failed' },
  });
  expect((await control(`runs/${body.run}/sent`)).body).toEqual({ data: [] });
  expect((await control('cases/sse-one-event')).body).toMatchObject({ id: 'sse-one-event', layer: 'sse' });
});

test.each([
  [{ case: 'sse-one-evnt', client: 'x', verdict: 'pass', requests: [] }, 404, 'did you mean sse-one-event?'],
  [{ case: 'sse-one-event', client: 'x', verdict: 'fine', requests: [] }, 400, 'verdict: '],
  [{ case: 'sse-one-event', client: 'x', verdict: 'pass', requests: [{ n: 1 }] }, 400, 'requests[0].origin: '],
])('the result %j is refused with %i', async (body, status, message) => {
  const refused = await control('results', body);
  expect(refused.status).toBe(status);
  expect(refused.body.error.message).toContain(message);
});
