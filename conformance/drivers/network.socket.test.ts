import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { serve } from '../../test/targets/hostile.js';
import { requestOf } from '../probe/request.js';
import { networkFetch } from './network.js';

test.each(['DELETE', 'POST', 'GET'])('a %s under another Host brings its body and its length', async (method) => {
  const { origin } = closing(
    await serve(async (request, response) => {
      const { host, 'content-length': length } = request.headers;
      response.end(JSON.stringify({ host, length, body: await text(request) }));
    }),
  );
  const body = method === 'GET' ? undefined : '{"acknowledge_workspace_loss":true}';
  const request = new Request(`${origin}/x`, { method, ...(body === undefined ? {} : { body }) });
  request.headers.set('host', 'eu.example.test');
  const seen = (await (await networkFetch(request)).json()) as Record<string, unknown>;
  expect(seen).toEqual(
    body === undefined
      ? { host: 'eu.example.test', body: '' }
      : { host: 'eu.example.test', length: String(body.length), body },
  );
});

test('an answer in more codings than are read is no answer, and its connection ends nothing else', async () => {
  const unhandled: unknown[] = [];
  const seen = (error: unknown) => unhandled.push(error);
  process.on('uncaughtException', seen);
  onTestFinished(() => void process.off('uncaughtException', seen));
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const { origin } = closing(
    await serve(({ socket }, response) => {
      socket.on('close', close);
      response.writeHead(200, { 'content-encoding': Array(6).fill('gzip').join(', ') });
      response.write('x');
      setImmediate(() => response.destroy());
    }),
  );
  await expect(networkFetch(new Request(`${origin}/x`))).rejects.toThrow(TypeError);
  await closed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test('a body of pieces is sent piece by piece, and one that is whole with its length', async () => {
  const lengths: unknown[] = [];
  const { origin } = closing(
    await serve((request, response) => {
      lengths.push(request.headers['content-length']);
      // Answers what it has read first: the rest comes when that was heard.
      request.once('data', (part: Buffer) => response.end(part.toString()));
    }),
  );
  const bytes = (text: string) => new TextEncoder().encode(text);
  const send = (body: string | Uint8Array[]) =>
    networkFetch(requestOf({ url: `${origin}/x`, method: 'POST', headers: new Headers(), body }));
  let release = () => {};
  const rest = new Promise<Uint8Array>((resolve) => {
    release = () => resolve(bytes('rest'));
  });
  const answer = await send([bytes('first'), rest as unknown as Uint8Array]);
  expect(await answer.text()).toBe('first');
  release();
  expect(await (await send('whole')).text()).toBe('whole');
  expect(lengths).toEqual([undefined, '5']);
});
