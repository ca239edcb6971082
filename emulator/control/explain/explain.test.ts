import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorKey } from '../../contract/errors.js';
import { exchangeExplanationSchema } from '../../contract/explanation.js';
import { OPERATIONS } from '../../contract/operation.js';
import { createTestClient, type Reply } from '../../testing/client.harness.js';
import { ADVICE } from './advice.js';
import { OF_OPERATION } from './outcome.js';

type TestClient = ReturnType<typeof createTestClient>;

const explain = async (api: TestClient, { headers }: Pick<Reply, 'headers'>) => {
  const { status, json } = await api.get(`/_emulator/journal/${headers.get('x-request-id')}/explain`);
  expect(status).toBe(200);
  expect(exchangeExplanationSchema().parse(json)).toEqual(json);
  return json;
};

/** Sends what the advice says, with the credentials that its variables stand for. */
async function follow(api: TestClient, command: string): Promise<Reply> {
  const [first = '', ...parts] = command.split(' \\\n  ');
  const [, method = 'GET', url = ''] = /^curl (?:-N )?(?:-X (\w+) )?'?(.*?)'?$/.exec(first) ?? [];
  const unquoted = (text: string) => text.replaceAll(`'\\\n'`, '').replaceAll(`'\\''`, "'");
  const headers: Record<string, string> = {};
  let raw: string | undefined;
  for (const part of parts) {
    const variable = /^-H "Authorization: Bearer \$INTERN_(\w+)"$/.exec(part)?.[1]?.toLowerCase();
    const header = /^-H '([^:]+): (.*)'$/s.exec(part);
    if (variable) headers.authorization = `Bearer ${api.credentials[variable as 'api_key']}`;
    else if (header) headers[header[1] ?? ''] = unquoted(header[2] ?? '');
    else if (part.startsWith('--data-raw ')) raw = unquoted(part.slice("--data-raw '".length, -1));
    else expect(part).toBe('-H content-type:');
  }
  const { base_url } = api.emulator.target;
  expect(url).toMatch(/^http:/);
  return api.call(method, url.replace(base_url, ''), { as: null, headers, ...(raw === undefined ? {} : { raw }) });
}

const prompt = (content: string, more: object = {}) => ({
  stream: true,
  messages: [{ role: 'user', content }],
  ...more,
});
const ask = (api: TestClient) =>
  api.post(`/interns/${api.credentials.intern?.id}/chat/completions`, prompt('script: ask-question\ngo'));
const id = (api: TestClient) => api.credentials.intern?.id ?? '';

/** The place that is named, its requirement, and the status of the request that the advice makes, if it makes one. */
type Case = readonly [
  what: string,
  at: string,
  requirement: string | null,
  leads: number | undefined,
  send: (api: TestClient) => Promise<Reply>,
];

const chat = (body: unknown) => (api: TestClient) => api.post(`/interns/${id(api)}/chat/completions`, body);
const create = (body: object) => (api: TestClient) => api.post('/interns', { name: 'ada', ...body });
const createHere = (body: object) => (api: TestClient) => create({ workspace_id: api.workspaceId, ...body })(api);
const sign = (body: object) => (api: TestClient) =>
  api.post(`/interns/${id(api)}/daemon/sign`, body, { as: api.credentials.oauth_token });
const keyed = (api: TestClient, key: string, name: string) =>
  api.post('/interns', { name, workspace_id: api.workspaceId }, { headers: { 'idempotency-key': key } });
const get = (path: string) => (api: TestClient) => api.get(path);
const managed = (method: string, path: (api: TestClient) => string, body?: (api: TestClient) => object) => {
  return (api: TestClient) =>
    api.call(method, path(api), { as: api.credentials.management_key ?? null, body: body?.(api) });
};
const byOwnKey = (path: string) => (api: TestClient) => api.get(path, { as: api.credentials.intern?.api_key ?? null });
const toSuspended = (send: (api: TestClient) => Promise<Reply>) => async (api: TestClient) => {
  await api.post(`/interns/${id(api)}/suspend`);
  return send(api);
};
/** Answers the question of a run, after some time. */
const answered =
  (content: string, ms = 0) =>
  async (api: TestClient) => {
    await ask(api);
    const [{ session_id, question }] = (await api.get('/_emulator/runs')).json.data;
    await api.advance(ms);
    return chat({ stream: true, session_id, messages: [{ role: 'tool', tool_call_id: question.id, content }] })(api);
  };
const UNKNOWN = '/interns/0b000000-0000-4000-8000-0000000000ff';
const TO_NOTHING = [{ role: 'tool', tool_call_id: 'x', content: 'yes' }];
const DIGEST = 'a'.repeat(64);

const CASES: readonly Case[] = [
  ['no key', 'header authorization', 'AUTH-1', 200, (api) => api.get('/interns', { as: null })],
  ['an unknown key', 'header authorization', 'AUTH-1', 200, (api) => api.get('/interns', { as: 'nobody' })],
  ['an API key on SCIM', 'header authorization', 'AUTH-6', 200, get('/scim/groups')],
  ['an API key for a daemon', 'header authorization', 'AUTH-7', 200, (api) => api.get(`/interns/${id(api)}/daemon`)],
  [
    'an API key for signing',
    'header authorization',
    'AUTH-8',
    // The caller is judged before the body, which nobody read.
    400,
    (api) => api.post(`/interns/${id(api)}/daemon/sign`, { bodySha256: DIGEST }),
  ],
  ['an unknown intern', 'path id', 'AUTH-3', 200, get(UNKNOWN)],
  ['the list by an own key', 'path id', 'AUTH-4', 200, byOwnKey('/interns')],
  ['another intern by an own key', 'path id', 'AUTH-4', 200, byOwnKey(UNKNOWN)],
  [
    'an intern from outside the programme',
    'path id',
    'AUTH-5',
    200,
    (api) => api.get(`/interns/${id(api)}`, { as: api.credentials.outsider_api_key ?? null }),
  ],
  ['an unknown path', 'path path', 'BASE-5', undefined, get('/fly')],
  ['another method', 'method method', 'BASE-5', undefined, (api) => api.put(`/interns/${id(api)}`, {})],
  ['no workspace', 'body workspace_id', 'CREATE-1', 201, create({})],
  ['an unknown field', 'body body', 'BODY-4', 201, createHere({ modle: 'x/y' })],
  ['two wrong fields', 'body name, body description', 'CREATE-5', 201, createHere({ name: 'Ada!', description: 3 })],
  [
    'not JSON',
    'body body',
    'BODY-4',
    201,
    (api) => api.call('POST', '/interns', { raw: '{', headers: { 'content-type': 'application/json' } }),
  ],
  [
    'no media type',
    'header content-type',
    'BODY-3',
    201,
    (api) => api.call('POST', '/interns', { raw: `{"name":"ada","workspace_id":"${api.workspaceId}"}` }),
  ],
  ['a foreign workspace', 'body workspace_id', 'AUTH-2', 201, create({ workspace_id: 'other' })],
  ['a long idempotency key', 'header idempotency-key', 'CREATE-4', 201, (api) => keyed(api, 'k'.repeat(256), 'ada')],
  [
    'an idempotency key with another body',
    'header idempotency-key',
    'CREATE-4',
    201,
    async (api) => {
      await keyed(api, 'one', 'ada');
      return keyed(api, 'one', 'bob');
    },
  ],
  [
    'a name that is taken',
    'body name',
    'CREATE-5',
    201,
    async (api) => {
      await api.create({ name: 'ada' });
      return createHere({ description: 'another' })(api);
    },
  ],
  [
    'a body for provision',
    'body body',
    'BODY-1',
    409,
    (api) => api.post(`/interns/${id(api)}/provision`, { now: true }),
  ],
  ['provision of a running one', 'state status', 'PROV-1', 200, (api) => api.post(`/interns/${id(api)}/provision`)],
  ['an unknown status', 'query status', 'LIST-2', 200, get('/interns?status=runing&limit=5')],
  ['a limit out of range', 'query limit', 'LIST-3', 200, get('/interns?limit=0')],
  ['a list of a foreign workspace', 'query workspace_id', 'LIST-2', 200, get('/interns?workspace_id=x')],
  [
    'a mapping of a group that is not there',
    'body scim_group_id',
    'SCIM-2',
    200,
    managed(
      'POST',
      () => '/scim/group-mappings',
      ({ workspaceId }) => ({ scim_group_id: UNKNOWN.slice(-36), workspace_id: workspaceId, role: 'member' }),
    ),
  ],
  [
    'a copy of a secret that the workspace does not hold',
    'body names[1]',
    'VAULT-7',
    200,
    (api) => api.post(`/vault/interns/${id(api)}/secrets/copy`, { names: ['legacy_token', 'other'] }),
  ],
  ['a page of groups out of range', 'query limit', 'SCIM-3', 200, managed('GET', () => '/scim/groups?limit=0')],
  [
    'a mapping deleted without a word on its members',
    'query keep_members',
    'SCIM-5',
    200,
    managed('DELETE', ({ emulator }) => `/scim/group-mappings/${emulator.target.scim_mapping_id}`),
  ],
  [
    'an invoke of an intern that does not run',
    'state status',
    'INVOKE-1',
    202,
    toSuspended((api) => api.post(`/interns/${id(api)}/invoke`, { input: 'hi' })),
  ],
  ['no stream', 'body stream', 'CHAT-1', 200, chat({ messages: [{ role: 'user', content: 'hi' }] })],
  [
    'no stream, a wrong mode and a wrong role',
    'body stream',
    'CHAT-1',
    200,
    chat({ approval_mode: 'auto', messages: [{ role: 'system', content: 3 }] }),
  ],
  ['no messages', 'body messages', 'CHAT-15', 200, chat({ stream: true, prompt: 'hi' })],
  [
    'a part that is no text',
    'body messages[0].content[0]',
    'CHAT-15',
    200,
    chat(prompt('x', { messages: [{ role: 'user', content: [{ type: 'image' }] }] })),
  ],
  ['an unknown script', 'body last message', 'CHAT-15', 200, chat(prompt('script: fly\nhi'))],
  [
    'an answer without its session',
    'body session_id',
    'CHAT-15',
    200,
    async (api) => {
      await ask(api);
      return chat({ stream: true, messages: TO_NOTHING })(api);
    },
  ],
  [
    'an answer to nothing',
    'body tool_call_id',
    'CHAT-6',
    200,
    chat({ stream: true, session_id: 's', messages: TO_NOTHING }),
  ],
  ['an answer that the question does not accept', 'body content of the tool message', 'CHAT-7', 200, answered('yes')],
  ['an answer after the deadline', 'state question', 'CHAT-7', 200, answered('{"action":"decline"}', 300_000)],
  ['a prompt to a suspended one', 'state status', 'CHAT-16', 202, toSuspended(chat(prompt('hi')))],
  [
    'an unknown session of invoke',
    'body session_id',
    'INVOKE-3',
    202,
    (api) => api.post(`/interns/${id(api)}/invoke`, { input: 'hi', session_id: 'none' }),
  ],
  [
    'over the turn limit',
    'state turn limiter',
    'CHAT-17',
    429,
    async (api) => {
      await api.put('/_emulator/limits', { turns_per_minute: 1 });
      await chat(prompt('hi'))(api);
      return chat(prompt('hi'))(api);
    },
  ],
  ['a turn that fails', 'state script', 'CHAT-16', undefined, chat(prompt('script: refuses\nhi'))],
  ['a digest in upper case', 'body bodySha256', 'SIGN-2', 200, sign({ bodySha256: DIGEST.toUpperCase() })],
  [
    'a route with a query',
    'body route.path',
    'SIGN-3',
    200,
    sign({ bodySha256: DIGEST, route: { method: 'POST', path: '/x?y' } }),
  ],
  [
    'a wildcard for a secret',
    'body hosts[0]',
    'VAULT-3',
    200,
    (api) => api.put(`/vault/secrets/token`, { value: 'abc', hosts: ['*.example.com'] }),
  ],
];

describe('AGENT-2: a refusal is explained to the field, and what it says to send instead is accepted', () => {
  test.each(CASES)('%s', async (_, at, requirement, leads, send) => {
    const api = createTestClient();
    const reply = await send(api);
    const explained = await explain(api, reply);
    expect(explained).toMatchObject({ verdict: 'refused', answered: { status: reply.status } });
    expect(explained.wrong.map((each: { in: string; at: string }) => `${each.in} ${each.at}`).join(', ')).toBe(at);
    expect(explained.requirement?.id ?? null).toBe(requirement);
    expect(explained.requirement?.sentence ?? '').not.toBe('');
    expect(explained.summary).toContain(`was refused: ${reply.status}`);
    expect(explained.next.do).not.toBe('');
    if (leads === undefined) expect(explained.next.curl).toBeNull();
    else expect((await follow(api, explained.next.curl)).status).toBe(leads);
    expect(explained.curl).toContain(explained.asked.url);
  });
});

test('AGENT-2: what is being deleted is not waited for', async () => {
  const api = createTestClient();
  await api.delete(`/interns/${id(api)}`);
  for (const refused of [await chat(prompt('hi'))(api), await api.post(`/interns/${id(api)}/provision`)])
    expect((await explain(api, refused)).next.do).toMatch(/^It is destroying, and will not come back/);
});

describe('AGENT-2: what was right, what somebody injected, and how streams end', () => {
  const explained = async (send: (api: TestClient) => Promise<Reply>) => {
    const api = createTestClient({ clock: 'auto' });
    return { api, explained: await explain(api, await send(api)) };
  };
  const fault = (body: object) => async (api: TestClient) => {
    await api.post('/_emulator/faults', { operation: 'get', ...body });
    return api.get(`/interns/${id(api)}`);
  };

  test('nothing was wrong', async () => {
    const { explained: right } = await explained((api) => api.get(`/interns/${id(api)}`));
    expect(right).toMatchObject({ verdict: 'right', wrong: [], next: null, requirement: null });
    expect(right.summary).toBe('Nothing was wrong: get answered 200.');
  });

  test('a question: the answer that it waits for is accepted', async () => {
    const { api, explained: asks } = await explained(ask);
    expect(asks).toMatchObject({ verdict: 'right', wrong: [], requirement: { id: 'CHAT-6' } });
    const answered = await follow(api, asks.next.curl);
    expect([answered.status, answered.text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
  });

  test('a page of a list that goes on says how to get the next one, and the last page does not', async () => {
    const { api, explained: first } = await explained(async (api) => {
      await api.post('/interns', { name: 'ada', workspace_id: api.workspaceId });
      return api.get('/interns?limit=1');
    });
    expect(first.summary).toMatch(
      /^Nothing was wrong: list answered 200\. The list goes on: .*starting_after.*\(LIST-3\)\.$/,
    );
    expect((await explain(api, await api.get('/interns'))).summary).toBe('Nothing was wrong: list answered 200.');
  });

  test('an answer without a session says where the session stands', async () => {
    const { explained: refused } = await explained(async (api) => {
      await ask(api);
      const messages = [{ role: 'tool', tool_call_id: 'call_1', content: 'allow_once' }];
      return api.post(`/interns/${id(api)}/chat/completions`, { stream: true, messages });
    });
    expect(refused.wrong).toMatchObject([{ at: 'session_id' }]);
    expect(refused.next.do).toMatch(/final chunk .*: read through \[DONE\]\.$/);
  });

  test.each([
    [{ status: 503 }, 'answered 503 in place of the service'],
    [{ delay: 5 }, 'made it wait 5 ms'],
    [{ disturb: 'unavailable' }, 'disturbed it: unavailable'],
  ])('an injected fault is named as injected: %j', async (body, said) => {
    const { api, explained: met } = await explained(fault(body));
    expect(met).toMatchObject({ verdict: 'injected', wrong: [], requirement: { id: 'GET-1' } });
    expect(met.summary).toBe(`Nothing was wrong with the request: an injected fault ${said}.`);
    expect((await follow(api, met.next.curl)).status).toBe(200);
  });

  test('a create that an injected fault left unfinished is completed by the same request', async () => {
    const { api, explained: met } = await explained(async (api) => {
      await api.post('/_emulator/faults', { operation: 'create', at: 'vault' });
      return api.post('/interns', { name: 'ada', workspace_id: api.workspaceId });
    });
    expect(met).toMatchObject({ verdict: 'injected', answered: { status: 502, reason: 'upstream_unavailable' } });
    expect((await follow(api, met.next.curl)).status).toBe(201);
  });

  test.each([
    ['deadline', 'failed', 'CHAT-12'],
    ['cancelled', 'failed', 'CHAT-12'],
    ['severed', 'failed', 'CHAT-13'],
    ['fails', 'failed', 'CHAT-2'],
  ])('a stream that ends badly: %s', async (script, verdict, requirement) => {
    const { explained: ended } = await explained((api) => chat(prompt(`script: ${script}\nhi`))(api));
    expect(ended).toMatchObject({ verdict, requirement: { id: requirement }, answered: { status: 200 } });
    expect(ended.wrong).toMatchObject([{ in: 'stream', at: 'finish_reason' }]);
  });

  test('a client that leaves before [DONE]', async () => {
    const api = createTestClient();
    const { base_url, credentials } = api.emulator.target;
    const response = await api.emulator.fetch(`${base_url}/interns/${id(api)}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(prompt('script: never-ends\nhi')),
    });
    const open = await explain(api, { headers: response.headers });
    expect(open).toMatchObject({ verdict: 'in_progress', wrong: [] });
    await response.body?.cancel();
    const left = await explain(api, { headers: response.headers });
    expect(left).toMatchObject({ verdict: 'client_left', requirement: { id: 'CHAT-10' } });
    expect(left.wrong).toMatchObject([{ in: 'stream', at: 'before [DONE]' }]);
  });

  test('a field that was meant as another is named, in the log too', async () => {
    const wrong: (string | null)[] = [];
    const api = createTestClient({ onRequest: (record) => wrong.push(record.wrong) });
    const said = 'ignored: approval (did you mean approval_mode?)';
    const reply = await chat(prompt('hi', { approval: 'manual', model: 'a/b', temperature: 1, store: true }))(api);
    expect(reply.headers.get('x-emulator-detail')).toBe(said);
    expect(wrong).toContain(said);
    expect((await explain(api, reply)).summary).toBe(`Nothing was wrong: chat answered 200. I${said.slice(1)}.`);
    const invoked = await api.post(`/interns/${id(api)}/invoke`, { input: 'hi', sessionId: 's' });
    expect(invoked.headers.get('x-emulator-detail')).toBe('ignored: sessionId (did you mean session_id?)');
  });

  test('several wrong fields are counted, and named once', async () => {
    const { explained: refused } = await explained((api) =>
      api.post('/interns', { name: 'Ada!', workspace_id: api.workspaceId, description: 3 }),
    );
    expect(refused.summary).toBe('create was refused: 400 invalid_body: 2 fields are wrong.');
    expect(refused.wrong).toHaveLength(2);
  });

  test('no credential is in it, wherever it was sent', async () => {
    const api = createTestClient();
    const { api_key } = api.credentials;
    const reply = await api.post('/interns', { name: api_key, [api_key]: 1, workspace_id: api_key });
    expect(JSON.stringify(await explain(api, reply))).not.toContain(api_key);
  });

  test('an id that the journal does not hold is 404', async () => {
    const api = createTestClient();
    expect(await api.get('/_emulator/journal/none/explain')).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringMatching(/^the journal holds no request none; POST .*signing/) } },
    });
  });
});

test('each refusal and each operation has a page that exists, at the heading that it names', () => {
  const pages = [
    ...(Object.keys(ERRORS) as ErrorKey[]).map((key) => ADVICE[key].page),
    ...OPERATIONS.map((operation) => OF_OPERATION[operation].page),
  ];
  const root = join(import.meta.dirname, '../../..');
  const missing = [...new Set(pages)].filter((page) => {
    const [file = '', heading] = page.split('#');
    if (!existsSync(join(root, file))) return true;
    const anchors = [...readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    return heading !== undefined && !anchors.includes(heading);
  });
  expect(missing).toEqual([]);
});
