import { createHash } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it } from 'vitest';
import type { Emulator } from '../index.js';
import { listening } from '../testing/listening.harness.js';

let emulator: Emulator;
let origin: string;
let token: string;
beforeEach(async () => {
  ({ emulator } = await listening());
  const access = await oauth('daemon');
  ({ origin, token } = (await access.json()) as { origin: string; token: string });
});

const oauth = (path: string, body?: unknown) => {
  const { credentials, base_url } = emulator.target;
  return fetch(`${base_url}/interns/${credentials.intern?.id}/${path}`, {
    headers: { authorization: `Bearer ${credentials.oauth_token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
};
const proveV1 = async (body: Buffer) => {
  const proof = await oauth('daemon/sign', { bodySha256: createHash('sha256').update(body).digest('hex') });
  return { authorization: `Bearer ${token}`, ...((await proof.json()) as Record<string, string>) };
};
const prove = async (body: Buffer, path: string) => {
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const proof = await oauth('daemon/sign', { bodySha256, route: { method: 'POST', path } });
  return { authorization: `Bearer ${token}`, ...((await proof.json()) as Record<string, string>) };
};

type DaemonAnswer = {
  status: number | undefined;
  json: { verified?: Record<string, string>; error?: { metadata: { reason: string } } };
};
/** Sends to the daemon without any URL parser in between. */
const send = (
  path: string,
  headers: Record<string, string | string[]>,
  write: (out: ClientRequest) => void,
  method = 'POST',
) =>
  new Promise<DaemonAnswer>((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const out = request({ hostname, port, path, method, headers }, async (response: IncomingMessage) => {
      const said = await text(response);
      resolve({ status: response.statusCode, json: said === '' ? {} : JSON.parse(said) });
    });
    out.on('error', reject);
    write(out);
  });

it('the path is judged as it was received, the query left out', async () => {
  const body = Buffer.from('{}');
  const path = '/a/../b/%7e/./c;d=1';
  const headers = await prove(body, path);
  const answer = await send(`${path}?q=1`, headers, (out) => out.end(body));
  expect(answer).toMatchObject({ status: 200, json: { verified: { version: 'v2', path } } });
});

it('a chunked body is digested as its bytes, up to the cap', async () => {
  const body = Buffer.alloc(1_048_576, 7);
  const headers = await prove(body, '/x');
  const answer = await send('/x', headers, (out) => {
    for (let at = 0; at < body.length; at += 100_000) out.write(body.subarray(at, at + 100_000));
    out.end();
  });
  expect(answer.status).toBe(200);
});

it.each([
  ['declared', { 'content-length': '1048577' }],
  ['chunked', { 'transfer-encoding': 'chunked' }],
])('a body over the cap, %s, is a 413, and the proof stays unused', async (_, framing) => {
  const body = Buffer.from('small');
  const headers = await prove(body, '/x');
  const large = await send('/x', { ...headers, ...framing }, (out) => out.end(Buffer.alloc(1_048_577)));
  expect(large.status).toBe(413);
  expect((await send('/x', headers, (out) => out.end(body))).status).toBe(200);
});

it.each([
  ['GET', 'declared'],
  ['GET', 'chunked'],
  ['HEAD', 'declared'],
  ['DELETE', 'chunked'],
])('a %s with a body, %s, is digested like any other', async (method, framing) => {
  const body = Buffer.from('{"not":"nothing"}');
  const sent = (digested: Buffer, length = body.length) =>
    proveV1(digested).then((headers) =>
      send(
        '/x',
        {
          ...headers,
          ...(framing === 'declared' ? { 'content-length': `${length}` } : { 'transfer-encoding': 'chunked' }),
        },
        (out) => out.end(Buffer.concat([body, Buffer.alloc(length - body.length)])),
        method,
      ),
    );
  expect((await sent(Buffer.alloc(0))).status).toBe(401);
  expect((await sent(body)).status).toBe(200);
  expect((await sent(body, 1_048_577)).status).toBe(413);
});

it('a header sent twice is malformed', async () => {
  const headers = await prove(Buffer.alloc(0), '/x');
  for (const name of Object.keys(headers).filter((header) => header.startsWith('x-'))) {
    const value = headers[name as keyof typeof headers];
    const answer = await send('/x', { ...headers, [name]: [value, value] }, (out) => out.end());
    expect(answer.json.error?.metadata.reason, name).toBe('proof_malformed');
  }
  expect((await send('/x', headers, (out) => out.end())).status).toBe(200);
});

it('of racing replays exactly one is accepted', async () => {
  const body = Buffer.alloc(50_000, 1);
  const headers = await prove(body, '/x');
  const answers = await Promise.all(Array.from({ length: 12 }, () => send('/x', headers, (out) => out.end(body))));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => answer.json.error?.metadata.reason === 'nonce_reused')).toHaveLength(11);
});

it('BASE-6: every answer carries a request id, the caller’s where that is one', async () => {
  const body = Buffer.from('{}');
  const accepted = await prove(body, '/x');
  const idOf = async (headers: Record<string, string>, path = '/x') => {
    const response = await fetch(origin + path, { method: 'POST', headers, body });
    return [response.status, response.headers.get('x-request-id')];
  };
  const [first, second] = [await idOf({}), await idOf(accepted)];
  expect([first[0], second[0]]).toEqual([401, 200]);
  expect(first[1]).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  expect(second[1]).not.toBe(first[1]);
  expect(await idOf({ 'x-request-id': 'mine' })).toEqual([401, 'mine']);
  expect((await idOf({ 'x-request-id': 'not one' }))[1]).not.toBe('not one');
});
