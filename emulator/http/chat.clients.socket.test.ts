import { connect } from 'node:net';
import { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createEmulator } from '../emulator.js';
import type { EmulatorOptions } from '../options/options.js';

/** An emulator on real sockets. */
async function serve(options: EmulatorOptions = {}) {
  const emulator = closing(createEmulator({ clock: 'virtual', seed: 'clients', ...options }));
  const { baseUrl } = await emulator.listen({ port: 0 });
  const { credentials } = emulator.target;
  const intern = credentials.intern?.id ?? '';
  const runs = async () => {
    const response = await emulator.fetch('/_emulator/runs');
    return ((await response.json()) as { data: { status: string; ended?: string }[] }).data;
  };
  const put = (script: { name: string; turn: object[] }) =>
    emulator.fetch(`/_emulator/scripts/${script.name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(script),
    });
  return { emulator, baseUrl, key: credentials.api_key, intern, runs, put };
}

describe('the openai client, unmodified', () => {
  test('aborting cancels the run', async () => {
    const { emulator, baseUrl, key, intern, runs } = await serve();
    const client = new OpenAI({ apiKey: key, baseURL: `${baseUrl}/interns/${intern}`, maxRetries: 0 });
    const stream = await client.chat.completions.create({
      model: 'any',
      stream: true,
      messages: [{ role: 'user', content: 'script: never-ends' }],
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();
    while ((await runs())[0]?.status !== 'ended') await emulator.clock.advance(1);
    expect((await runs())[0]).toMatchObject({ status: 'ended', ended: 'cancelled' });
  });
});

describe('@openrouter/sdk, unmodified', () => {
  test('goes through a permission and its answer, and reads no chunk amiss', async () => {
    const { baseUrl, key, intern } = await serve({ profile: 'openrouter' });
    const client = new OpenRouter({ apiKey: key, serverURL: baseUrl, retryConfig: { strategy: 'none' } });
    type Request = Parameters<typeof client.interns.chat>[0]['internChatCompletionRequest'];
    const read = async (internChatCompletionRequest: Request) => {
      const { result } = await client.interns.chat({ internId: intern, internChatCompletionRequest });
      if ('status' in result) throw new Error('steered');
      const chunks = [];
      for await (const chunk of result) chunks.push(chunk);
      const call = chunks.flatMap((chunk) => chunk.choices[0]?.delta.toolCalls ?? [])[0];
      const final = chunks.at(-1);
      return { call, final, content: chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('') };
    };
    const first = await read({
      stream: true,
      approvalMode: 'manual',
      messages: [{ role: 'user', content: 'script: ask-permission' }],
    });
    expect(first.call?.function.name).toBe('openrouter.provide_input');
    expect(first.final).toMatchObject({ model: 'openrouter/intern', usage: null });
    if (!first.call || !first.final?.sessionId) throw new Error('nothing was asked');
    const second = await read({
      stream: true,
      sessionId: first.final.sessionId,
      messages: [
        { role: 'assistant', content: null, toolCalls: [first.call] },
        { role: 'tool', toolCallId: first.call.id, content: 'allow_once' },
      ],
    });
    expect(second.content).toBe('Allowed once.');
    expect(second.final).toMatchObject({ sessionId: first.final.sessionId, usage: { totalTokens: 36 } });
  });

  test('gets a steered answer as one', async () => {
    const { baseUrl, key, intern } = await serve({ profile: 'openrouter' });
    const client = new OpenRouter({ apiKey: key, serverURL: baseUrl, retryConfig: { strategy: 'none' } });
    const send = (content: string, sessionId: string) =>
      client.interns.chat({
        internId: intern,
        internChatCompletionRequest: { stream: true, sessionId, messages: [{ role: 'user', content }] },
      });
    const { result } = await send('script: never-ends', 'mine');
    expect((await send('left', 'mine')).result).toEqual({ sessionId: 'mine', status: 'steered' });
    if (!('status' in result)) await result.cancel();
  });
});

describe('raw sockets', () => {
  /** Sends a prompt and resolves with the open socket once `until` was received. */
  const chat = (base: string, key: string, intern: string, content: string, until: string) =>
    new Promise<{ socket: ReturnType<typeof connect>; heard: () => string; closed: Promise<void> }>(
      (resolve, reject) => {
        const url = new URL(base);
        const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content }] });
        let text = '';
        const socket = connect(Number(url.port), url.hostname);
        const closed = new Promise<void>((done) => socket.on('close', () => done()));
        socket.on('error', reject);
        socket.on('data', (bytes) => {
          text += bytes.toString('latin1');
          if (text.includes(until)) resolve({ socket, heard: () => text, closed });
        });
        socket.write(
          `POST ${url.pathname}/interns/${intern}/chat/completions HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      },
    );

  test.each([
    ['the role', '"role"'],
    ['a word', 'one'],
    ['a keepalive', ': keepalive'],
  ])('a client gone after %s cancels the run, and the lock is free', async (_what, until) => {
    const { emulator, baseUrl, key, intern, runs, put } = await serve();
    await put({ name: 'talk', turn: [{ wait: '10s' }, { say: 'one' }, { wait: '1h' }] });
    const advance = until.includes('role') ? 0 : until === 'one' ? 10_000 : 45_000;
    // Time is moved once the stream exists: what is measured from its writes must have begun.
    const { socket, heard } = await chat(baseUrl, key, intern, 'script: talk', '"role"');
    await emulator.clock.advance(advance);
    while (!heard().includes(until)) await emulator.clock.advance(0);
    socket.destroy();
    while ((await runs())[0]?.status !== 'ended') await emulator.clock.advance(0);
    expect((await runs())[0]).toMatchObject({ ended: 'cancelled' });
  });

  test('a client gone after [DONE] leaves the question open', async () => {
    const { emulator, baseUrl, key, intern, runs } = await serve();
    const { socket, closed } = await chat(baseUrl, key, intern, 'script: ask-question', '[DONE]');
    socket.destroy();
    await closed;
    await emulator.clock.advance(31_000);
    expect((await runs())[0]).toMatchObject({ status: 'waiting' });
  });

  test('a fault within an event breaks the connection there, with nothing after it', async () => {
    const { emulator, baseUrl, key, intern } = await serve();
    await emulator.fetch('/_emulator/faults', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation: 'chat', disconnect: 'mid-event' }),
    });
    const { heard, closed } = await chat(baseUrl, key, intern, 'hello', '"role"');
    await closed;
    expect(heard()).not.toContain('[DONE]');
    expect(heard()).not.toContain('rror');
    expect(heard().trimEnd().endsWith('}')).toBe(false);
  });
});
