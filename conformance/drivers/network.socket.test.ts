import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
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
