import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { closing } from '../../test/closing.js';
import type { EmulatorOptions } from '../options/options.js';
import { listening } from '../testing/listening.harness.js';
import { type ListenOptions, listen } from './listen.js';

/** Sends bytes over a connection of its own, and reads until the other side closes it. */
function exchange(port: number, ...writes: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(text));
    for (const bytes of writes) socket.write(bytes);
  });
}

async function start(options: EmulatorOptions = {}) {
  const { emulator, at } = await listening({ clock: 'virtual', ...options });
  const { api_key: key, intern } = emulator.target.credentials;
  return {
    key,
    intern,
    main: Number(new URL(at.baseUrl).port),
    daemon: Number(new URL(at.daemonOrigin).port),
  };
}

function read(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const id = /^x-request-id: (.+)$/im.exec(head)?.[1];
  return { status: Number(head.split(' ')[1]), id, json: body === '' ? undefined : JSON.parse(body) };
}

const ID = /^[A-Za-z0-9._:-]{1,128}$/;
const refused = (status: number) => ({
  status,
  id: expect.stringMatching(ID),
  json: {
    error: {
      code: status,
      message: expect.any(String),
      metadata: { reason: expect.any(String), retryable: status === 408 },
    },
  },
});

describe.each(['main', 'daemon'] as const)(
  'BASE-3, BASE-6: what the HTTP parser refuses, on the %s listener',
  (which) => {
    test.each([
      ['a line that is no request', 400, ['nonsense\r\n\r\n']],
      ['a request without a host', 400, ['GET /api/v1/interns HTTP/1.1\r\nConnection: close\r\n\r\n']],
      ['a header without a colon', 400, ['GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n']],
      ['a length twice', 400, ['POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n']],
      ['headers past the limit', 431, [`GET / HTTP/1.1\r\nHost: localhost\r\nx: ${'x'.repeat(200_000)}\r\n\r\n`]],
      [
        'an unknown expectation',
        417,
        ['GET /api/v1/interns HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: miracles\r\n\r\n'],
      ],
    ] as const)('%s', async (_what, status, writes) => {
      const at = await start();
      expect(read(await exchange(at[which], ...writes))).toEqual(refused(status));
    });
  },
);

test('an expectation that is refused echoes the request id, and has no metadata for SCIM', async () => {
  const { main } = await start();
  const head = 'Host: localhost\r\nConnection: close\r\nExpect: miracles\r\nX-Request-Id: mine\r\n\r\n';
  const answer = read(await exchange(main, `GET /api/v1/scim/group-mappings/x HTTP/1.1\r\n${head}`));
  expect(answer).toEqual({ status: 417, id: 'mine', json: { error: { code: 417, message: expect.any(String) } } });
});

test('chunk extensions without end are 413', async () => {
  const { main, key } = await start();
  const head = `POST /api/v1/interns HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  expect(read(await exchange(main, `${head}1;${'x'.repeat(40_000)}\r\n`))).toEqual(refused(413));
});

test('a parser error in the middle of a stream cuts it, and writes nothing into it', async () => {
  const { main, key, intern } = await start();
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: never-ends' }] });
  const text = await new Promise<string>((resolve) => {
    const socket = connect(main, '127.0.0.1');
    let heard = '';
    socket.on('data', (bytes) => {
      if (heard === '') socket.write('nonsense\r\n\r\n');
      heard += bytes.toString();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(heard));
    socket.write(
      `POST /api/v1/interns/${intern?.id}/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  expect(text).not.toContain('HTTP/1.1 400');
});

const bare = async (options: Partial<ListenOptions>) => {
  const logged: Record<string, unknown>[] = [];
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    requestId: () => 'fresh',
    log: (record) => logged.push(record),
    answer: () => new Response('fine'),
    ...options,
  });
  return { port: closing(listener).port, logged };
};

test('an answer keeps the length that it has, and each of its cookies', async () => {
  const headers = new Headers({ 'content-length': '5' });
  for (const cookie of ['a=1', 'b=2']) headers.append('set-cookie', cookie);
  const { port } = await bare({ answer: () => new Response('hello', { headers }) });
  const text = await exchange(port, 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(text.match(/^content-length: 5\r$/gim)).toHaveLength(1);
  expect(text.match(/^set-cookie: [ab]=\d\r$/gim)).toHaveLength(2);
});

test.each([0, 1])(
  'a stream that fails after %i events is cut and logged, and nothing is written of why',
  async (sent) => {
    const headers = { 'content-type': 'text/event-stream' };
    let left = sent;
    const failing = () =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise(setImmediate);
          if (left-- > 0) controller.enqueue(Buffer.from('data: 1\n\n'));
          else controller.error(new Error('a secret of ours'));
        },
      });
    const { port, logged } = await bare({ answer: () => new Response(failing(), { headers }) });
    const text = await exchange(port, 'GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(text.match(/data: 1/g) ?? []).toHaveLength(sent);
    expect(text).not.toMatch(/secret|\r\n0\r\n/);
    expect(logged).toMatchObject([
      { event: 'internal_error', request_id: 'fresh', error: expect.stringContaining('a secret of ours') },
    ]);
  },
);

test.each([
  ['OPTIONS * HTTP/1.1', 400],
  ['CONNECT localhost:443 HTTP/1.1', 400],
  ['GET / HTTP/1.1\r\nExpect: miracles', 417],
])('%j is refused, and logged', async (line, status) => {
  const { port, logged } = await bare({});
  const answer = await exchange(port, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  expect(read(answer).status).toBe(status);
  expect(logged).toMatchObject([{ event: 'request_refused', request_id: 'fresh', status }]);
});

test('CONNECT writes nothing into an answer that is on its way', async () => {
  const { port } = await bare({ answer: () => new Promise<Response>(() => {}) });
  const asks = (line: string) => `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  expect(await exchange(port, asks('GET /'), asks('CONNECT localhost:443'))).toBe('');
});

test('a stream that is made for a client who has left is cancelled', async () => {
  let answer: (response: Response) => void = () => {};
  const made = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  let begun: (signal: AbortSignal | undefined) => void = () => {};
  const signal = new Promise<AbortSignal | undefined>((resolve) => {
    begun = resolve;
  });
  const { port } = await bare({
    answer: (request) => {
      begun(request.signal);
      return made;
    },
  });
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const left = await signal;
  socket.resetAndDestroy();
  await expect.poll(() => left?.aborted).toBe(true);
  const cancelled = new Promise<void>((resolve) => {
    const stream = new ReadableStream<Uint8Array>({ cancel: () => resolve() });
    answer(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }));
  });
  await cancelled;
});

test('a target that names a user is refused', async () => {
  const { main } = await start();
  const target = `http://u:p@127.0.0.1:${main}/api/v1/interns`;
  const text = await exchange(main, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${main}\r\nConnection: close\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1.1 400 /);
});

test('a head that does not come in time is 408', async () => {
  const { port, logged } = await bare({ headersTimeout: 50 });
  expect(read(await exchange(port, 'GET / HTTP/1.1\r\nHost: loc'))).toEqual({ ...refused(408), id: 'fresh' });
  expect(logged).toMatchObject([{ event: 'request_refused', status: 408, request_id: 'fresh' }]);
});

test.each([
  [
    'thrown',
    () => {
      throw new Error('a secret of ours');
    },
  ],
  ['rejected', () => Promise.reject(new Error('a secret of ours'))],
])('an error of ours that was %s is logged with the request id, and answered 500', async (_how, answer) => {
  const { port, logged } = await bare({ answer });
  const get = (path: string) =>
    exchange(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: mine\r\n\r\n`);
  const seen = read(await get('/api/v1/interns'));
  expect(seen).toMatchObject({
    status: 500,
    id: 'mine',
    json: { error: { metadata: { reason: 'internal_error' } } },
  });
  expect(JSON.stringify(seen)).not.toContain('secret');
  expect(logged).toEqual([
    { level: 'error', event: 'internal_error', request_id: 'mine', error: expect.stringContaining('a secret of ours') },
  ]);
  expect(read(await get('/api/v1/scim/group-mappings/x')).json).toEqual({
    error: { code: 500, message: 'Internal Server Error' },
  });
});

describe('the Host of a listener on loopback', () => {
  const get = (port: number, host: string, path = '/api/v1/interns', key = '') =>
    exchange(
      port,
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${key === '' ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`,
    );

  test('a foreign one is 421, on every path', async () => {
    const { main, key } = await start();
    for (const path of ['/api/v1/interns', '/api/v1/scim/group-mappings/x', '/_emulator/target', '/oidc/auth', '/'])
      expect([path, read(await get(main, 'evil.example', path, key))]).toMatchObject([path, { status: 421 }]);
    const answer = await get(main, 'evil.example', '/api/v1/interns', key);
    expect(read(answer)).toEqual(refused(421));
    expect(answer).toContain('--allow-host');
    expect(read(await get(main, 'localhost', 'http://evil.example/api/v1/interns', key)).status).toBe(421);
    for (const host of [`localhost:${main}`, 'app.localhost', '127.1.2.3', '[::1]'])
      expect([host, read(await get(main, host, '/api/v1/interns', key)).status]).toEqual([host, 200]);
  });

  test('--allow-host opens it, for the interface only', async () => {
    const { main, key } = await start({ allowHosts: ['emulator.test'] });
    expect(read(await get(main, `emulator.test:${main}`, '/api/v1/interns', key)).status).toBe(200);
    expect(read(await get(main, 'emulator.test', '/_emulator/target')).status).toBe(403);
    expect(read(await get(main, 'other.test', '/api/v1/interns', key)).status).toBe(421);
  });

  test.each([
    ['localhost', 'localhost', 400],
    ['localhost', 'eu.localhost', 403],
    ['eu.localhost', 'localhost', 403],
    ['localhost', 'evil.example', 400],
  ])('BASE-4: %s and %s in one request are %i', async (first, second, status) => {
    const { main, key } = await start();
    const answer = read(await get(main, `${first}\r\nHOST: ${second}`, '/api/v1/interns', key));
    expect(answer).toMatchObject({ status, json: { error: { code: status } } });
  });

  test('BASE-4: a regional one is 403 before it is known whether it could be a host in a URL', async () => {
    const wrong: (string | null)[] = [];
    const { main } = await start({ onRequest: (record) => wrong.push(record.wrong) });
    for (const [host, target] of [
      ['eu.127.0.0.1:5240'],
      ['EU.127.0.0.1'],
      ['eu.localhost'],
      ['eu.example'],
      ['a', 'http://eu.test/api/v1/interns'],
      ['eu.test', 'http://a/api/v1/interns'],
    ] as const) {
      const answer = read(await get(main, host, target));
      expect([host, target, answer]).toEqual([
        host,
        target,
        { status: 403, id: expect.stringMatching(ID), json: { error: { code: 403, message: 'Forbidden' } } },
      ]);
    }
    expect(read(await get(main, 'a b'))).toEqual(refused(400));
    expect(read(await get(main, 'eu-127.0.0.1')).status).toBe(400);
    expect(wrong.slice(0, -2).filter((text) => !/regional/.test(text ?? ''))).toEqual([]);
    expect(wrong.at(-1)).toBe('the Host is invalid');
  });
});

test.each([true, false])(
  'WEB-2: a stream that is all there already is chunked all the same (globals replaced: %s)',
  async (replaceGlobals) => {
    // Other files share this process.
    const kept = ['Request', 'Response'].map((name) => ({
      name,
      was: Object.getOwnPropertyDescriptor(globalThis, name),
    }));
    onTestFinished(() => {
      for (const { name, was = {} } of kept) Object.defineProperty(globalThis, name, was);
    });
    const { emulator, at } = await listening({ clock: 'virtual' }, { replaceGlobals });
    const { credentials } = emulator.target;
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] });
    const send = (version: string) =>
      exchange(
        Number(new URL(at.baseUrl).port),
        `POST /api/v1/interns/${credentials.intern?.id}/chat/completions HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${credentials.api_key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    const [head = '', ...rest] = (await send('1.1')).split('\r\n\r\n');
    expect(head.toLowerCase()).toContain('\r\ntransfer-encoding: chunked');
    expect(head.toLowerCase()).not.toContain('content-length');
    // The opening leaves by itself.
    const chunks = rest.join('\r\n\r\n').split(/(?:^|\r\n)[0-9a-f]+\r\n/);
    expect(chunks).toEqual([
      '',
      expect.stringMatching(/^data: \{[^\n]*"role":"assistant"[^\n]*\n\n$/),
      expect.stringMatching(/"content":"hello"[\s\S]*data: \[DONE\]\n\n$/),
      '\r\n',
    ]);
    const old = await send('1.0');
    expect(old.toLowerCase()).not.toContain('transfer-encoding');
    expect(old).toContain('data: [DONE]');
  },
);
