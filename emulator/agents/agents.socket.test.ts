import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { listening } from '../testing/listening.harness.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const start = async () => (await listening({ seed: 'agents', log: () => {} })).emulator;

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};
const toolCall = (name: string, given: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });

// The first of this file: only then is the door not loaded.
test.each([
  ['before the first', false],
  ['after it', true],
])(
  'of many calls that one connection sends at once %s, each lets others in between',
  async (_, loaded) => {
    const { target } = await start();
    const { hostname, port } = new URL(target.control_url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const body = toolCall('status', {});
    const head = Object.entries({ host: `${hostname}:${port}`, ...HEADERS, 'content-length': Buffer.byteLength(body) });
    const one = `POST /_emulator/mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
    let answered = 0;
    socket.on('data', (data) => {
      answered += data.toString('latin1').split('HTTP/1.1 200').length - 1;
    });
    // The parts that load at the first call are there.
    if (loaded) socket.write(one);
    await expect.poll(() => answered).toBe(loaded ? 1 : 0);
    const most = 60;
    socket.write(one.repeat(most));
    await expect.poll(() => answered, { interval: 1 }).toBeGreaterThan(loaded ? 1 : 0);
    const seen: number[] = [];
    for (let n = 0; n < 5; n++) {
      await (await fetch(`${target.control_url}/clock`)).json();
      seen.push(answered);
    }
    expect(seen[0]).toBeLessThan(most / 2);
    await expect.poll(() => answered, { timeout: 60_000 }).toBe(most + (loaded ? 1 : 0));
    socket.destroy();
  },
  90_000,
);

test.each([
  ['by leaving', (_url: string, caller: AbortController) => caller.abort()],
  [
    'by its message',
    (url: string) =>
      fetch(url, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
      }),
  ],
])('a chat that is cancelled over HTTP %s ends its run, however long it went on', async (_, cancel) => {
  const { target } = await start();
  const caller = new AbortController();
  const runs = async () => {
    const { data } = (await (await fetch(`${target.control_url}/runs`)).json()) as {
      data: { status: string; ended?: string }[];
    };
    return data;
  };
  const chat = fetch(`${target.control_url}/mcp`, {
    method: 'POST',
    headers: HEADERS,
    body: toolCall('chat', { prompt: 'script: silent', limit: 600 }),
    signal: caller.signal,
  }).then((response) => response.text());
  chat.catch(() => {});
  await expect.poll(runs).toMatchObject([{ status: 'running' }]);
  // An object that only a signal holds is gone after a while.
  for (let n = 0; n < 3; n++) {
    await turn();
    collect();
  }
  await cancel(`${target.control_url}/mcp`, caller);
  await expect.poll(runs).toMatchObject([{ status: 'ended', ended: 'cancelled' }]);
  await chat.catch(() => {});
});

test('a call of more than 4 MB is refused', async () => {
  const { target } = await start();
  const body = toolCall('status', { more: 'a'.repeat(4_194_304) });
  const { status } = await fetch(`${target.control_url}/mcp`, { method: 'POST', headers: HEADERS, body });
  expect(status).toBe(413);
});
