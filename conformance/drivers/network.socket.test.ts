import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { requestOf } from '../probe/request.js';
import { networkFetch } from './network.js';

test.each(['DELETE', 'POST', 'GET'])('a %s under another Host brings its body and its length', async (method) => {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { host, 'content-length': length } = request.headers;
      response.end(JSON.stringify({ host, length, body: Buffer.concat(parts).toString() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const body = method === 'GET' ? undefined : '{"acknowledge_workspace_loss":true}';
    const request = new Request(`http://127.0.0.1:${port}/x`, { method, ...(body === undefined ? {} : { body }) });
    request.headers.set('host', 'eu.example.test');
    const seen = (await (await networkFetch(request)).json()) as Record<string, unknown>;
    expect(seen).toEqual(
      body === undefined
        ? { host: 'eu.example.test', body: '' }
        : { host: 'eu.example.test', length: String(body.length), body },
    );
  } finally {
    server.close();
  }
});

test('an answer in more codings than are read is no answer, and its connection ends nothing else', async () => {
  const unhandled: unknown[] = [];
  const seen = (error: unknown) => unhandled.push(error);
  process.on('uncaughtException', seen);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-encoding': Array(6).fill('gzip').join(', ') });
    response.write('x');
    setImmediate(() => response.destroy());
  });
  const closed = new Promise<void>((resolve) =>
    server.on('connection', (socket) => socket.on('close', () => resolve())),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await expect(networkFetch(new Request(`http://127.0.0.1:${port}/x`))).rejects.toThrow(TypeError);
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('uncaughtException', seen);
    server.close();
  }
});

test('a body of pieces is sent piece by piece, and one that is whole with its length', async () => {
  const lengths: unknown[] = [];
  const server = createServer((request, response) => {
    lengths.push(request.headers['content-length']);
    // Answers what it has read first: the rest comes when that was heard.
    request.once('data', (part: Buffer) => response.end(part.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const bytes = (text: string) => new TextEncoder().encode(text);
    const send = (body: string | Uint8Array[]) =>
      networkFetch(requestOf({ url: `http://127.0.0.1:${port}/x`, method: 'POST', headers: new Headers(), body }));
    let release = () => {};
    const rest = new Promise<Uint8Array>((resolve) => {
      release = () => resolve(bytes('rest'));
    });
    const answer = await send([bytes('first'), rest as unknown as Uint8Array]);
    expect(await answer.text()).toBe('first');
    release();
    expect(await (await send('whole')).text()).toBe('whole');
    expect(lengths).toEqual([undefined, '5']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
