import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createEmulator } from '../emulator.js';
import type { EmulatorOptions } from '../options/options.js';
import type { Behaviour } from '../scripts/behaviour.js';

/** A behaviour that never accepts its prompt: it neither says nor waits for anything. */
const deaf: Behaviour = {
  name: 'deaf',
  async *turn(_turn, { signal }) {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
};

const open = (options: EmulatorOptions = {}) => {
  const emulator = closing(createEmulator({ clock: 'virtual', seed: 'in process', scripts: [deaf], ...options }));
  const { credentials } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
  const chat = (content: string, signal?: AbortSignal) =>
    emulator.fetch(`${emulator.target.base_url}/interns/${credentials.intern?.id}/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content }] }),
      ...(signal && { signal }),
    });
  const list = (init: RequestInit = {}) => emulator.fetch(`${emulator.target.base_url}/interns`, { headers, ...init });
  const fault = (body: object) =>
    emulator.fetch('/_emulator/faults', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { emulator, chat, list, fault, headers };
};

const turns = async (count = 5) => {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};

describe('an abort rejects with its reason', () => {
  const why = new Error('changed my mind');

  test('before anything', async () => {
    const { list } = open();
    await expect(list({ signal: AbortSignal.abort(why) })).rejects.toBe(why);
  });

  test('in the same turn, though the answer was there at once', async () => {
    const { list } = open();
    const controller = new AbortController();
    const listed = list({ signal: controller.signal });
    controller.abort(why);
    await expect(listed).rejects.toBe(why);
  });

  test('in an injected delay, on a clock that stands still', async () => {
    const { list, fault } = open();
    await fault({ operation: 'list', delay: '5m' });
    const controller = new AbortController();
    const listed = list({ signal: controller.signal });
    await turns();
    controller.abort(why);
    await expect(listed).rejects.toBe(why);
    expect((await list()).status).toBe(200);
  });

  test('before the prompt is accepted', async () => {
    const { chat } = open();
    const controller = new AbortController();
    const answer = chat('script: deaf', controller.signal);
    await turns();
    controller.abort(why);
    await expect(answer).rejects.toBe(why);
  });

  test('while the body is still being sent', async () => {
    const { emulator, headers } = open();
    const controller = new AbortController();
    const created = emulator.fetch(`${emulator.target.base_url}/interns`, {
      method: 'POST',
      headers,
      body: new ReadableStream({ start: (sender) => sender.enqueue(Buffer.from('{')) }),
      duplex: 'half',
      signal: controller.signal,
    } as RequestInit);
    await turns();
    controller.abort(why);
    await expect(created).rejects.toBe(why);
    await turns();
    const journal = await emulator.fetch('/_emulator/journal');
    expect(await journal.json()).toMatchObject({ data: [{ wrong: 'the client left', response: { status: null } }] });
  });

  test('while the response streams', async () => {
    const { emulator, chat } = open();
    const controller = new AbortController();
    const response = await chat('script: never-ends', controller.signal);
    const text = response.text();
    await turns();
    controller.abort(why);
    await expect(text).rejects.toBe(why);
    const runs = await emulator.fetch('/_emulator/runs');
    expect(await runs.json()).toMatchObject({ data: [{ ended: 'cancelled' }] });
  });
});

test('a signal that is null detaches a request from its own, as with the global fetch', async () => {
  const { emulator, headers } = open();
  const controller = new AbortController();
  const request = new Request(`${emulator.target.base_url}/interns`, { headers, signal: controller.signal });
  controller.abort(new Error('nobody listens'));
  expect((await emulator.fetch(request, { signal: null })).status).toBe(200);
  await expect(emulator.fetch(request)).rejects.toThrow('nobody listens');
});

test('closing leaves no call pending', async () => {
  const { emulator, list, chat, fault } = open();
  await fault({ operation: 'list', delay: '5m' });
  const calls = [list(), chat('script: deaf'), chat('script: never-ends')];
  await turns();
  await emulator.close();
  await Promise.allSettled(calls);
  await expect(list()).rejects.toThrow('The emulator was closed');
});

test('a request whose body was used is refused, as with the global fetch', async () => {
  const { emulator, headers } = open();
  const body = JSON.stringify({ name: 'once', workspace_id: emulator.target.workspace_id });
  const request = new Request(`${emulator.target.base_url}/interns`, { method: 'POST', headers, body });
  expect((await emulator.fetch(request)).status).toBe(201);
  await expect(emulator.fetch(request)).rejects.toThrow(TypeError);
  await expect(emulator.fetch(request, { signal: null })).rejects.toThrow(TypeError);
});
