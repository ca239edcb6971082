import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { listening } from '../testing/listening.harness.js';
import { attachToDefault } from './attach.js';
import type { Io } from './command.js';
import type { GivenFlags } from './flags.js';

/** The result where the emulator of the default port would be at a URL, and the words about it. */
async function found(control: string, given: GivenFlags = {}) {
  const said: string[] = [];
  const err = (text: string) => void said.push(text);
  const io: Io = { out: () => {}, err, env: {}, folder: '.', colors: false, exit: () => {} };
  return { attached: await attachToDefault(given, given.controlToken, io, control), err: said.join('') };
}

test('AGENT-1: it attaches to the emulator at the default port, and leaves it running', async () => {
  const { controlUrl, baseUrl } = (await listening()).at;
  const { attached, err } = await found(controlUrl);
  expect([attached, err]).toEqual([
    { control: controlUrl, base: baseUrl, fetch: expect.any(Function), close: expect.any(Function) },
    '',
  ]);
  await attached?.close();
  expect((await fetch(`${controlUrl}/health`)).status).toBe(200);
});

test('AGENT-1: with its token it attaches; without it, it says so and leaves it alone', async () => {
  const { controlUrl } = (await listening({ controlToken: 'a-token' })).at;
  expect((await found(controlUrl, { controlToken: 'a-token' })).attached?.control).toBe(controlUrl);
  const { attached, err } = await found(controlUrl);
  expect(attached).toBeUndefined();
  expect(err).toMatch(/^intern-emulator: http:\S+: .+; see --control-token; serving one of its own\n$/);
});

test('AGENT-1: with settings, where nothing listens, or where another program does, it attaches to nothing', async () => {
  const { controlUrl } = (await listening()).at;
  const other = closing(createServer((_, response) => response.end('<p>not an emulator</p>'))).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const nothing = { attached: undefined, err: '' };
  expect(await found(controlUrl, { turnsPerMinute: 5 })).toEqual(nothing);
  expect(await found(`http://127.0.0.1:${port}/_emulator`)).toEqual(nothing);
  expect(await found('http://127.0.0.1:1/_emulator')).toEqual(nothing);
});
