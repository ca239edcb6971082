import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from './client.js';
import { createRedactor } from './redact.js';
import { systemHost } from './time.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

test('an answer that is waited for no more has its connection closed, however long it was waited for', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const closed = new Promise((resolve) => {
    server.once('request', (request) => request.socket.once('close', resolve));
  });
  let timeIsUp = () => {};
  const client = createClient({
    fetch: (request) => fetch(request),
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    host: {
      ...systemHost,
      later(_, then) {
        timeIsUp = then;
        return () => {};
      },
    },
    redactor: createRedactor(),
    credential: () => 'a-key',
    timeout: 3_000,
  });
  const answer = client.send({ method: 'POST', path: '/interns', json: {} });
  const refused = expect(answer).rejects.toMatchObject({
    got: { kind: 'timeout', detail: 'nothing came within 3000 ms' },
  });
  await once(server, 'request');
  // A long wait sees garbage collections, which a weakly followed signal does not survive.
  for (let i = 0; i < 5; i++) {
    await turn();
    collect();
  }
  timeIsUp();
  await refused;
  await closed;
});
