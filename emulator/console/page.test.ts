import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { curlOf } from '../contract/curl.js';
import { jsonPlaces } from '../contract/json.js';
import { scriptOf, vitestOf } from './page/as-code.js';
import { createStreamReader } from './page/completions.js';
import { conversationsOf } from './page/conversation.js';
import { sentenceOf } from './page/faults.js';
import { countdown, span } from './page/format.js';
import { hexLines } from './page/hex.js';
import { laidOut } from './page/json-layout.js';
import { createLatest } from './page/latest.js';
import { readPasted } from './page/pasted.js';
import { type RequestRow, rowOf } from './page/requests.js';
import { problemsOf } from './page/script-problems.js';
import { createSseReader, type SseEvent } from './page/sse.js';
import type { Entry, Fault, Line, Run } from './page/types.js';

test('server-sent events are read whatever they are cut at', () => {
  const text = 'id: 7\n\n: hello\nevent: run\nid: 8\ndata: {"a":\ndata: 1}\n\ndata:x\r\n\r\n';
  const whole: SseEvent[] = [];
  const comments: string[] = [];
  createSseReader(
    (event) => whole.push(event),
    (comment) => comments.push(comment),
  ).push(text);
  expect(whole).toEqual([
    { event: 'run', data: '{"a":\n1}', id: '8' },
    { event: 'message', data: 'x', id: '8' },
  ]);
  expect(comments).toEqual(['hello']);
  const pieces: SseEvent[] = [];
  const reader = createSseReader((event) => pieces.push(event));
  for (const character of text) reader.push(character);
  expect(pieces).toEqual(whole);
  expect(reader.lastId()).toBe('8');
  // A client that continues from an event that was cut off wants that event.
  reader.push('event: run\nid: 9\ndata: {"a"');
  expect(reader.lastId()).toBe('8');
});

test('of several reads under way the last is shown', () => {
  const begin = createLatest();
  const first = begin();
  expect(first()).toBe(true);
  const second = begin();
  expect([first(), second()]).toEqual([false, true]);
});

test('a chat stream is read piece by piece, also where a write ends within an event', () => {
  const read = createStreamReader();
  const chunk = (delta: object, more: object = {}) => `data: ${JSON.stringify({ choices: [{ delta, ...more }] })}\n\n`;
  const first = chunk({ content: 'Hello' });
  expect(read(first.slice(0, 20))).toEqual([]);
  expect(read(first.slice(20))).toEqual([{ kind: 'content', text: 'Hello' }]);
  const call = { id: 'c', function: { name: 'svc', arguments: '{}' } };
  const rest = `${chunk({ tool_calls: [call] })}${chunk({}, { finish_reason: 'tool_calls' })}: keepalive\n\ndata: {"choices":[],"session_id":"s","usage":null}\n\ndata: [DONE]\n\n`;
  expect(read(rest).map(({ text }) => text)).toEqual([
    'svc',
    'finish: tool_calls',
    ': keepalive',
    'session_id',
    '[DONE]',
  ]);
  expect(read('data: <html>\n\n')).toEqual([{ kind: 'other', text: '<html>' }]);
});

describe('JSON with its places', () => {
  const text = '{\n  "name": "x",\n  "turn": [\n    { "say": "a" },\n    {\n      "wait": "1s"\n    }\n  ]\n}';

  test.each([
    ['name', 2],
    ['turn[0].say', 4],
    ['turn[1]', 5],
    ['turn[1].wait', 6],
    ['turn[1].ask.kind', 5],
    ['turn[7].say', 3],
    ['nothing', 1],
  ])('%s stands on line %i', (path, line) => {
    const places = jsonPlaces(text);
    expect(typeof places === 'function' && places(path)).toBe(line);
  });

  test('a text that is not JSON has one problem, at its line', () => {
    expect(problemsOf('{\n"a": 1,\n}', 'a: wrong')).toEqual([
      { line: 3, message: 'expected a key in double quotes, found "}"' },
    ]);
  });

  test('the problems of a script are shown at its lines', () => {
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(text, 'x: turn[1].wait: expected this; name: expected that')).toEqual([
      { line: 6, message: 'turn[1].wait: expected this' },
      { line: 2, message: 'name: expected that' },
    ]);
    // One problem, whose message holds what separates problems.
    const one = 'turn[1].wait: expected a string; found a number';
    expect(problemsOf(text, `x: ${one}; name: expected that`).map(({ message }) => message)).toEqual([
      one,
      'name: expected that',
    ]);
    expect(problemsOf(text, 'name: expected that')).toEqual([{ line: 2, message: 'name: expected that' }]);
  });
});

describe('a request that is pasted in', () => {
  const expected = {
    method: 'POST',
    path: '/api/invoke',
    headers: { authorization: 'Bearer t', 'x-a': 'it’s "b"' },
    body: '{"c":1}',
  };

  test.each([
    [
      'curl',
      `curl -s -X POST '/api/invoke' \\\n  -H 'Authorization: Bearer t' -H "x-a: it’s \\"b\\"" --data-raw '{"c":1}'`,
    ],
    ['HTTP', 'POST /api/invoke HTTP/1.1\r\nAuthorization: Bearer t\r\nX-A: it’s "b"\r\n\r\n{"c":1}'],
    ['JSON', JSON.stringify({ ...expected, headers: { Authorization: 'Bearer t', 'X-A': 'it’s "b"' } })],
    ['JSON of a forgery', JSON.stringify({ request: { ...expected, path: undefined, url: '/api/invoke' } })],
  ])('as %s', (_, text) => {
    expect(readPasted(text)).toEqual(expected);
  });

  test('as headers alone, of which one comes twice', () => {
    expect(readPasted('a: 1\nb: 2\na: 3')).toEqual({
      method: undefined,
      path: undefined,
      headers: { a: ['1', '3'], b: '2' },
      body: undefined,
    });
    expect(readPasted('{"A": "1"}').headers).toEqual({ a: '1' });
  });

  test.each([
    ['', 'paste the request'],
    ['hello', 'expected "name: value", found "hello"'],
    ['{"a": ', 'begins like JSON'],
    ['{"method": "POST"}', 'expected an object of headers'],
  ])('%j is reported as invalid', (text, message) => {
    expect(() => readPasted(text)).toThrow(message);
  });
});

test('a script is laid out step by step, and stays what it is', () => {
  const turn = [{ say: 'a, "b": {c}' }, { ask: { kind: 'permission', operation: 'x'.repeat(120), options: [] } }];
  const text = laidOut({ name: 'x', turn, lifecycle: {} });
  expect(JSON.parse(text)).toEqual({ name: 'x', turn, lifecycle: {} });
  expect(text.split('\n').slice(0, 4)).toEqual([
    '{',
    '  "name": "x",',
    '  "turn": [',
    '    { "say": "a, \\"b\\": {c}" },',
  ]);
});

test('curl sends what was sent, with the credential as a variable', () => {
  const entry = {
    operation: 'create',
    request: {
      method: 'POST',
      url: 'http://127.0.0.1:1/api/v1/interns',
      headers: {
        host: '127.0.0.1:1',
        authorization: 'Bearer [redacted]',
        'content-type': 'application/json',
        'content-length': '9',
      },
      body: `{"a":"it's"}`,
    },
  } as unknown as Entry;
  expect(curlOf(entry)).toBe(
    `curl -X POST http://127.0.0.1:1/api/v1/interns \\\n  -H "Authorization: Bearer $INTERN_API_KEY" \\\n  -H 'content-type: application/json' \\\n  --data-raw '{"a":"it'\\''s"}'`,
  );
  const untyped = { ...entry, request: { ...entry.request, headers: {} } };
  expect(curlOf(untyped)).toContain(' -H content-type: ');
});

test('what is copied holds what a client sent as text: neither a shell nor a program runs any of it', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a client may send it
  const hostile = '\'"; touch x; $(touch x) `touch x` ${x.y} */ --> \\\n}); x.y; ({';
  const request = {
    method: 'POST',
    url: `http://127.0.0.1:1/api/v1/interns/'$(touch%20x)`,
    headers: { authorization: 'Bearer [redacted]', 'x-a': hostile },
    body: hostile,
  };
  const entry = { ...entryOf({}), operation: 'chat', request } as unknown as Entry;
  const shell = `curl() { printf '%s\\0' "$@"; cat; }; INTERN_API_KEY=key; ${curlOf(entry)}`;
  const given = execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).split('\0');
  const headers = ['-H', 'Authorization: Bearer key', '-H', `x-a: ${hostile}`, '-H', 'content-type:'];
  expect(given).toEqual(['-N', '-X', 'POST', request.url, ...headers, '--data-binary', '@-', hostile]);
  const sent: unknown[] = [];
  const fetch = async (_: string, init: { headers: Record<string, string>; body: string }) => {
    sent.push(init.headers['x-a'], init.body);
    return new Response('data: [DONE]');
  };
  const run = (source: string) =>
    new Function('fetch', 'env', 'console', 'test', 'expect', `return (async () => {${source}})()`)(
      fetch,
      {},
      { log() {} },
      (_name: string, work: () => Promise<void>) => work(),
      () => ({ toBe() {}, toContain() {} }),
    );
  await run(scriptOf(entry).replaceAll('process.env.', 'env.'));
  await run(
    vitestOf(entry)
      .replace(/^import .*$/m, '')
      .replaceAll('process.env.', 'env.'),
  );
  expect(sent).toEqual([hostile, hostile, hostile, hostile]);
});

test('bytes are dumped sixteen a line', () => {
  expect(hexLines(new TextEncoder().encode('data: é\n0123456789'))).toEqual([
    '000000  64 61 74 61 3a 20 c3 a9  0a 30 31 32 33 34 35 36    data: ···0123456',
    `000010  ${'37 38 39'.padEnd(50)}  789`,
  ]);
});

test('spans and times left', () => {
  expect([340, 2_500, 12_340, 272_000].map(span)).toEqual(['340 ms', '2.5 s', '12.3 s', '4:32']);
  expect([0, 6_200, 300_000, 3_725_000, -5].map(countdown)).toEqual(['0:00', '0:07', '5:00', '1:02:05', '0:00']);
});

describe('a conversation', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const run = (more: Partial<Run> = {}): Run => ({
    id: 'r',
    intern_id: 'i',
    session_id: 's',
    origin: 'chat',
    status: 'running',
    started_at: at(1),
    ...more,
  });
  const request = (more: Partial<RequestRow>): RequestRow => ({
    id: 'q',
    at: at(1),
    operation: 'chat',
    caller: 'alice',
    internId: 'i',
    runId: 'r',
    method: 'POST',
    path: '/',
    status: 200,
    reason: undefined,
    stream: 'open',
    closedAt: undefined,
    ms: 0,
    wrong: null,
    prompt: undefined,
    script: null,
    ended: undefined,
    judged: undefined,
    ...more,
  });
  const lines: Line[] = [
    { n: 0, at: at(1), type: 'prompt', text: 'go' },
    { n: 1, at: at(1), type: 'content', text: 'a' },
    { n: 2, at: at(2), type: 'content', text: 'b' },
    { n: 3, at: at(3), type: 'steer', text: 'left' },
    { n: 4, at: at(4), type: 'content', text: 'c' },
  ];

  test('joins what was said in a row, and knows the request of each message', () => {
    const requests = [request({ id: 'first' }), request({ id: 'second', at: at(3), status: 202, stream: undefined })];
    const [shown] = conversationsOf([run()], new Map([['r', lines]]), requests);
    expect(
      shown?.items.map((item) => [
        item.kind,
        'text' in item ? item.text : '',
        'request' in item ? item.request?.id : undefined,
      ]),
    ).toEqual([
      ['prompt', 'go', 'first'],
      ['content', 'ab', undefined],
      ['steer', 'left', 'second'],
      ['content', 'c', undefined],
    ]);
    expect(shown?.streaming?.id).toBe('first');
  });

  test.each([
    [
      'the first lines are not held any more',
      lines.slice(3),
      [request({ id: 'first' }), request({ id: 'second', at: at(3), status: 202 })],
    ],
    ['the first requests are not', lines, [request({ id: 'second', at: at(3), status: 202 })]],
  ])('a message keeps its own request where %s', (_, held, requests) => {
    const [shown] = conversationsOf([run()], new Map([['r', held]]), requests);
    const steer = shown?.items.find(({ kind }) => kind === 'steer');
    expect(steer).toMatchObject({ text: 'left', request: { id: 'second' } });
  });

  test('a disconnect stands behind what was said before it, and before how the run ended', () => {
    const ended: Line = { n: 5, at: at(5), type: 'end', ended: 'cancelled', usage: null };
    const requests = [request({ stream: 'client_left', closedAt: at(5) })];
    const runs = [run({ status: 'ended', ended: 'cancelled', ended_at: at(5) })];
    const [shown] = conversationsOf(runs, new Map([['r', [...lines, ended]]]), requests);
    expect(shown?.items.slice(-3).map((item) => ('text' in item ? item.text : ''))).toEqual([
      'c',
      'alice disconnected while this streamed',
      'The run was cancelled',
    ]);
  });

  test('a refusal is one of its own, where it happened; another operation is not one', () => {
    const refused = request({
      id: 'no',
      at: at(2),
      status: 409,
      reason: 'busy',
      runId: null,
      stream: undefined,
      wrong: 'another run streams',
    });
    const other = request({ id: 'get', operation: 'get', status: 404, runId: null });
    const shown = conversationsOf([run(), run({ id: 'later', started_at: at(3) })], new Map(), [refused, other]);
    expect(shown.map(({ key }) => key)).toEqual(['r', 'no', 'later']);
    expect(shown[1]?.items).toMatchObject([
      { kind: 'mark', tone: 'warn', text: 'A chat request was refused with 409 busy: another run streams' },
    ]);
  });
});

const entryOf = (more: object): Entry =>
  ({
    id: 'q',
    operation: 'chat',
    request: {
      method: 'POST',
      url: 'http://127.0.0.1:4683/api/v1/interns/i/chat/completions',
      headers: {
        authorization: 'Bearer [redacted]',
        host: 'a',
        'content-type': 'application/json',
        'x-request-id': 'q',
      },
      body: '{"stream":true,"messages":[{"role":"user","content":"script: slow\\nSay `hi` to {me}"}]}',
    },
    response: { status: 200, headers: {}, body: null },
    writes: [],
    ...more,
  }) as unknown as Entry;

test('a row of a chat says what was said, by which script it is answered, and how it ended', () => {
  const asked = { role: 'tool', tool_call_id: 'c', content: 'allow_once' };
  const answer = { ...entryOf({}).request, body: JSON.stringify({ messages: [{ role: 'assistant' }, asked] }) };
  const rows = [
    entryOf({ script: 'slow', closed: { at: '', how: 'complete', run_ended: 'stop' } }),
    entryOf({ script: 'slow', closed: { at: '', how: 'complete' } }),
    entryOf({ request: answer }),
    entryOf({ operation: 'get' }),
    entryOf({ request: { ...answer, body: 'no JSON' } }),
  ].map(rowOf);
  expect(rows.map(({ prompt, script, ended }) => [prompt, script, ended])).toEqual([
    ['Say `hi` to {me}', 'slow', 'stop'],
    ['Say `hi` to {me}', 'slow', 'asks'],
    ['answers allow_once', undefined, undefined],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ]);
});

test('a request is sent again by a script, which holds its body byte for byte and no credential', async () => {
  const entry = entryOf({});
  const script = scriptOf(entry).replaceAll('process.env.', 'env.');
  const sent: unknown[] = [];
  const run = new Function('fetch', 'env', 'console', `return (async () => {${script}})()`);
  const env = { INTERN_BASE_URL: 'http://b/api/v1', INTERN_API_KEY: 'the-key' };
  const fetch = async (...call: unknown[]) => {
    sent.push(call);
    return new Response('');
  };
  await run(fetch, env, { log() {} });
  expect(sent).toEqual([
    [
      'http://b/api/v1/interns/i/chat/completions',
      {
        method: 'POST',
        headers: { authorization: 'Bearer the-key', 'content-type': 'application/json' },
        body: entry.request.body,
      },
    ],
  ]);
  expect(vitestOf(entry)).toContain("expect(await response.text()).toContain('data: [DONE]');");
  const refusal = { status: 409, headers: {}, body: '{"error":{"metadata":{"reason":"busy"}}}' };
  expect(vitestOf(entryOf({ response: refusal, writes: undefined }))).toContain(
    'expect(response.status).toBe(409);\n  expect((await response.json()).error.metadata.reason).toBe("busy");',
  );
});

test('faults are sentences', () => {
  const said = [
    { operation: 'chat', status: 503 },
    { operation: 'get', times: 3, delay: '5s', status: 500, intern_id: 'i' },
    { operation: 'list', times: 'always', disconnect: 'before-headers', reset: true },
    { operation: 'create', at: 'vault', after: 1, probability: 0.5 },
  ].map((fault) => sentenceOf(fault as Fault, () => 'bob'));
  expect(said).toEqual([
    'The next chat request is answered 503.',
    'Each of the next 3 reads of an intern to bob waits 5s and is answered 500.',
    'Every list of interns loses its connection before it is answered, by a reset.',
    'The next create stops before its vault, with a chance of 50 %, after 1 that goes well.',
  ]);
});
