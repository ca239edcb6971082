import { readFileSync } from 'node:fs';
import { request as httpRequest, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KEY, useRecorder } from './record.harness.js';

const { deployment, recording, written, lines, out, folder, logged, close, closeDeployment } = useRecorder();
const INTERN = '0b000000-0000-4000-8000-000000000001';

const answerJson = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', date: 'now' });
  response.end(JSON.stringify(body));
};

const intern = (id = INTERN) => ({
  id,
  name: 'first',
  status: 'running',
  hostname: 'first-0b000000.interns.test',
  workspace_id: '0a000000-0000-4000-8000-000000000001',
  vault_id: '0c000000-0000-4000-8000-000000000001',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:01.000Z',
});

describe('an exchange', () => {
  test('becomes a line with aliases in place of what differs between runs', async () => {
    const base = await recording(await deployment((_request, response) => answerJson(response, intern())));
    const answer = await fetch(`${base}/interns/${INTERN}`, { headers: { authorization: `Bearer ${KEY}` } });
    expect(await answer.json()).toEqual(intern());
    expect(answer.headers.get('x-request-id')).toBe('r-1');
    const [line] = await written(1);
    expect(line).toMatchObject({
      format: 1,
      n: 1,
      scenario: null,
      operation: 'get',
      request: { method: 'GET', path: '/api/v1/interns/$intern.1', headers: { authorization: 'Bearer $api_key' } },
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: {
        id: '$intern.1',
        name: 'first',
        hostname: '$hostname.1',
        workspace_id: '$workspace.1',
        vault_id: '$vault.1',
        created_at: '$time',
        updated_at: '$time',
      },
      ended: 'complete',
    });
    expect(line?.headers).not.toHaveProperty('x-request-id');
  });

  test('keeps a dollar sign apart from an alias, and finds ids inside longer text', async () => {
    const base = await recording(
      await deployment((_request, response) => answerJson(response, { session_id: 's-1234567' })),
    );
    const body = JSON.stringify({ input: `It costs $5. Ask ${INTERN}, about s-1234567!`, session_id: 's-1234567' });
    await fetch(`${base}/interns/${INTERN}/invoke`, { method: 'POST', body });
    const [line] = await written(1);
    expect(line?.request.body).toEqual({
      input: 'It costs $$5. Ask $intern.1, about $session.1!',
      session_id: '$session.1',
    });
  });
});

describe('a cursor', () => {
  test.each([
    ['a short one', 'c2VxOjM', 'c2VxOjM'],
    ['one that a query spells otherwise', 'YWJjZA==', 'YWJjZA%3D%3D'],
    ['one with odd characters', 'a b+c/d', 'a+b%2Bc%2Fd'],
  ])('is an alias in the query as in the body: %s', async (_what, cursor, spelled) => {
    const base = await recording(
      await deployment((_request, response) => answerJson(response, { data: [], has_more: true, next_cursor: cursor })),
    );
    await (await fetch(`${base}/interns?limit=1`)).text();
    await (await fetch(`${base}/interns?note=${spelled}x&starting_after=${spelled}&limit=1`)).text();
    const [first, second] = await written(2);
    expect(first?.body).toMatchObject({ next_cursor: '$cursor.1' });
    expect(second?.request.path).toMatch(/&starting_after=\$cursor\.1&limit=1$/);
  });
});

const SECRET = 'tok-Zz+/93 secret';
describe('credentials', () => {
  test('that nobody named are hidden where they were sent as one, and in lines from before', async () => {
    const base = await recording(
      await deployment((request, response) => {
        request.resume();
        request.on('end', () => answerJson(response, { echo: SECRET }));
      }),
    );
    await fetch(`${base}/interns`);
    await written(1);
    expect(readFileSync(out(), 'utf8')).toContain(SECRET);
    await fetch(`${base}/interns`, { headers: { authorization: `Bearer ${SECRET}` } });
    const [first, second] = await written(2);
    expect(first?.body).toEqual({ echo: '$key.1' });
    expect(second?.request.headers.authorization).toBe('Bearer $key.1');
    expect(readFileSync(out(), 'utf8')).not.toContain(SECRET);
  });

  test('that are too short to be searched for are hidden where they were sent as one', async () => {
    const base = await recording(await deployment((_request, response) => answerJson(response, {})));
    await fetch(`${base}/interns`, { headers: { authorization: 'Bearer nope' } });
    expect((await written(1))[0]?.request.headers.authorization).toBe('Bearer $key.1');
  });

  test('are found over the deltas and the writes of a stream', async () => {
    const deltas = [KEY.slice(0, 7), KEY.slice(7, 15), `${KEY.slice(15)} it is`];
    const base = await recording(
      await deployment((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const text = deltas
          .map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
          .join('');
        const half = text.indexOf(KEY.slice(7, 15)) + 3;
        response.write(text.slice(0, half));
        setImmediate(() => response.end(text.slice(half)));
      }),
    );
    expect(await (await fetch(`${base}/interns/${INTERN}/chat/completions`, { method: 'POST' })).text()).toContain(
      'it is',
    );
    const [line] = await written(1);
    const texts = line?.writes?.map((write) => ('text' in write ? write.text : '')).join('') ?? '';
    const said = [...texts.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content);
    expect(said).toEqual(['$api_key', '', ' it is']);
    for (const part of deltas.slice(0, 2)) expect(texts).not.toContain(part);
  });
});

describe('what passes', () => {
  test('a stream leaves as it comes, each write with its time', async () => {
    let finish = () => {};
    const base = await recording(
      await deployment((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"id":"c-12345678","created":1767225600}\n\n');
        finish = () => void response.end('data: [DONE]\n\n');
      }),
    );
    const answer = await fetch(`${base}/interns/${INTERN}/chat/completions`, { method: 'POST', body: '{}' });
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toContain('1767225600');
    finish();
    while (!(await reader?.read())?.done);
    const [line] = await written(1);
    expect(line?.writes).toEqual([
      { at: expect.any(Number), text: expect.stringContaining('"created":"$unix"') },
      { at: expect.any(Number), text: 'data: [DONE]\n\n' },
    ]);
    expect(line?.ended).toBe('complete');
  });

  test('a client that leaves is seen to leave on the other side', async () => {
    const left = new Promise<void>((resolve) => {
      void deployment((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: 1\n\n');
        response.on('close', resolve);
      }).then(async (url) => {
        const base = await recording(url);
        const leave = new AbortController();
        const answer = await fetch(`${base}/interns`, { signal: leave.signal });
        await answer.body?.getReader().read();
        leave.abort();
      });
    });
    await left;
    expect((await written(1))[0]?.ended).toBe('client');
  });

  test('a deployment that breaks off is passed on as broken, and recorded so', async () => {
    const base = await recording(
      await deployment((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: 1\n\n');
        setImmediate(() => response.destroy());
      }),
    );
    await expect(fetch(`${base}/interns`).then((answer) => answer.text())).rejects.toThrow();
    expect((await written(1))[0]?.ended).toBe('broken');
  });

  test('one that breaks off before it answers too', async () => {
    const base = await recording(await deployment((request) => void request.socket.destroy()));
    const post = fetch(`${base}/interns`, { method: 'POST', body: '{"name":"x"}' });
    await expect(post).rejects.toThrow('fetch failed');
    expect((await written(1))[0]).toMatchObject({ status: null, ended: 'broken', request: { body: { name: 'x' } } });
  });

  test('an expectation, a refusal on the way and trailers', async () => {
    const base = await recording(
      await deployment((request, response) => {
        if (request.url?.endsWith('/big')) {
          response.writeHead(413, { 'content-type': 'application/json', connection: 'close' });
          return void response.end('{"error":{"code":413}}');
        }
        response.writeHead(200, {
          'content-type': 'text/plain',
          trailer: 'x-end',
          'x-encoding': `${request.headers['accept-encoding']}`,
        });
        response.addTrailers({ 'x-end': 'yes' });
        request.pipe(response);
      }),
    );
    const url = new URL(base);
    const answer = await new Promise<{ text: string; trailers: object; encoding: unknown; continued: boolean }>(
      (resolve, reject) => {
        let continued = false;
        const request = httpRequest(`${base}/echo`, {
          method: 'POST',
          headers: { expect: '100-continue', 'accept-encoding': 'gzip' },
        });
        request.on('continue', () => {
          continued = true;
          request.end('hello');
        });
        request.on('response', (response) => {
          let text = '';
          response.on('data', (bytes) => {
            text += bytes;
          });
          response.on('end', () =>
            resolve({ text, trailers: response.trailers, encoding: response.headers['x-encoding'], continued }),
          );
        });
        request.on('error', reject);
        request.flushHeaders();
      },
    );
    expect(answer).toEqual({ text: 'hello', trailers: { 'x-end': 'yes' }, encoding: 'gzip', continued: true });
    const raw = await new Promise<string>((resolve) => {
      const socket = connect(Number(url.port), url.hostname);
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes;
        if (text.includes('413}')) socket.destroy();
      });
      socket.on('close', () => resolve(text));
      socket.write(`POST ${url.pathname}/big HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\nabc`);
    });
    expect(raw).toContain('HTTP/1.1 413');
  });
});

describe('bad input', () => {
  test('a deployment that is down is one clear answer, and no line', async () => {
    const url = await deployment(() => {});
    await closeDeployment();
    const base = await recording(url);
    const answer = await fetch(`${base}/interns`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      error: { code: 502, message: expect.stringContaining('ECONNREFUSED') },
    });
    expect(logged()).toMatchObject([{ event: 'unreachable' }]);
    expect(lines()).toEqual([]);
  });

  test('a file that is there is left alone without force', async () => {
    const url = await deployment((_request, response) => answerJson(response, {}));
    await recording(url);
    await close();
    await expect(recording(url)).rejects.toThrow('recording.jsonl exists already. Use --force');
    await recording(url, { force: true });
  });

  test('scenarios go to files of their own; an invalid name is refused', async () => {
    const base = await recording(
      await deployment((request, response) =>
        answerJson(response, { seen: request.headers['x-emulator-recording'] ?? null }),
      ),
    );
    const named = (name: string) => fetch(`${base}/interns`, { headers: { 'x-emulator-recording': name } });
    expect(await (await named('login')).json()).toEqual({ seen: null });
    expect((await written(1, join(folder(), 'login.jsonl')))[0]?.scenario).toBe('login');
    expect((await named('../x')).status).toBe(409);
    expect(lines()).toEqual([]);
  });
});

test('the same traffic twice gives files that differ in their times alone', async () => {
  const sequence = async () => {
    let id = 0;
    const base = await recording(
      await deployment((request, response) => {
        request.resume();
        const made = `${(Math.floor(performance.now() * 1e6) + id++).toString(16).padStart(8, '0').slice(-8)}-0000-4000-8000-000000000000`;
        request.on('end', () =>
          answerJson(response, request.method === 'POST' ? intern(made) : { data: [intern(made)] }),
        );
      }),
      { force: true },
    );
    const made = (await (
      await fetch(`${base}/interns`, {
        method: 'POST',
        body: '{}',
        headers: { 'idempotency-key': `k-${id}${performance.now()}` },
      })
    ).json()) as { id: string };
    await fetch(`${base}/interns/${made.id}`);
    await fetch(`${base}/interns?workspace_id=0a000000-0000-4000-8000-000000000001`);
    await written(3);
    await close();
    await closeDeployment();
    return readFileSync(out(), 'utf8').replaceAll(/"at":\d+/g, '"at":0');
  };
  expect(await sequence()).toBe(await sequence());
});
