import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { folderOfFile } from '../../../test/folders.js';
import { createEmulator, type Emulator } from '../../emulator.js';
import type { EmulatorOptions } from '../../options/options.js';
import { record } from '../record.js';

const folder = folderOfFile('replay-');
const open: Emulator[] = [];
afterEach(() => Promise.all(open.splice(0).map((emulator) => emulator.close())));

/** The interface of a target, as a client without a library calls it. */
function clientOf(emulator: Emulator, baseUrl: string, fetchOf: typeof fetch = fetch) {
  const { api_key, oauth_token } = emulator.target.credentials;
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetchOf(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, detail: answer.headers.get('x-emulator-detail'), text: await answer.text() };
  };
  return { call, api_key, oauth: { authorization: `Bearer ${oauth_token}` } };
}

type Call = ReturnType<typeof clientOf>['call'];

const chunksOf = (text: string) =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data)) as {
    id: string;
    created: number;
    session_id?: string;
    choices: { finish_reason: string | null; delta: { content?: string; tool_calls?: { id: string }[] } }[];
  }[];
const said = (text: string) =>
  chunksOf(text)
    .map((chunk) => chunk.choices[0]?.delta.content ?? '')
    .join('');

/** A conversation with everything that matters: created, booted, asked, answered, steered, severed, refused. */
async function converse(call: Call, intern: string, workspace: string) {
  const created = await call(
    'POST',
    '/interns',
    { name: 'made-here', workspace_id: workspace },
    { 'idempotency-key': 'k-1' },
  );
  const id = (JSON.parse(created.text) as { id: string }).id;
  const read = await call('GET', `/interns/${id}`);
  const chat = (body: object) => call('POST', `/interns/${intern}/chat/completions`, { stream: true, ...body });
  const prompt = (content: string) => ({ role: 'user', content });
  const asked = await chat({ messages: [prompt('script: ask-question')] });
  const chunks = chunksOf(asked.text);
  const call_id = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])[0]?.id;
  const session = chunks.at(-1)?.session_id;
  const steered = await chat({ session_id: session, messages: [prompt('in blue, please')] });
  const answered = await chat({
    session_id: session,
    messages: [{ role: 'tool', tool_call_id: call_id, content: '{"action":"accept","content":{"answer":"blue"}}' }],
  });
  const severed = await chat({ messages: [prompt('script: severed')] });
  const refused = await call('POST', '/interns', { name: 'X' });
  return { id, created, read, asked, call_id, session, steered, answered, severed, refused };
}

async function serve(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ clock: 'virtual', seed: 'served', ...options });
  open.push(emulator);
  return { emulator, ...(await emulator.listen({ port: 0 })) };
}

/** A recording of an emulator that `act` talks to. */
async function recordingOf(
  name: string,
  act: (client: ReturnType<typeof clientOf>, emulator: Emulator, baseUrl: string) => Promise<unknown>,
  options: EmulatorOptions = {},
) {
  const { emulator, baseUrl } = await serve({ seed: 'recorded', ...options });
  const { api_key, oauth_token } = emulator.target.credentials;
  let time = 0;
  const proxy = await record({
    url: new URL(baseUrl),
    out: join(folder, `${name}.jsonl`),
    env: { INTERN_API_KEY: api_key, INTERN_OAUTH_TOKEN: oauth_token },
    now: () => time++,
    log: () => {},
  });
  const result = await act(clientOf(emulator, proxy.baseUrl), emulator, proxy.baseUrl);
  await proxy.close();
  return { file: join(folder, `${name}.jsonl`), result, intern: emulator.target.credentials.intern?.id ?? '' };
}

const INTERN = '0b000000-0000-4000-8000-000000000001';
const OTHER = '7b000000-0000-4000-8000-00000000000f';

test('a list that was recorded page by page is replayed page by page', async () => {
  const pages = async (call: Call) => {
    const statuses: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await call(
        'GET',
        `/interns?limit=1${cursor ? `&starting_after=${encodeURIComponent(cursor)}` : ''}`,
      );
      statuses.push(page.status);
      cursor = (JSON.parse(page.text) as { next_cursor?: string }).next_cursor;
    } while (cursor);
    return statuses;
  };
  const { file, result } = await recordingOf('pages', async ({ call }, emulator) => {
    // Beside the recorder: a replayed list would wait for creates that were recorded before it.
    const beside = clientOf(emulator, emulator.target.base_url, (url, init) => emulator.fetch(String(url), init));
    const { workspace_id } = emulator.target;
    for (const name of ['one-more', 'two-more']) await beside.call('POST', '/interns', { name, workspace_id });
    return pages(call);
  });
  expect(result).toEqual([200, 200, 200]);
  const { emulator, baseUrl } = await serve({ replay: { files: [file], pace: 0 } });
  expect(await pages(clientOf(emulator, baseUrl).call)).toEqual([200, 200, 200]);
});

describe('a recording of a conversation', () => {
  let file: string;
  let before: Awaited<ReturnType<typeof converse>>;
  beforeAll(async () => {
    const recorded = await recordingOf('conversation', ({ call }, emulator) =>
      converse(call, INTERN, emulator.target.workspace_id),
    );
    file = recorded.file;
    before = recorded.result as typeof before;
  });

  test('is replayed with fresh ids that stay consistent, to any credential, workspace and intern', async () => {
    const { emulator, baseUrl } = await serve({ replay: { files: [file], pace: 0 } });
    const { call } = clientOf(emulator, baseUrl);
    const now = await converse(call, OTHER, 'e0000000-0000-4000-8000-000000000009');
    expect(now.created.status).toBe(201);
    expect(now.id).not.toBe(before.id);
    expect(JSON.parse(now.read.text)).toMatchObject({ id: now.id, name: 'made-here' });
    expect(JSON.parse(now.created.text).workspace_id).toBe('e0000000-0000-4000-8000-000000000009');
    expect(said(now.asked.text)).toBe(said(before.asked.text));
    expect(now.call_id).not.toBe(before.call_id);
    expect(now.session).not.toBe(before.session);
    expect(JSON.parse(now.steered.text)).toEqual({ session_id: now.session, status: 'steered' });
    expect(said(now.answered.text)).toBe(said(before.answered.text));
    expect(chunksOf(now.answered.text).at(-1)?.session_id).toBe(now.session);
    expect(chunksOf(now.severed.text)[0]?.created).toBe(Math.floor(Date.parse('2026-01-01T00:00:00Z') / 1_000));
    expect(now.severed.text).toContain('stream_severed');
    expect(now.refused.status).toBe(400);
    for (const old of [before.id, before.session ?? '', before.call_id ?? '']) {
      expect(JSON.stringify(now)).not.toContain(old);
    }
  });

  test('answers a write once and a read again; reset starts it anew', async () => {
    const { emulator, baseUrl } = await serve({ replay: { files: [file], pace: 0 } });
    const { call } = clientOf(emulator, baseUrl);
    const { id } = await converse(call, OTHER, 'w');
    expect((await call('GET', `/interns/${id}`)).status).toBe(200);
    const again = await call(
      'POST',
      '/interns',
      { name: 'made-here', workspace_id: 'w' },
      { 'idempotency-key': 'k-1' },
    );
    expect(again).toMatchObject({ status: 501, detail: expect.stringContaining('each recorded answer was given') });
    await emulator.reset();
    expect((await converse(call, OTHER, 'w')).created.status).toBe(201);
  });

  test.each([
    ['another path', 'GET', '/interns/x/y', undefined, 'path: recorded'],
    [
      'another value',
      'POST',
      '/interns',
      { name: 'other', workspace_id: 'w' },
      'body.name: recorded "made-here", sent "other"',
    ],
    [
      'a field more',
      'POST',
      '/interns',
      { name: 'made-here', workspace_id: 'w', provision: true },
      'body.provision: recorded nothing, sent true',
    ],
    ['a query', 'GET', `/interns/${OTHER}?a=b`, undefined, 'query: sent "a=b", which was not recorded'],
    ['a read of what was not written yet', 'GET', `/interns/${OTHER}`, undefined, 'recorded only after a write'],
  ])('%s is refused with the nearest request and the first difference', async (_what, method, path, body, detail) => {
    const { emulator, baseUrl } = await serve({ replay: { files: [file], pace: 0 } });
    const { call } = clientOf(emulator, baseUrl);
    const headers: Record<string, string> = body ? { 'idempotency-key': 'k' } : {};
    const answer = await call(method, path, body, headers);
    expect(answer.status).toBe(501);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 501, metadata: { reason: 'not_recorded' } } });
    expect(answer.detail).toContain(detail);
    expect(answer.detail).not.toContain(emulator.target.credentials.api_key);
  });

  test('leaves the rest to the emulator where that is wanted', async () => {
    const { emulator, baseUrl } = await serve({ replay: { files: [file], otherwise: 'emulate', pace: 0 } });
    const { call } = clientOf(emulator, baseUrl);
    expect(JSON.parse((await call('GET', '/interns')).text).data).toHaveLength(1);
    expect((await call('POST', `/interns/${INTERN}/invoke`, { input: 'hi' })).status).toBe(202);
    expect((await converse(call, OTHER, 'w')).created.status).toBe(201);
  });
});

test('openai, unmodified, goes through a recorded question and its answer', async () => {
  const talk = async (baseUrl: string, apiKey: string, intern: string) => {
    const client = new OpenAI({ apiKey, baseURL: `${baseUrl}/interns/${intern}`, maxRetries: 0 });
    const read = async (body: object) => {
      const stream = await client.chat.completions.create({ model: 'any', stream: true, ...body } as never);
      const chunks: { choices: OpenAI.ChatCompletionChunk['choices']; session_id?: string }[] = [];
      for await (const chunk of stream as unknown as AsyncIterable<(typeof chunks)[number]>) chunks.push(chunk);
      return chunks;
    };
    const messages = [{ role: 'user', content: 'script: ask-question' }];
    const first = await read({ messages });
    const call = first.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])[0];
    const answer = { role: 'tool', tool_call_id: call?.id, content: '{"action":"accept","content":{"answer":"blue"}}' };
    const second = await read({
      session_id: first.at(-1)?.session_id,
      messages: [...messages, { role: 'assistant', content: null, tool_calls: [call] }, answer],
    });
    return second.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  };
  const { file, result } = await recordingOf('openai', (client, _emulator, base) => talk(base, client.api_key, INTERN));
  expect(result).toBe('Blue it is.');
  const { emulator, baseUrl } = await serve({ replay: { files: [file], pace: 0 } });
  expect(await talk(baseUrl, emulator.target.credentials.api_key, OTHER)).toBe('Blue it is.');
});

test('@openrouter/sdk, unmodified, reads recorded interns', async () => {
  const list = async (serverURL: string, apiKey: string) => {
    const sdk = new OpenRouter({ serverURL, apiKey, retryConfig: { strategy: 'none' } });
    const { data } = (await sdk.interns.listInterns({})) as { data: { name: string; status: string }[] };
    return data.map(({ name, status }) => `${name} ${status}`);
  };
  const options = { profile: 'openrouter' };
  const { file, result } = await recordingOf('sdk', (client, _emulator, base) => list(base, client.api_key), options);
  const { emulator, baseUrl } = await serve({ ...options, replay: { files: [file] } });
  expect(await list(baseUrl, emulator.target.credentials.api_key)).toEqual(result);
});

test('a recorded proof is made anew with the key that the daemons know', async () => {
  const body = '{"ask":"me"}';
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const prove = async ({ call, oauth }: ReturnType<typeof clientOf>, intern: string) => {
    const access = JSON.parse((await call('GET', `/interns/${intern}/daemon`, undefined, oauth)).text);
    const signed = await call(
      'POST',
      `/interns/${intern}/daemon/sign`,
      { bodySha256, route: { method: 'POST', path: '/api/invoke' } },
      oauth,
    );
    return { access, proof: JSON.parse(signed.text) as Record<string, string> };
  };
  const { file } = await recordingOf('proof', (client) => prove(client, INTERN));
  expect(readFileSync(file, 'utf8')).toContain('$signature.1');
  const { emulator, baseUrl } = await serve({ replay: { files: [file] } });
  const { access, proof } = await prove(clientOf(emulator, baseUrl), OTHER);
  const answer = await fetch(`${access.origin}/api/invoke`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${access.token}`, ...proof },
  });
  expect(await answer.json()).toMatchObject({ ok: true, verified: { version: 'v2', intern_id: OTHER } });
  await emulator.reset();
  const gone = await fetch(`${access.origin}/api/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access.token}` },
  });
  expect(await gone.json()).toMatchObject({ error: { metadata: { reason: 'token_invalid' } } });
});

describe('streams', () => {
  const line = (more: object) => ({
    format: 1,
    n: 1,
    scenario: null,
    at: 0,
    operation: 'chat',
    request: {
      method: 'POST',
      path: '/api/v1/interns/$intern.1/chat/completions',
      headers: { 'content-type': 'application/json' },
      body: { stream: true },
    },
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    writes: [
      { at: 0, text: 'data: one\n\n' },
      { at: 400, text: 'data: two\n\n' },
    ],
    ended: 'complete',
    ...more,
  });
  const replayed = (lines: object[], more: Partial<EmulatorOptions['replay']> = {}) => {
    const file = join(folder, `${Math.random()}.jsonl`);
    writeFileSync(file, lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const emulator = createEmulator({ clock: 'virtual', seed: 's', replay: { files: [file], ...more } });
    open.push(emulator);
    return {
      file,
      emulator,
      chat: (init: RequestInit = {}) =>
        emulator.fetch(`/api/v1/interns/${OTHER}/chat/completions`, {
          method: 'POST',
          body: '{"stream":true}',
          headers: { 'content-type': 'application/json' },
          ...init,
        }),
    };
  };

  test('keep their gaps on the clock', async () => {
    const { emulator, chat } = replayed([line({})]);
    const reader = (await chat()).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: one\n\n');
    const second = reader?.read();
    await emulator.clock.advance(399);
    expect(await Promise.race([second, 'nothing'])).toBe('nothing');
    await emulator.clock.advance(1);
    expect(new TextDecoder().decode((await second)?.value)).toBe('data: two\n\n');
    expect((await reader?.read())?.done).toBe(true);
  });

  test('come at once with pace 0', async () => {
    expect(await (await replayed([line({})], { pace: 0 }).chat()).text()).toBe('data: one\n\ndata: two\n\n');
  });

  /** The part of an answer that a client has when its connection breaks off. */
  const brokenOff = async (answer: Response) => {
    const reader = answer.body?.getReader();
    let text = '';
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) return `${text}, whole`;
        text += new TextDecoder().decode(value);
      }
    } catch {
      return text;
    }
  };

  test.each<[string, object, string]>([
    ['several writes', {}, 'data: one\n\ndata: two\n\n'],
    ['a write', { writes: [{ at: 0, text: 'data: on' }] }, 'data: on'],
    ['nothing', { writes: [] }, ''],
    [
      'a body that is cut',
      { writes: undefined, headers: { 'content-type': 'application/json' }, body: '{"a":1' },
      '{"a":1',
    ],
  ])('break off after all that was written: %s', async (_what, more, text) => {
    const { emulator, chat } = replayed([line({ ended: 'broken', ...more })], { pace: 0 });
    expect(await brokenOff(await chat())).toBe(text);
    const { baseUrl } = await emulator.listen({ port: 0 });
    await fetch(`${new URL(baseUrl).origin}/_emulator/reset`, { method: 'POST' });
    const answer = await fetch(`${baseUrl}/interns/${OTHER}/chat/completions`, {
      method: 'POST',
      body: '{"stream":true}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await brokenOff(answer)).toBe(text);
  });

  test('that never began are dropped connections, on a socket and in process', async () => {
    const none = { status: null, headers: {}, writes: undefined, ended: 'broken' };
    const { emulator, chat } = replayed([line(none), line({ ...none, n: 2 })], { pace: 0 });
    await expect((async () => chat())()).rejects.toThrow('the recorded connection broke off before an answer');
    const { baseUrl } = await emulator.listen({ port: 0 });
    const post = fetch(`${baseUrl}/interns/${OTHER}/chat/completions`, {
      method: 'POST',
      body: '{"stream":true}',
      headers: { 'content-type': 'application/json' },
    });
    await expect(post).rejects.toThrow('fetch failed');
  });

  test('that the client left stay open', async () => {
    const leave = new AbortController();
    const { emulator, chat } = replayed([line({ ended: 'client' })], { pace: 0 });
    const text = (await chat({ signal: leave.signal })).text();
    await emulator.clock.advance(60_000);
    expect(await Promise.race([text, 'open'])).toBe('open');
    leave.abort();
    await expect(text).rejects.toThrow();
  });

  test('BASE-4: a regional hostname is refused, whatever is recorded', async () => {
    const { emulator } = replayed([line({})]);
    const path = `/api/v1/interns/${OTHER}/chat/completions`;
    const init = { method: 'POST', body: '{"stream":true}', headers: { 'content-type': 'application/json' } };
    const refused = await emulator.fetch(`http://eu.localhost${path}`, init);
    expect([refused.status, await refused.json()]).toEqual([403, { error: { code: 403, message: 'Forbidden' } }]);
    expect((await emulator.fetch(`http://localhost${path}`, init)).status).toBe(200);
  });

  test('a body keeps a key named __proto__', async () => {
    const body = JSON.parse('{"__proto__":{"x":1},"b":2}');
    const { chat } = replayed([line({ writes: undefined, headers: { 'content-type': 'application/json' }, body })]);
    expect(await (await chat()).text()).toBe('{"__proto__":{"x":1},"b":2}');
  });

  test('a cut last line is left out; anything else that is wrong is one clear line', async () => {
    const { file } = replayed([line({})]);
    appendFileSync(file, '{"format":1,"n":2');
    const warned: unknown[] = [];
    open.push(createEmulator({ replay: { files: [file] }, log: (entry) => void warned.push(entry.message) }));
    expect(warned).toEqual([`recording ${file}:2: the last line is cut, and was left out`]);
    const wrong = (lines: string) => {
      writeFileSync(file, lines);
      return () => createEmulator({ replay: { files: [file] } });
    };
    expect(wrong('{"format":2}\n')).toThrow(`recording ${file}:1: format 2 is newer than 1`);
    expect(wrong('nonsense\n')).toThrow(`recording ${file}:1: expected an exchange as one line of JSON`);
    expect(wrong(`${JSON.stringify(line({ status: 'x' }))}\n`)).toThrow(`recording ${file}:1: status: `);
    expect(wrong('')).toThrow('holds no exchange');
    expect(() => createEmulator({ replay: { files: [join(folder, 'gone')] } })).toThrow('cannot be read: no such file');
    const tool = line({ writes: [{ at: 0, text: 'data: {"name":"openrouter.provide_input"}\n\n' }] });
    expect(wrong(`${JSON.stringify(tool)}\n`)).toThrow(
      'has the tool openrouter.provide_input, and profile svc has service.provide_input',
    );
  });
});
