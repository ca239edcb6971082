import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { bind } from '../../emulator/contract/bind.js';
import { closing } from '../../test/closing.js';
import { type Served, serve } from '../../test/targets/hostile.js';
import { kindOf } from '../probe/wait.js';
import { environmentFetch } from './network.js';

const target = async () =>
  closing(
    await serve(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const { host, authorization } = request.headers;
      const { 'content-length': length } = request.headers;
      response.end(JSON.stringify({ method: request.method, url: request.url, host, authorization, length, body }));
    }),
  );

/** A proxy that forwards and tunnels to one target, whatever name is requested. `asked` lists those names. */
async function proxy(to: Served): Promise<Served & { readonly asked: string[] }> {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(to.origin);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const [method = '', address = ''] = head.toString().split(' ');
      asked.push(method === 'CONNECT' ? address : new URL(address).host);
      const onward = connect(Number(port), hostname, () => {
        if (method === 'CONNECT') socket.write('HTTP/1.1 200 OK\r\n\r\n');
        else onward.write(head);
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('close', () => onward.destroy());
      sockets.push(socket);
    });
  });
  const origin = `http://127.0.0.1:${await bind(server)}`;
  return closing({
    origin,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
}

const post = (url: string, headers: Record<string, string> = {}) => {
  const request = new Request(url, { method: 'POST', body: '{}', headers: { authorization: 'Bearer k', ...headers } });
  return request;
};
const json = async (answer: Response | Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;

test.each(['HTTP_PROXY', 'http_proxy'])(
  '%s is used for a target, and the request arrives as it was sent',
  async (name) => {
    const through = await proxy(await target());
    const fetch = environmentFetch({ [name]: through.origin });
    const seen = await json(fetch(post('http://interns.test/api/v1/interns')));
    expect(seen).toMatchObject({
      method: 'POST',
      host: 'interns.test',
      authorization: 'Bearer k',
      length: '2',
      body: '{}',
    });
    expect(through.asked).toEqual([expect.stringMatching(/^interns\.test(:80)?$/)]);
  },
);

test('a request under the Host of its own URL goes through it as well', async () => {
  const through = await proxy(await target());
  const request = post('http://eu.interns.test/api/v1/interns');
  request.headers.set('host', 'eu.interns.test');
  expect(await json(environmentFetch({ HTTP_PROXY: through.origin })(request))).toMatchObject({
    host: 'eu.interns.test',
  });
  expect(through.asked).toHaveLength(1);
});

test('HTTPS_PROXY is asked for a tunnel', async () => {
  const through = await proxy(await target());
  const fetch = environmentFetch({ HTTPS_PROXY: through.origin });
  // The target does not speak TLS: only the destination of the connection counts.
  await expect(fetch(post('https://interns.test/api/v1/interns'))).rejects.toThrow();
  expect(through.asked[0]).toBe('interns.test:443');
});

test('loopback is reached without it, unless NO_PROXY says <-loopback>', async () => {
  const to = await target();
  const through = await proxy(to);
  const { host } = new URL(to.origin);
  await json(environmentFetch({ HTTP_PROXY: through.origin })(post(to.origin)));
  expect(through.asked).toEqual([]);
  await json(environmentFetch({ HTTP_PROXY: through.origin, NO_PROXY: '<-loopback>' })(post(to.origin)));
  expect(through.asked).toEqual([host]);
});

test('NO_PROXY keeps what it names away from the proxy', async () => {
  const through = await proxy(await target());
  const fetch = environmentFetch({ HTTP_PROXY: through.origin, NO_PROXY: '.invalid' });
  await expect(fetch(post('http://interns.invalid/'))).rejects.toThrow();
  expect(through.asked).toEqual([]);
  await json(fetch(post('http://interns.test/')));
  expect(through.asked).toHaveLength(1);
});

test('an invalid address is named without what it says', () => {
  expect(() => environmentFetch({ HTTPS_PROXY: 'me:secret@proxy' })).toThrow(
    /^HTTPS_PROXY is no address of a proxy, such as [^@]+$/,
  );
});

test('without a variable nothing is between', async () => {
  const to = await target();
  expect(await json(environmentFetch({ NO_PROXY: '*' })(post(to.origin)))).toMatchObject({ method: 'POST' });
});

test.each([
  [502, /^the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\) answers CONNECT with 502$/],
  [407, /answers CONNECT with 407; it wants a user and a password in HTTPS_PROXY$/],
])('a proxy that answers CONNECT with %i is named, without its password', async (status, says) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`));
  });
  closing(server);
  const through = environmentFetch({ HTTPS_PROXY: `http://user:pa55word@127.0.0.1:${await bind(server)}` });
  const error = await Promise.resolve(through(new Request('https://service.test/x'))).catch(
    (caught: unknown) => caught,
  );
  const { kind, detail } = kindOf(error);
  expect(kind).toBe('proxy');
  expect(detail).toMatch(says);
  expect(detail).not.toContain('pa55word');
});

test('a proxy that nobody serves is named, and a target that nobody serves is not called one', async () => {
  const nobody = await serve(() => {});
  await nobody.close();
  const failure = async (env: Record<string, string>, url: string) =>
    kindOf(await Promise.resolve(environmentFetch(env)(new Request(url))).catch((caught: unknown) => caught));
  expect(await failure({ HTTP_PROXY: nobody.origin }, 'http://service.test/x')).toMatchObject({
    kind: 'proxy',
    detail: expect.stringMatching(/^the proxy http:\S+ \(HTTP_PROXY\) cannot be reached: connect ECONNREFUSED/),
  });
  const past = { HTTP_PROXY: 'http://proxy.test:3128', NO_PROXY: '127.0.0.1' };
  expect(await failure(past, `${nobody.origin}/x`)).toMatchObject({ kind: 'refused' });
});
