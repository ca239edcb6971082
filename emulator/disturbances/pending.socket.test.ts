import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EmulatorOptions } from '../index.js';
import { listening } from '../testing/listening.harness.js';

type Faults = Extract<EmulatorOptions['chaos'], readonly unknown[]>;

/** Disturbances that the requests here do not meet, or that leave them as they are. */
const PENDING: Record<string, Faults> = {
  none: [],
  another: [{ operation: 'create', disturb: 'lost' }],
  met: [
    { operation: 'chat', disturb: 'cut', write: 'content:99' },
    { operation: 'daemon-request', disturb: 'unknown-fields', times: 'always' },
  ],
};

async function start(chaos: Faults) {
  const log: unknown[] = [];
  const scripts: EmulatorOptions['scripts'] = [
    {
      name: 'hesitates',
      async *turn(_, { clock }) {
        await clock.sleep(3_600_000);
        yield { say: 'hello' };
      },
    },
  ];
  const { emulator } = await listening({
    clock: 'virtual',
    chaos,
    scripts,
    log: (record) => 'level' in record && log.push(record),
    disturbances: async () => ({ 'unknown-fields': (next) => (request) => next(request.clone()) }),
  });
  const { credentials, base_url } = emulator.target;
  const path = `/api/v1/interns/${credentials.intern?.id}`;
  const oauth = { authorization: `Bearer ${credentials.oauth_token}`, 'content-type': 'application/json' };
  const data = async <T>(call: string) =>
    ((await (await emulator.fetch(`/_emulator/${call}`)).json()) as { data: T[] }).data;
  /** A connection, and what came over it. */
  const open = (origin: string, sent: string | Buffer) => {
    const { port } = new URL(origin);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const heard = { socket, text: '', over: false };
    socket.on('data', (bytes) => {
      heard.text += bytes.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      heard.over = true;
    });
    socket.on('end', () => {
      heard.over = true;
    });
    socket.write(sent);
    return heard;
  };
  const head = (method: string, rest: string, ...more: string[]) =>
    [
      `${method} ${path}${rest} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${credentials.api_key}`,
      ...more,
      '\r\n',
    ].join('\r\n');
  return {
    emulator,
    log,
    base_url,
    open,
    head,
    runs: () => data<{ status: string; ended?: string }>('runs'),
    entries: async () =>
      (await data<{ operation: string | null; wrong: string | null; response: { status: number | null } }>('journal'))
        .filter(({ operation, wrong, response }) => operation !== null && wrong !== null && response.status !== 401)
        .map(({ operation, wrong, response: { status } }) => [operation, status ?? wrong].join(' ')),
    chat(prompt: string) {
      const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: prompt }] });
      return `${head('POST', '/chat/completions', `Content-Length: ${body.length}`)}${body}`;
    },
    /** A request to the daemon, with a proof over some bytes. */
    async proven(method: string, digested: string, sent: string, ...framing: string[]) {
      const access = (await (await emulator.fetch(`${path}/daemon`, { headers: oauth })).json()) as Record<
        'origin' | 'token',
        string
      >;
      const bodySha256 = createHash('sha256').update(digested).digest('hex');
      const signed = await emulator.fetch(`${path}/daemon/sign`, {
        method: 'POST',
        headers: oauth,
        body: JSON.stringify({ bodySha256, ...(method === 'POST' && { route: { method, path: '/a/../b' } }) }),
      });
      const proof = Object.entries((await signed.json()) as Record<string, string>);
      const lines = [
        `${method} /a/../b?c HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        `Authorization: Bearer ${access.token}`,
        ...proof.map(([name, value]) => `${name}: ${value}`),
        ...framing,
        '\r\n',
      ];
      return { origin: access.origin, sent: lines.join('\r\n') + sent };
    },
  };
}

const whole = async (heard: { over: boolean; text: string }) => {
  await expect.poll(() => heard.over).toBe(true);
  return heard.text;
};
const statusOf = (text: string) => Number(text.split(' ')[1]);

describe.each(Object.entries(PENDING))('disturbances pending: %s', (_, chaos) => {
  test('TRACE is an unknown method of the interface, and one like others of a daemon', async () => {
    const { open, base_url, head, proven, log } = await start(chaos);
    const answer = await whole(open(base_url, head('TRACE', '', 'Connection: close')));
    expect([statusOf(answer), /^allow: (.*)\r$/im.exec(answer)?.[1]]).toEqual([
      405,
      'GET, PATCH, DELETE, HEAD, OPTIONS',
    ]);
    const traced = await proven('TRACE', '', '');
    expect(statusOf(await whole(open(traced.origin, traced.sent)))).toBe(200);
    expect(log).toEqual([]);
  });

  test.each([
    ['GET', 'declared'],
    ['GET', 'chunked'],
    ['HEAD', 'declared'],
    ['TRACE', 'declared'],
    ['TRACE', 'chunked'],
    ['POST', 'chunked'],
  ])('a daemon digests the body of a %s, %s', async (method, framing) => {
    const { open, proven } = await start(chaos);
    const body = 'some';
    const [header, bytes] =
      framing === 'declared'
        ? [`Content-Length: ${body.length}`, body]
        : ['Transfer-Encoding: chunked', `${body.length}\r\n${body}\r\n0\r\n\r\n`];
    const statusWhen = async (digested: string) => {
      const { origin, sent } = await proven(method, digested, bytes, header);
      const said = await whole(open(origin, sent));
      return statusOf(said);
    };
    expect([await statusWhen(''), await statusWhen(body)]).toEqual([401, 200]);
  });

  test('a refusal of the caller waits for no body', async () => {
    const { open, base_url, head } = await start(chaos);
    const half = head('PATCH', '', 'Content-Type: application/json', 'Content-Length: 100');
    const heard = open(base_url, `${half.replace(/Authorization: .*/, 'Authorization: Bearer none')}{"name":`);
    await expect.poll(() => statusOf(heard.text)).toBe(401);
  });

  const left = (socket: Socket) => socket.destroy();
  const misframed = (socket: Socket) => socket.write('no length of a chunk\r\n');
  test.each([
    ['breaks off', 'Content-Length: 100', '{"name":', left],
    ['breaks off between chunks', 'Transfer-Encoding: chunked', '3\r\n{"n\r\n', left],
    ['has a malformed chunk', 'Transfer-Encoding: chunked', '3\r\n{"n\r\n', misframed],
  ])('a body that %s is refused, and no error of the emulator', async (_what, framing, begun, breaks) => {
    const { open, base_url, head, proven, log, entries } = await start(chaos);
    const json = 'Content-Type: application/json';
    for (const { origin, sent } of [
      { origin: base_url, sent: head('PATCH', '', json, framing) + begun },
      { origin: base_url, sent: head('POST', '/provision', json, framing) + begun },
      await proven('GET', 'some', begun, framing),
      await proven('POST', 'some', begun, framing),
    ]) {
      const heard = open(origin, sent);
      // A request of another connection: what came before it has been read.
      await fetch(`${origin}/nothing`).then((answer) => answer.text());
      breaks(heard.socket);
      await whole(heard);
    }
    await expect.poll(entries).toEqual(['update 400', 'provision 400', 'daemon-request 400', 'daemon-request 400']);
    expect(log).toEqual([]);
  });

  test.each(['half', 'all'])('a client that closes %s of its connection has left its stream', async (how) => {
    const { open, base_url, chat, runs, log } = await start(chaos);
    const heard = open(base_url, chat('script: never-ends'));
    await expect.poll(() => heard.text).toContain('Still at it.');
    if (how === 'half') heard.socket.end();
    else heard.socket.destroy();
    await expect.poll(async () => (await runs()).map(({ ended }) => ended)).toEqual(['cancelled']);
    await whole(heard);
    expect(log).toEqual([]);
  });

  test.each(['half', 'all'])('a client that closes %s of it before the stream opens has left, too', async (how) => {
    const { open, base_url, chat, runs } = await start(chaos);
    const heard = open(base_url, chat('script: hesitates'));
    await expect.poll(async () => (await runs()).length).toBe(1);
    if (how === 'half') heard.socket.end();
    else heard.socket.destroy();
    await expect.poll(async () => (await runs()).map(({ ended }) => ended)).toEqual(['cancelled']);
    await whole(heard);
  });

  test('a stream that a fault drops is no error of the emulator', async () => {
    const { open, base_url, chat, log } = await start([...chaos, { operation: 'chat', disconnect: 'mid-event' }]);
    expect(await whole(open(base_url, chat('hello')))).not.toContain('[DONE]');
    expect(log).toEqual([]);
  });

  test('a delayed request whose client leaves is over', async () => {
    const { open, base_url, head, entries } = await start([...chaos, { operation: 'get', delay: 60_000 }]);
    const heard = open(base_url, head('GET', ''));
    await fetch(`${base_url}/nothing`).then((answer) => answer.text());
    heard.socket.resetAndDestroy();
    await expect.poll(entries).toEqual(['get the client left']);
  });
});
