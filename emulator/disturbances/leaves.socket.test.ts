import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createEmulator } from '../index.js';

test.each([{ disturb: 'stall' }, { disturb: 'silence', write: 'content:1' }] as const)(
  'a client that leaves while nothing comes is noticed: $disturb',
  async (fault) => {
    const emulator = createEmulator({ clock: 'auto', chaos: [{ operation: 'chat', ...fault }] });
    const at = new URL((await emulator.listen({ port: 0, daemonPort: 0 })).url);
    const { api_key: key, intern } = emulator.target.credentials;
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] });
    const client = connect(Number(at.port), at.hostname);
    client.on('error', () => {}).resume();
    await once(client, 'connect');
    const head = `POST /api/v1/interns/${intern?.id}/chat/completions HTTP/1.1\r\nhost: ${at.host}\r\nauthorization: Bearer ${key}`;
    client.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await expect.poll(() => emulator.fetch('/_emulator/faults').then((answer) => answer.json())).toEqual({ data: [] });
    // As a process that is killed leaves: it closes its half, and waits for nothing.
    client.end();
    await once(client, 'close');
    await emulator.close();
    expect(client.destroyed).toBe(true);
  },
);
