import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { KEY, useRecorder } from './record.harness.js';

const { deployment, rawDeployment, recording, raw, written, lines, logged } = useRecorder();

const head = (line: string, headers: readonly string[] = []) =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
const GET = head('GET /api/v1/interns');
const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

/**
 * A deployment that answers every request with these bytes, except for one path: there it streams until the client
 * leaves.
 */
const answering = (bytes: string) =>
  rawDeployment((socket, asked) => {
    if (!asked.includes('/beside')) return void socket.write(bytes, 'latin1');
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
    socket.write('data: 1\n\n');
  });

/** A recorder of a deployment that answers everything alike, and the requests that came there. */
async function seeing() {
  const seen: IncomingMessage[] = [];
  const url = await deployment((request, response) => {
    seen.push(request);
    response.end('{}');
  });
  return { base: await recording(url), seen };
}

/** A stream of another exchange. The result says whether it still comes. */
async function streamBeside(base: string): Promise<() => boolean> {
  let open = true;
  const answer = await fetch(`${base}/beside`);
  const reader = answer.body?.getReader();
  await reader?.read();
  void reader?.read().then(
    () => (open = false),
    () => (open = false),
  );
  return () => open;
}

describe('what cannot be passed on is answered 502, recorded so, and ends nothing else', () => {
  test.each([
    ['status 000', 'HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\n{}', 'its status is 000'],
    ['status 099', 'HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\n{}', 'its status is 099'],
    ['status 600', 'HTTP/1.1 600 Odd\r\nContent-Length: 2\r\n\r\n{}', 'its status is 600'],
    ['status 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}', 'its status is 999'],
    ['an upgrade', 'HTTP/1.1 101 Odd\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'its status is 101'],
    ['a control character in the reason', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\n{}', 'reason phrase holds'],
    ['a transfer coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 'coding is "gzip"'],
    ['an invalid header', 'HTTP/1.1 200 OK\r\nBad Name: 1\r\n\r\n', 'it is not HTTP'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 'it is not HTTP'],
    ['a head that does not end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`, 'it is not HTTP'],
    ['anything else', 'hello\r\n\r\n', 'it is not HTTP'],
  ])('%s', async (_what, bytes, why) => {
    const base = await recording(await answering(bytes));
    const stillOpen = await streamBeside(base);
    const answer = await fetch(`${base}/interns`);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('x-emulator-detail')).toContain(why);
    const said = await answer.json();
    expect(said).toMatchObject({
      error: { code: 502, message: expect.stringContaining(why), metadata: { reason: 'upstream_invalid' } },
    });
    const [line] = await written(1);
    expect(line).toMatchObject({ n: 2, status: 502, body: said, not_passed_on: expect.stringContaining(why) });
    expect(stillOpen()).toBe(true);
  });
});

describe('what announces an answer is passed on, whatever it is', () => {
  test.each([
    ['103 with a bad Link', '103 Early Hints\r\nLink: nonsense', 'Link: nonsense'],
    ['103 without a Link', '103 Early Hints\r\nX-Hint: 1', 'X-Hint: 1'],
    ['102', '102 Processing', 'HTTP/1.1 102 Processing'],
    ['one that nobody knows', '199 Odd', 'HTTP/1.1 199 Odd'],
    ['one with a control character in its reason', '150 O\x01dd', 'HTTP/1.1 150 \r\n'],
  ])('%s', async (_what, announcement, passed) => {
    const base = await recording(await answering(`HTTP/1.1 ${announcement}\r\n\r\n${OK}`));
    expect(await raw(base, GET, '{}')).toContain(passed);
    expect(await written(1)).toMatchObject([{ status: 200, body: {} }]);
    const old = await raw(base, 'GET /api/v1/interns HTTP/1.0\r\nHost: localhost\r\n\r\n', '{}');
    expect(old).toMatch(/^HTTP\/1\.1 200/);
  });

  test('100 reaches a client only where it waits for it', async () => {
    const base = await recording(await answering(`HTTP/1.1 100 Continue\r\n\r\n${OK}`));
    expect(await raw(base, GET, '{}')).toMatch(/^HTTP\/1\.1 200/);
    expect(await raw(base, head('POST /api/v1/x', ['Expect: 100-continue', 'Content-Length: 1']), '{}')).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/,
    );
  });
});

describe('a deployment that is odd in other ways', () => {
  test('resets: so does the recorder, and says that nothing was answered', async () => {
    const base = await recording(await rawDeployment((socket) => socket.resetAndDestroy()));
    expect(await raw(base, GET)).toBe('');
    expect(await written(1)).toMatchObject([{ status: null, ended: 'broken' }]);
    expect(await raw(base, GET)).toBe('');
  });

  test('breaks its chunks off: what came is passed on, then it breaks off', async () => {
    const chunks = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\nnonsense\r\n';
    const base = await recording(await answering(chunks));
    expect(await raw(base, GET)).toContain('abcd');
    expect(await written(1)).toMatchObject([{ status: 200, body: 'abcd', ended: 'broken' }]);
  });

  test('answers twice: the second answer is nobody’s', async () => {
    let asked = 0;
    const base = await recording(
      await rawDeployment((socket) => {
        const twice = OK.replace('{}', '66').replace('200', '201');
        socket.write(++asked === 1 ? OK + twice : OK);
      }),
    );
    expect(await raw(base, GET, '{}')).not.toContain('66');
    for (let time = 0; time < 3; time++) expect(await (await fetch(`${base}/interns`)).text()).toBe('{}');
    expect((await written(4)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('never answers: its client can leave, and others are served', async () => {
    let left = () => {};
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const base = await recording(
      await rawDeployment((socket, asked) => {
        if (asked.includes('/never')) socket.on('close', left);
        else socket.write(OK);
      }),
    );
    const leave = new AbortController();
    const never = fetch(`${base}/never`, { signal: leave.signal });
    expect((await fetch(`${base}/interns`)).status).toBe(200);
    leave.abort();
    await expect(never).rejects.toThrow();
    await gone;
    expect((await fetch(`${base}/interns`)).status).toBe(200);
    expect(await written(2)).toHaveLength(2);
  });
});

test.each([
  ['200 OK', '2\r\n\r\n{}'],
  ['302 Found', '0\r\n\r\n'],
  ['304 Not Modified', '2\r\n\r\n'],
])('headers pass byte for byte: %s', async (status, rest) => {
  const odd = 'Location: http://x/\xff\xc3';
  const base = await recording(await answering(`HTTP/1.1 ${status}\r\n${odd}\r\nContent-Length: ${rest}`));
  expect(await raw(base, GET, '\r\n\r\n')).toContain(`${odd}\r\n`);
  expect(await written(1)).toMatchObject([{ headers: { location: 'http://x/\xff\xc3' } }]);
});

test('a connection that is kept for many exchanges gathers nothing', async () => {
  const warned: string[] = [];
  const warn = (warning: Error) => void warned.push(warning.message);
  process.on('warning', warn);
  const base = await recording(await deployment((_request, response) => void response.end('{}')));
  for (let time = 0; time < 15; time++) await (await fetch(`${base}/interns`)).text();
  await written(15);
  process.off('warning', warn);
  expect(warned).toEqual([]);
});

describe('a request', () => {
  test.each(['content-length', 'Content-Length, host', 'transfer-encoding, content-length'])(
    'brings no second one with it by `Connection: %s`',
    async (named) => {
      const seen: string[] = [];
      const base = await recording(
        await rawDeployment((socket, asked) => {
          seen.push(asked);
          socket.write(OK);
        }),
      );
      const inner = head('DELETE /api/v1/interns/x');
      const headers = [`Connection: ${named}`, `Content-Length: ${inner.length}`];
      await raw(base, head('GET /api/v1/interns', headers) + inner, '{}');
      await raw(base, GET, '{}');
      const all = seen.join('');
      expect(all).toContain(`Content-Length: ${inner.length}\r\n`);
      expect(all.match(/^Host: 127/gm)).toHaveLength(2);
      expect((await written(2)).map(({ request }) => request.body)).toEqual([inner, undefined]);
    },
  );

  test('keeps its credential whatever `Connection` names, and loses what belongs to the connection', async () => {
    const { base, seen } = await seeing();
    const named = ['Connection: authorization, x-own, close', 'X-Own: 1', `Authorization: Bearer ${KEY}`];
    await raw(base, head('GET /api/v1/interns', named));
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(seen[0]?.headers).not.toHaveProperty('x-own');
  });

  test('without a body is passed on without one', async () => {
    const { base, seen } = await seeing();
    await raw(base, head('POST /api/v1/interns/x/suspend'), '\r\n\r\n');
    expect(seen[0]?.headers).toMatchObject({ 'content-length': '0' });
    expect(seen[0]?.headers).not.toHaveProperty('transfer-encoding');
  });

  test('to an absolute address is one to its path', async () => {
    const { base, seen } = await seeing();
    await raw(base, head('GET http://localhost/api/v1/interns?a=/api/v1/x'), '{}');
    expect(seen[0]?.url).toBe('/api/v1/interns?a=/api/v1/x');
    expect(await written(1)).toMatchObject([{ operation: 'list', request: { path: '/api/v1/interns?a=/api/v1/x' } }]);
  });

  test.each([
    ['of the server as a whole', head('OPTIONS *'), 400],
    ['in a transfer coding', `${head('POST /api/v1/x', ['Transfer-Encoding: gzip, chunked'])}0\r\n\r\n`, 501],
  ])('that cannot be recorded is refused: %s', async (_what, bytes, status) => {
    let asked = 0;
    const base = await recording(await rawDeployment(() => void asked++));
    expect(await raw(base, bytes, 'not_recordable')).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect([asked, lines()]).toEqual([0, []]);
  });

  test('is read to its end before the line is written, when its answer came early', async () => {
    const refused = 'HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
    const base = await recording(
      await rawDeployment((socket, asked) => {
        if (asked.includes('POST')) socket.end(refused);
      }),
    );
    const body = 'x'.repeat(1_000_000);
    const answered = new Promise<string>((resolve, reject) => {
      const request = httpRequest(`${base}/interns`, { method: 'POST', headers: { 'content-length': body.length } });
      request.on('error', reject);
      request.on('response', (response) => {
        response.on('data', () => {});
        response.on('end', () => {
          // The rest is sent only now.
          request.end(body.slice(10));
          resolve(`${response.statusCode}`);
        });
      });
      request.write(body.slice(0, 10));
    });
    expect(await answered).toBe('413');
    const [line] = await written(1);
    expect(line?.request.body).toHaveLength(body.length);
    expect(line).not.toHaveProperty('left_out');
  });

  test('that does not end is waited for 2 s at most, and its line says so', async () => {
    const base = await recording(await rawDeployment((socket) => void socket.write(OK)));
    const unfinished = raw(base, `${head('POST /api/v1/interns', ['Content-Length: 50'])}abc`);
    const [line] = await written(1);
    expect(line).toMatchObject({
      request: { body: 'abc' },
      left_out: { request: { length: 3, why: 'the rest had not come 2 s after its answer had ended' } },
    });
    void unfinished;
  });
});

describe('what a client offers to decode', () => {
  test.each([
    ['gzip, br', 'gzip, br'],
    ['gzip;q=0.5, zstd, br;q=0', 'gzip;q=0.5, br;q=0'],
    ['zstd', 'identity'],
    ['*', 'identity'],
    ['identity', 'identity'],
  ])('%s is passed on without what cannot be searched', async (sent, passed) => {
    const { base, seen } = await seeing();
    await raw(base, head('GET /api/v1/interns', [`Accept-Encoding: ${sent}`]), '{}');
    expect(seen[0]?.headers['accept-encoding']).toBe(passed);
  });

  test('is nothing where it offers nothing', async () => {
    const { base, seen } = await seeing();
    await raw(base, GET, '{}');
    expect(seen[0]?.headers).not.toHaveProperty('accept-encoding');
  });
});

describe('who is served', () => {
  test.each([
    ['a foreign host', ['Host: evil.example'], '421'],
    ['no host', [], '400'],
    ['a page of a foreign origin', ['Host: localhost', 'Origin: https://evil.example'], '403'],
    ['a page without an origin of its own', ['Host: localhost', 'Origin: null'], '403'],
    ['an image on a foreign page', ['Host: localhost', 'Sec-Fetch-Site: cross-site'], '403'],
    ['an image on a page of another port', ['Host: localhost', 'Sec-Fetch-Site: same-site'], '403'],
    ['an address typed in', ['Host: localhost', 'Sec-Fetch-Site: none'], '200'],
    [
      'a page on this machine',
      ['Host: 127.0.0.1', 'Origin: http://localhost:5173', 'Sec-Fetch-Site: cross-site'],
      '200',
    ],
    ['no browser', ['Host: localhost'], '200'],
  ])('%s: %s is %s', async (_what, headers, status) => {
    const { base, seen } = await seeing();
    const answer = await raw(base, ['GET /api/v1/interns HTTP/1.1', ...headers, '', ''].join('\r\n'), /\}|0\r\n\r\n/);
    expect(answer).toContain(`HTTP/1.1 ${status} `);
    expect(seen).toHaveLength(status === '200' ? 1 : 0);
    await written(seen.length);
  });

  test('also what is named', async () => {
    const url = await deployment((_request, response) => void response.end('{}'));
    const base = await recording(url, { allowHosts: ['box.test'], cors: ['https://app.test'] });
    const named = ['GET /api/v1/interns HTTP/1.1', 'Host: box.test', 'Origin: https://app.test', '', ''];
    expect(await raw(base, named.join('\r\n'), '{}')).toContain('HTTP/1.1 200 ');
  });
});

test('of a stream without end the beginning is recorded, and all of it passes', async () => {
  const piece = 'x'.repeat(65_536);
  const base = await recording(
    await deployment((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (response.write(piece));
        response.once('drain', more);
      };
      more();
    }),
    { limit: 1_000_000 },
  );
  let passed = 0;
  const answer = await fetch(`${base}/interns`);
  for await (const bytes of answer.body ?? []) {
    passed += bytes.length;
    if (passed > 20_000_000) break;
  }
  const [line] = await written(1);
  expect(String(line?.body).length).toBeLessThan(1_000_000);
  expect(String(line?.body).length).toBeGreaterThan(500_000);
  expect(line).toMatchObject({
    ended: 'client',
    left_out: { answer: { length: expect.any(Number), why: 'an exchange is kept up to 0.95 MB' } },
  });
  expect(line?.left_out?.answer?.length).toBeGreaterThan(20_000_000);
  expect(logged()).toMatchObject([{ event: 'recorded' }]);
});
