import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import type { InternChatCompletionRequest } from '@openrouter/sdk/models';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../emulator/index.js';
import { listening } from '../emulator/testing/listening.harness.js';
import { closing } from './closing.js';

/** The published clients, unmodified, against the emulator on real sockets (section 3 of the contract). */

async function start(options: EmulatorOptions = {}) {
  const { emulator } = await listening({ profile: 'openrouter', clock: 'virtual', ...options });
  const { base_url, credentials } = emulator.target;
  const sdk = new OpenRouter({ apiKey: credentials.api_key, serverURL: base_url, retryConfig: { strategy: 'none' } });
  const chat = (internId: string) =>
    new OpenAI({ apiKey: credentials.api_key, baseURL: `${base_url}/interns/${internId}`, maxRetries: 0 });
  return { emulator, sdk, chat, internId: credentials.intern?.id ?? '' };
}

const user = (content: string) => ({ role: 'user', content }) as const;

test('@openrouter/sdk goes through the whole lifecycle', async () => {
  const { emulator, sdk } = await start();
  const workspaceId = emulator.target.workspace_id;
  const made = await sdk.interns.createIntern({
    createInternRequest: { name: 'sdk-made', workspaceId, provision: false, instructions: 'Be brief' },
  });
  expect(made).toMatchObject({ name: 'sdk-made', status: 'stopped', workspaceId, attachedVaultId: null });
  const names: string[] = [];
  let startingAfter: string | undefined;
  do {
    const page = await sdk.interns.listInterns({ limit: 1, ...(startingAfter ? { startingAfter } : {}) });
    names.push(...page.data.map((intern) => intern.name));
    expect(page.hasMore).toBe(page.nextCursor !== undefined);
    startingAfter = page.nextCursor;
  } while (startingAfter);
  expect(names).toEqual(['sdk-made', 'first-intern']);
  expect(await sdk.interns.getIntern({ internId: made.id })).toEqual(made);
  const updated = await sdk.interns.updateIntern({
    internId: made.id,
    updateInternRequest: { description: 'changed', model: 'script/ask-question' },
  });
  expect(updated).toMatchObject({ description: 'changed', model: 'script/ask-question' });
  expect(await sdk.interns.provisionIntern({ internId: made.id })).toEqual({ provisioning: true });
  await emulator.clock.advance(1_000);
  expect((await sdk.interns.getIntern({ internId: made.id })).status).toBe('running');
  expect(await sdk.interns.suspendIntern({ internId: made.id })).toEqual({ suspended: true });
  expect(await sdk.interns.deleteIntern({ internId: made.id, deleteInternRequest: {} })).toEqual({ deleting: true });
  await emulator.clock.advance(1_000);
  await expect(sdk.interns.getIntern({ internId: made.id })).rejects.toMatchObject({ statusCode: 404 });
});

test('@openrouter/sdk asks and answers through interns.chat', async () => {
  const { sdk, internId } = await start();
  const talk = async (request: Omit<InternChatCompletionRequest, 'stream'>) => {
    const { result } = await sdk.interns.chat({ internId, internChatCompletionRequest: { stream: true, ...request } });
    if (!('getReader' in result)) throw new Error('expected a stream');
    const chunks = [];
    for await (const chunk of result) chunks.push(chunk);
    const finish = chunks.flatMap((chunk) => chunk.choices.flatMap((choice) => choice.finishReason ?? []));
    const call = chunks.flatMap((chunk) => chunk.choices.flatMap((choice) => choice.delta.toolCalls ?? []))[0];
    return { finish, call, sessionId: chunks.at(-1)?.sessionId };
  };
  const asked = await talk({ approvalMode: 'manual', messages: [user('script: ask-permission')] });
  expect(asked.finish).toEqual(['tool_calls']);
  expect(asked.call?.function.name).toBe('openrouter.provide_input');
  if (!asked.call || !asked.sessionId) throw new Error('the intern did not ask');
  const { id, function: named } = asked.call;
  const answered = await talk({
    sessionId: asked.sessionId,
    messages: [
      { role: 'assistant', toolCalls: [{ id, function: named }] },
      { role: 'tool', toolCallId: id, content: 'allow_once' },
    ],
  });
  expect(answered.finish).toEqual(['stop']);
  expect(answered.sessionId).toBe(asked.sessionId);
});

test('openai streams a chat, answers a question, and sees the error chunk', async () => {
  const { chat, internId } = await start();
  const client = chat(internId);
  const read = async (messages: unknown[], extra: Record<string, unknown> = {}) => {
    const stream = await client.chat.completions.create({
      model: 'any',
      stream: true,
      messages: messages as OpenAI.ChatCompletionMessageParam[],
      ...extra,
    });
    let content = '';
    let call: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall | undefined;
    let session: string | undefined;
    for await (const chunk of stream) {
      content += chunk.choices[0]?.delta.content ?? '';
      call ??= chunk.choices[0]?.delta.tool_calls?.[0];
      session = (chunk as unknown as { session_id?: string }).session_id ?? session;
    }
    return { content, call, session };
  };
  expect((await read([user('hello there')])).content).toContain('hello there');
  const asked = await read([user('script: ask-question')]);
  expect(asked.call?.function?.name).toBe('openrouter.provide_input');
  const { fields } = JSON.parse(asked.call?.function?.arguments ?? '{}');
  const content = Object.fromEntries(
    fields.map((field: { name: string; options?: unknown[] }) => [field.name, field.options?.[0] ?? 'blue']),
  );
  const answered = await read(
    [
      { role: 'assistant', tool_calls: [asked.call] },
      { role: 'tool', tool_call_id: asked.call?.id, content: JSON.stringify({ action: 'accept', content }) },
    ],
    { session_id: asked.session },
  );
  expect(answered.session).toBe(asked.session);
  await expect(read([user('script: cancelled')])).rejects.toThrow();
  await expect(read([user('script: unreachable')])).rejects.toMatchObject({ status: 502 });
});

test('openai that aborts cancels the run', async () => {
  const { emulator, chat, internId } = await start();
  const runs = async () => {
    const { data } = (await (await emulator.fetch('/_emulator/runs')).json()) as { data: { status: string }[] };
    return data;
  };
  const stream = await chat(internId).chat.completions.create({
    model: 'any',
    stream: true,
    messages: [user('script: never-ends')],
  });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
  stream.controller.abort();
  while ((await runs())[0]?.status !== 'ended') await emulator.clock.advance(1);
  expect((await runs())[0]).toMatchObject({ status: 'ended', ended: 'cancelled' });
});

test('@openrouter/sdk gets a steered answer as one', async () => {
  const { sdk, internId } = await start();
  const send = (content: string) =>
    sdk.interns.chat({
      internId,
      internChatCompletionRequest: { stream: true, sessionId: 'mine', messages: [user(content)] },
    });
  const { result } = await send('script: never-ends');
  expect((await send('left')).result).toEqual({ sessionId: 'mine', status: 'steered' });
  if (!('status' in result)) await result.cancel();
});

test('the clients work in process, without a socket', async () => {
  const emulator = closing(createEmulator({ profile: 'openrouter', clock: 'virtual' }));
  const { base_url, credentials } = emulator.target;
  const client = new OpenAI({
    apiKey: credentials.api_key,
    baseURL: `${base_url}/interns/${credentials.intern?.id}`,
    fetch: (input, init) => emulator.fetch(input, init),
    maxRetries: 0,
  });
  const stream = await client.chat.completions.create({ model: 'x', stream: true, messages: [user('in process')] });
  let content = '';
  for await (const chunk of stream) content += chunk.choices[0]?.delta.content ?? '';
  expect(content).toContain('in process');
  const sdk = new OpenRouter({
    apiKey: credentials.api_key,
    serverURL: base_url,
    httpClient: new HTTPClient({ fetcher: (input, init) => emulator.fetch(input, init) }),
    retryConfig: { strategy: 'none' },
  });
  const page = await sdk.interns.listInterns({});
  expect(page.data).toHaveLength(1);
});
