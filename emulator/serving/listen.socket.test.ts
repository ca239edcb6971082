import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { hostDelay } from '../clock/host.js';
import type { RunView } from '../contract/run.js';
import { listening } from '../testing/listening.harness.js';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function start() {
  const { emulator } = await listening({ clock: 'virtual' });
  const { credentials, base_url, control_url } = emulator.target;
  const port = Number(new URL(base_url).port);
  const head = (method: string, rest: string) =>
    `${method} /api/v1/interns/${credentials.intern?.id}${rest} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${credentials.api_key}\r\n`;
  return {
    emulator,
    get: `${head('GET', '')}\r\n`,
    chat(prompt: string) {
      const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: prompt }] });
      return `${head('POST', '/chat/completions')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    },
    async control(path: string, body?: object) {
      const response = await emulator.fetch(control_url + path, {
        ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return response.json() as Promise<{ data: RunView[] }>;
    },
    /** A connection that stays half open when the other side closes its half, and what came over it. */
    open() {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      sockets.push(socket);
      const heard = { socket, text: '', over: false };
      socket.on('data', (bytes) => {
        heard.text += bytes.toString();
      });
      socket.on('error', () => {});
      socket.on('end', () => {
        heard.over = true;
      });
      return heard;
    },
  };
}

/** Waits for the effects of other threads of control, turn by turn of the event loop. */
async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(['get', 'echo', 'ask-question'])(
  'a client that closes its half of the connection at once still gets the plain answer: %s',
  async (what) => {
    const { get, chat, open } = await start();
    const heard = open();
    heard.socket.end(what === 'get' ? get : chat(`script: ${what}`));
    await until(() => heard.over);
    expect(heard.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(heard.text).toMatch(what === 'get' ? /"running"/ : /\[DONE\]\n\n\r\n0\r\n\r\n$/);
  },
);

test('a stream behind another answer of its connection is cancelled when the connection goes', async () => {
  const { get, chat, control, open } = await start();
  await control('/faults', { operation: 'get', delay: '10m' });
  const heard = open();
  heard.socket.write(get + chat('script: never-ends'));
  await until(async () => (await control('/runs')).data.some(({ status }) => status === 'running'));
  expect(heard.text).toBe('');
  heard.socket.destroy();
  const run = await until(async () => (await control('/runs')).data.find(({ status }) => status === 'ended'));
  expect(run.ended).toBe('cancelled');
});

test('closing does not wait for clients that keep the connection of an ended stream', async () => {
  const { emulator, chat, open } = await start();
  const heard = open();
  heard.socket.write(chat('script: never-ends'));
  await until(() => heard.text.includes('Still at it.'));
  const closed = emulator.close().then(() => 'closed');
  expect(await Promise.race([closed, hostDelay(1_000).then(() => 'still waiting')])).toBe('closed');
  await until(() => heard.over);
  expect(heard.text).toMatch(/"run_ended".*\[DONE\]/s);
});
