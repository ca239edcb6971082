import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ClientCase, Scripted } from '../contract/client-case.js';
import { createEmulator } from '../index.js';
import { createLab, type Lab } from './lab.js';

let lab: Lab;
let ids = 0;
beforeEach(() => {
  lab = createLab({ id: () => `run${++ids}`, emulator: createEmulator });
});
afterEach(() => lab.close());

const caseOf = (exchange: Partial<Scripted>, more: Partial<ClientCase> = {}): ClientCase => ({
  id: 'sse-own',
  title: 'Own.',
  layer: 'sse',
  class: 'valid',
  why: ['own'],
  seen: [],
  exchanges: [{ status: 200, headers: {}, framing: 'chunked', connection: 'close', steps: [], ...exchange }],
  expect: { outcome: 'complete' },
  ...more,
});

/** Sends a request by hand. */
async function open(url: string, headers = ''): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${headers}\r\n`);
  return socket;
}
const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);

test('each write is one chunk, and the last chunk ends the body', async () => {
  const { url } = await lab.start({ case: caseOf({ steps: [{ write: 'ab' }, { write: 'é', repeat: 2 }] }) });
  expect(bodyOf(await text(await open(url)))).toBe('2\r\nab\r\n2\r\né\r\n2\r\né\r\n0\r\n\r\n');
});

test('the real daemon knows the token of the run, and no other, where one run is open', async () => {
  const exchanges: ClientCase['exchanges'] = [{ at: 'daemon', real: true }];
  const run = await lab.start({ case: caseOf({}, { layer: 'signing', exchanges }) });
  const reasonFor = async (token: string | undefined) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${run.daemon_origin}/api/invoke`, { method: 'POST', headers, body: '{}' });
    return ((await answer.json()) as { error: { metadata: { reason: string } } }).error.metadata.reason;
  };
  expect(await reasonFor(run.daemon_token)).toBe('proof_missing');
  expect(await reasonFor('stale')).toBe('token_invalid');
});

test('a body that is cut off has no last chunk', async () => {
  const { url } = await lab.start({ case: caseOf({ steps: [{ write: 'ab' }, { end: 'fin' }] }) });
  expect(bodyOf(await text(await open(url)))).toBe('2\r\nab\r\n');
});

test('Content-Length says what the case says', async () => {
  const { url } = await lab.start({ case: caseOf({ framing: 'length', length: 99, steps: [{ write: 'ab' }] }) });
  const answer = await text(await open(url));
  expect(answer).toContain('\r\ncontent-length: 99\r\n');
  expect(bodyOf(answer)).toBe('ab');
});

test('a reset is a reset', async () => {
  const { url } = await lab.start({ case: caseOf({ steps: [{ write: 'ab' }, { end: 'reset' }] }) });
  await expect(text(await open(url))).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('informational answers come before the head', async () => {
  const { url } = await lab.start({ case: caseOf({ before: [{ informational: 103 }] }) });
  expect(await text(await open(url))).toMatch(/^HTTP\/1\.1 103 Early Hints\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test('a body of gzip without its trailer is cut for those who take no gzip', async () => {
  const { gzipSync } = await import('node:zlib');
  const steps = [{ write_base64: gzipSync('data: a\n\n').subarray(0, -8).toString('base64') }];
  const { url } = await lab.start({ case: caseOf({ headers: { 'content-encoding': 'gzip' }, steps }) });
  expect(bodyOf(await text(await open(url)))).toBe('9\r\ndata: a\n\n\r\n');
});

test('gzip goes to those who take it, others get it decoded', async () => {
  const { gzipSync } = await import('node:zlib');
  const steps = [{ write_base64: gzipSync('data: a\n\n').toString('base64') }];
  const exchange = { framing: 'close' as const, headers: { 'content-encoding': 'gzip' }, steps };
  const plain = await lab.start({ case: caseOf(exchange) });
  expect(bodyOf(await text(await open(plain.url)))).toBe('data: a\n\n');
  const packed = await lab.start({ case: caseOf(exchange) });
  expect(await text(await open(packed.url, 'accept-encoding: gzip\r\n'))).toContain('content-encoding: gzip');
});

test('a client that does not read takes no more than its connection holds', async () => {
  const { url, run } = await lab.start({ case: caseOf({ steps: [{ write: 'x'.repeat(65_536), repeat: 1_000 }] }) });
  const socket = await open(url);
  socket.pause();
  let before = -1;
  const taken = () => lab.read(run)?.requests[0]?.writes.length ?? 0;
  // Until nothing more goes out: the buffers between the two are full.
  for (let still = 0; still < 10; still = taken() > 0 && taken() === before ? still + 1 : 0) {
    before = taken();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(before).toBeLessThan(1_000);
  socket.destroy();
  const request = () => lab.read(run)?.requests[0];
  while (request()?.closed === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
  // It accepted every write but the last, which waits, and no byte that was not written.
  expect(request()?.taken).toBeGreaterThanOrEqual((before - 1) * 65_536);
  expect(request()?.taken).toBeLessThan((before + 1) * 65_600);
});

test('requests on one connection are kept apart, and answered in order', async () => {
  const one = caseOf({ framing: 'length', connection: 'keep-alive', steps: [{ write: 'first' }] });
  const [first] = one.exchanges;
  const second = { ...(first as Scripted), connection: 'close' as const, steps: [{ write: 'second' }] };
  const { url, run } = await lab.start({ case: { ...one, exchanges: [first as Scripted, second] } });
  const socket = await open(url);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write(`GET ${new URL(url).pathname}?again HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  expect(await text(socket)).toContain('second');
  expect(lab.read(run)?.requests.map(({ n, path }) => [n, path])).toEqual([
    [1, '/chat/completions'],
    [2, '/chat/completions?again'],
  ]);
});

test('a reader that sleeps, then reads, gets every byte', async () => {
  const { url } = await lab.start({
    case: caseOf({ framing: 'close', steps: [{ write: 'x'.repeat(65_536), repeat: 200 }] }),
  });
  const socket = await open(url);
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(bodyOf(await text(socket))).toHaveLength(200 * 65_536);
});

test('a request that leaves as the idle connection closes is not answered, and is answered on a fresh one', async () => {
  const one = caseOf({ framing: 'length', connection: 'keep-alive', steps: [{ write: 'first' }, { end: 'fin' }] });
  const [first] = one.exchanges;
  const second = { ...(first as Scripted), connection: 'close' as const, steps: [{ write: 'second' }] };
  const { url, run } = await lab.start({ case: { ...one, exchanges: [first as Scripted, second] } });
  const { hostname, port, pathname } = new URL(url);
  const get = `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`;
  const idle = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  idle.on('error', () => {});
  idle.write(get);
  // The client has not noticed the close yet, and sends.
  idle.once('end', () => idle.end(get));
  let heard = '';
  idle.on('data', (part) => {
    heard += part;
  });
  await new Promise((resolve) => idle.once('close', resolve));
  expect(bodyOf(heard)).toBe('first');
  expect(await text(await open(url))).toContain('second');
  expect(lab.read(run)?.requests.map(({ n }) => n)).toEqual([1, 2]);
});

test('how and when the client left is kept', async () => {
  const steps = [{ write: 'a' }, { wait: 2_000 }, { write: 'b' }];
  const { url, run } = await lab.start({ case: caseOf({ steps }) });
  const socket = await open(url);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  while (lab.read(run)?.requests[0]?.closed === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(lab.read(run)?.requests[0]?.closed?.by).toMatch(/client|reset/);
});

test('a Host that is not loopback is refused', async () => {
  const { url } = await lab.start({ case: caseOf({}) });
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: evil.test\r\n\r\n`);
  expect(await text(socket)).toContain('421');
});

test('a browser shows no case as a page, and a client in one is answered as any other', async () => {
  const headers = { 'content-type': 'text/html' };
  const theCase = caseOf({ headers, connection: 'close', steps: [{ write: '<script>alert(1)</script>' }] });
  const { url } = await lab.start({ case: theCase });
  const navigated = await text(await open(url, 'sec-fetch-mode: navigate\r\nsec-fetch-dest: iframe\r\n'));
  expect(navigated).toMatch(/^HTTP\/1\.1 403 /);
  expect(bodyOf(navigated)).toBe('');
  const fetched = await text(await open(url, 'sec-fetch-mode: cors\r\nsec-fetch-dest: empty\r\n'));
  expect(fetched).toContain('<script>alert(1)</script>');
  expect(fetched).not.toMatch(/nosniff|sandbox/);
});
