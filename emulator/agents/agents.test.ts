import { describe, expect, test } from 'vitest';
import { REQUIREMENTS } from '../../conformance/requirements/index.js';
import { mcpClient } from '../testing/agents.harness.js';
import { createTestClient } from '../testing/client.harness.js';
import { pages } from './pages.js';

const NAMES = [
  'status',
  'explain_request',
  'list_requests',
  'list_interns',
  'manage_intern',
  'chat',
  'answer_question',
  'advance_clock',
  'inject_fault',
  'put_script',
  'snapshot',
  'explain_proof',
  'check_server',
  'check_client',
];

interface Listed {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  annotations: Record<string, boolean>;
}

interface Wrong {
  readonly body: string;
  readonly headers: Record<string, string>;
}

describe('AGENT-2: the tools', () => {
  test('14 of them, within the bounds of their list, each with both schemas and what it may do', async () => {
    const { tools }: { tools: Listed[] } = await mcpClient(createTestClient()).result('tools/list');
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(16_384);
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description.length).toBeLessThanOrEqual(400);
      expect(description).toMatch(/Use it|Use this/);
      for (const word of ['oneOf', 'anyOf', 'allOf']) expect(inputSchema).not.toHaveProperty(word);
      expect([inputSchema.type, outputSchema.type]).toEqual(['object', 'object']);
      expect(annotations).toHaveProperty('readOnlyHint');
    }
  });

  test('a client that fails: status, what it sent, why it was refused, and then nothing was wrong', async () => {
    const api = createTestClient();
    const mcp = mcpClient(api);
    const { structuredContent: status, content } = await mcp.call('status');
    expect(status.target.credentials.api_key).toBe(api.credentials.api_key);
    expect(content[0].text).toContain(`INTERN_API_KEY=${api.credentials.api_key}`);
    await api.post('/interns', { name: 'ada' });
    const { structuredContent: listed } = await mcp.call('list_requests', { status: '4xx' });
    expect(listed.requests).toMatchObject([{ operation: 'create', status: 400, wrong: 'workspace_id: missing' }]);
    const { structuredContent: why } = await mcp.call('explain_request');
    expect(why).toMatchObject({ id: listed.requests[0].id, requirement: { id: 'CREATE-1' } });
    const right = await api.get('/interns');
    const id = right.headers.get('x-request-id');
    expect((await mcp.call('explain_request', { id })).content[0].text).toContain(
      'Nothing was wrong: list answered 200.',
    );
  });

  test('an intern is made, talked to, asked, answered and deleted, and no born key is shown', async () => {
    const api = createTestClient({ clock: 'auto' });
    const mcp = mcpClient(api);
    const said: unknown[] = [];
    const call = async (name: string, given: object) => {
      const result = await mcp.call(name, given);
      said.push(result);
      expect(result.isError, result.content[0].text).toBeUndefined();
      return result.structuredContent;
    };
    const { intern } = await call('manage_intern', { action: 'create', name: 'ada', script: 'ask-question' });
    await call('advance_clock', { by: '1m' });
    expect(await call('list_interns', { status: 'running' })).toMatchObject({ total: 2 });
    const asked = await call('chat', { prompt: 'hello', intern_id: intern.id });
    expect(asked).toMatchObject({ ended: 'question', question: { id: expect.any(String) } });
    const answered = await call('answer_question', {
      intern_id: intern.id,
      session_id: asked.session_id,
      answer: '{"action": "decline"}',
    });
    expect(answered).toMatchObject({ ended: 'stop', run_id: asked.run_id });
    const shown = await mcp.result('resources/read', { uri: `intern:///${intern.id}` });
    const { api_key } = (await api.get(`/_emulator/interns/${intern.id}`)).json;
    await call('manage_intern', { action: 'delete', intern_id: intern.id });
    expect(api_key).toMatch(/./);
    expect(JSON.stringify([said, shown])).not.toContain(api_key);
  });

  test('faults, scripts, snapshots and proofs are those of the control interface', async () => {
    const api = createTestClient();
    const mcp = mcpClient(api);
    const id = api.credentials.intern?.id ?? '';
    await mcp.call('snapshot', { action: 'keep', name: 'before' });
    const put = await mcp.call('put_script', {
      script: { name: 'mine', turn: [{ say: 'as I am told' }] },
      intern_id: id,
    });
    expect(put.content[0].text).toContain(`any prompt to ${id}`);
    expect((await mcp.call('chat', { prompt: 'hi' })).structuredContent.text).toBe('as I am told');
    const { structuredContent } = await mcp.call('inject_fault', { operation: 'chat', status: 503 });
    expect(structuredContent.faults).toMatchObject([{ operation: 'chat', status: 503 }]);
    const failed = await mcp.call('chat', { prompt: 'hi' });
    expect([failed.isError, failed.content[0].text]).toEqual([true, expect.stringContaining('an injected fault')]);
    await mcp.call('snapshot', { action: 'restore', name: 'before' });
    expect((await mcp.call('chat', { prompt: 'hi' })).structuredContent.text).not.toBe('as I am told');
    const proof = await mcp.call('explain_proof', { headers: {}, intern_id: id });
    expect(proof.structuredContent).toMatchObject({ verdict: 'refused' });
  });
});

describe('AGENT-3: answers', () => {
  test('text holds no character that a terminal acts on, whatever a client sent', async () => {
    const api = createTestClient();
    const mcp = mcpClient(api);
    for (const character of ['\u009b31m', '\u202e', '\u007f', '\u0085', '\u2028'])
      await api.call('POST', '/interns', {
        raw: `${character}\n::error::x`,
        headers: { 'content-type': 'application/json', 'x-request-id': 'odd' },
      });
    const shown = [
      (await mcp.call('explain_request', { id: 'odd' })).content[0].text,
      (await mcp.call('list_requests')).content[0].text,
      (await mcp.result('resources/read', { uri: 'request:///odd' })).contents[0].text,
    ];
    for (const text of shown) expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]|^::/mu);
    expect(shown[0]).toContain('found');
  });

  test('text is bounded, and says where the rest is', async () => {
    const api = createTestClient();
    for (let n = 0; n < 60; n++) await api.get(`/interns/${'x'.repeat(40)}${n}`);
    const { content, structuredContent } = await mcpClient(api).call('list_requests', { limit: 60 });
    expect(structuredContent.requests).toHaveLength(60);
    expect(Buffer.byteLength(content[0].text)).toBeLessThanOrEqual(2_048);
    expect(content[0].text).toContain('structuredContent has the rest');
  });

  test.each([
    ['chat', { prompt: 'hi', intern_id: 'none' }, /no intern none/],
    ['chat', { prompt: 'script: fly\nhi' }, /requirement: CHAT-15/],
    ['chat', {}, /prompt/],
    ['answer_question', { intern_id: 'x', session_id: 'y', answer: 'z' }, /Call chat/],
    ['manage_intern', { action: 'create' }, /name: missing/],
    ['manage_intern', { action: 'delete' }, /Call list_interns/],
    ['advance_clock', { by: 'soon' }, /advance/],
    ['inject_fault', { operation: 'chat' }, /expected one of status, delay/],
    ['put_script', { script: { name: 'x', turn: [{ fly: 1 }] } }, /turn\[0\]/],
    ['snapshot', { action: 'restore', name: 'none' }, /none/],
    ['explain_request', {}, /no request yet/],
    ['explain_request', { id: 'none' }, /the journal holds no request none/],
    ['check_client', { command: ['true'] }, /stdio/],
    ['check_server', {}, /without the kit/],
    ['list_requests', { intern: 'x' }, /there is no "intern" here \(did you mean intern_id\?\)/],
    ['chat', { promt: 'hi' }, /there is no "promt" here \(did you mean prompt\?\)/],
    ['manage_intern', { action: 'creat' }, /expected "create".*did you mean create\?/],
    ['snapshot', {}, /action: missing/],
  ])('a mistake says what is wrong and what to do next: %s %j', async (name, given, words) => {
    const { isError, content } = await mcpClient(createTestClient()).call(name, given);
    expect(isError).toBe(true);
    expect(content[0].text).toMatch(words);
    expect(content[0].text).not.toMatch(/\bat .*\.(ts|js):\d/);
  });

  test('SECURITY: check_server of another address is refused over HTTP, whatever agents may run', async () => {
    const mcp = mcpClient(createTestClient({ agentsMayRun: true }));
    const { isError, content } = await mcp.call('check_server', { url: 'https://evil.test/api/v1' });
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining('refused over HTTP')]);
  });

  test('create provisions, says so, and does not with provision: false', async () => {
    const mcp = mcpClient(createTestClient());
    const booted = await mcp.call('manage_intern', { action: 'create', name: 'ada' });
    expect(booted.structuredContent.intern.status).not.toBe('stopped');
    expect(booted.content[0].text).toContain('It is being provisioned too');
    const made = await mcp.call('manage_intern', { action: 'create', name: 'bea', provision: false });
    expect(made.structuredContent.intern.status).toBe('stopped');
    expect(made.content[0].text).not.toContain('provisioned');
  });

  test('a run without end reports progress, and ends at the limit of the call with its run', async () => {
    const api = createTestClient({ clock: 'auto' });
    const params = {
      name: 'chat',
      arguments: { prompt: 'script: never-ends\nhi', limit: 1 },
      _meta: { progressToken: 7 },
    };
    const answers = await mcpClient(api).ask('tools/call', params);
    const last = answers.at(-1) as { result: { structuredContent: { ended: string; run_id: string } } };
    expect(last.result.structuredContent).toMatchObject({ ended: 'still_running', run_id: expect.any(String) });
    expect(answers.filter(({ method }) => method === 'notifications/progress').length).toBeGreaterThan(0);
  });
});

describe('AGENT-2: resources and prompts', () => {
  test('every page, every requirement and the OpenAPI document are listed, and read', async () => {
    const mcp = mcpClient(createTestClient());
    const { resources } = await mcp.result('resources/list');
    const uris = resources.map(({ uri }: { uri: string }) => uri);
    expect(uris).toEqual(expect.arrayContaining(pages().map(({ name }) => `docs:///${name}`)));
    expect(uris).toEqual(expect.arrayContaining(REQUIREMENTS.map(({ id }) => `requirement:///${id}`)));
    const text = async (uri: string) => (await mcp.result('resources/read', { uri })).contents[0].text;
    expect(await text('requirement:///CHAT-3')).toContain('one final chunk with empty `choices`');
    expect(await text('docs:///chat-api')).toContain('# Chat and invoke');
    expect(JSON.parse(await text('openapi:///openapi.json')).openapi).toBe('3.1.0');
    expect(JSON.parse(await text('openapi:///control-openapi.json')).paths).toHaveProperty('/clock');
    const { resourceTemplates } = await mcp.result('resources/templates/list');
    const templates = resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate);
    expect(templates).toEqual(
      expect.arrayContaining(['intern:///{id}', 'run:///{id}', 'request:///{id}', 'case:///{id}']),
    );
    const shown = JSON.parse(await text('case:///chat-long-line-64k'));
    expect(shown.exchanges[0].steps[0].write).toMatch(/^data: \{/);
    await expect(mcp.result('resources/read', { uri: 'docs:///../SECURITY' })).rejects.toThrow(
      /does not exist|not found/,
    );
  });

  test('three prompts, each with what to call', async () => {
    const mcp = mcpClient(createTestClient());
    const { prompts } = await mcp.result('prompts/list');
    const names = prompts.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['write-a-client', 'why-was-it-refused', 'test-my-app']);
    expect(prompts.every(({ description = '' }) => description !== '')).toBe(true);
    for (const name of names) {
      const { messages } = await mcp.result('prompts/get', { name, arguments: {} });
      expect(messages[0].content.text).toMatch(/explain_request/);
    }
  });
});

describe('AGENT-1: at any emulator and any space, under the guard', () => {
  test('a space has its own', async () => {
    const api = createTestClient();
    await api.post('/_emulator/spaces', { name: 'mine' });
    const { structuredContent } = await mcpClient(api, '/spaces/mine').call('status');
    expect(structuredContent.target.base_url).toContain('/spaces/mine/api/v1');
    const { structuredContent: chat } = await mcpClient(api, '/spaces/mine').call('chat', { prompt: 'hi' });
    expect(chat).toMatchObject({ ended: 'stop' });
    expect((await mcpClient(api).call('list_requests')).structuredContent.requests).toEqual([]);
  });

  test('the revisions of 2025, which begin by initialize, and of 2026, which do not, are served by the same tools', async () => {
    const mcp = mcpClient(createTestClient());
    for (const protocolVersion of ['2025-06-18', '2025-11-25']) {
      const clientInfo = { name: 'test', version: '1' };
      const begun = await mcp.result('initialize', { protocolVersion, capabilities: {}, clientInfo });
      expect(begun).toMatchObject({ protocolVersion, serverInfo: { name: 'intern-emulator' } });
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'status', arguments: {}, _meta } };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'status' };
    const { result } = JSON.parse(await (await mcp.post(call, headers)).text());
    expect(result.structuredContent.counts).toMatchObject({ interns: 1 });
  });

  test.each([
    ['another origin', { origin: 'https://evil.test' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a rebound name', { host: 'evil.test' }],
  ])('SECURITY: %s gets nowhere', async (_what, headers) => {
    const response = await mcpClient(createTestClient()).post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    expect(response.status).toBe(403);
  });

  test('SECURITY: with a control token nothing is served without it, and the tools work with it', async () => {
    const api = createTestClient({ controlToken: 'secret-token' });
    const mcp = mcpClient(api);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'status', arguments: {} } };
    // As every other control call.
    const [refused, other] = [await mcp.post(list), await api.emulator.fetch('/_emulator/clock')];
    expect([refused.status, await refused.json()]).toEqual([403, await other.json()]);
    const served = await mcp.post(list, { authorization: 'Bearer secret-token' });
    expect(await served.text()).toContain('intern-emulator');
  });

  test.each([
    ['an unknown method', 'nothing/at-all', {}, -32601],
    ['an unknown tool', 'tools/call', { name: 'fly', arguments: {} }, -32602],
    ['a call without a name', 'tools/call', {}, -32602],
    ['an unknown prompt', 'prompts/get', { name: 'fly' }, -32602],
    ['an unknown kind of resource', 'resources/read', { uri: 'fly:///1' }, -32602],
    ['an unknown page', 'resources/read', { uri: 'docs:///fly' }, -32602],
    ['an unknown requirement', 'resources/read', { uri: 'requirement:///FLY-1' }, -32602],
    ['an unknown request', 'resources/read', { uri: 'request:///fly' }, -32602],
    ['an unknown case', 'resources/read', { uri: 'case:///fly' }, -32602],
  ])('%s has the code of the protocol', async (_, method, params, code) => {
    const [answer] = await mcpClient(createTestClient()).ask(method, params);
    expect(answer?.error).toMatchObject({ code, message: expect.stringMatching(/./) });
  });

  test.each([
    ['what is no JSON', { body: '{' }, 400, -32700],
    ['what is no message', { body: '{"a":1}' }, 400, -32600],
    ['an unknown revision', { headers: { 'mcp-protocol-version': '1999-01-01' } }, 400, -32000],
    ['a caller that takes no stream', { headers: { accept: 'application/json' } }, 406, -32000],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415, -32000],
  ])('%s is refused before the protocol begins', async (_, { body, headers }: Partial<Wrong>, status, code) => {
    const response = await createTestClient().emulator.fetch('/_emulator/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: body ?? '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
  });
});
