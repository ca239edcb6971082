import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request as plain } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { EmulatorOptions } from '../index.js';
import { listening } from '../testing/listening.harness.js';

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

async function start(options: EmulatorOptions = {}) {
  const { emulator, at } = await listening({ clock: 'virtual', ...options }, { tls: true });
  const ca = readFileSync(at.caFile ?? '', 'utf8');
  const authorization = `Bearer ${emulator.target.credentials.api_key}`;
  const ask = (url: string, given: RequestOptions = {}, body = '') =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(url, { ca, agent: false, ...given }, async (response) =>
        resolve({ status: response.statusCode, text: await text(response) }),
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return { emulator, at, ask, authorization, target: emulator.target };
}

test('interface, streams, daemons, control interface, console, login and spaces are served under one authority', async () => {
  const { at, ask, authorization, target } = await start();
  const headers = { authorization };
  expect(Object.values(at).filter((value) => value !== at.caFile && !value.startsWith('https://'))).toEqual([]);
  expect([target.ca_file, target.base_url]).toEqual([at.caFile, at.baseUrl]);
  expect(await ask(`${at.baseUrl}/interns`, { headers })).toMatchObject({ status: 200 });
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] });
  const chat = `${at.baseUrl}/interns/${target.credentials.intern?.id}/chat/completions`;
  const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  expect(await ask(chat, sent, body)).toMatchObject({ status: 200, text: expect.stringContaining('data: [DONE]') });
  expect(await ask(`${at.daemonOrigin}/api/auth/status`)).toMatchObject({ status: expect.any(Number) });
  expect(await ask(`${at.controlUrl}/`, { headers: { accept: 'text/html' } })).toMatchObject({
    status: 200,
    text: expect.stringContaining('<title>'),
  });
  const { text } = await ask(`${at.url}/oidc/.well-known/openid-configuration`);
  expect(JSON.parse(text)).toMatchObject({ issuer: `${at.url}/oidc`, token_endpoint: `${at.url}/oidc/token` });
  const space = JSON.parse((await ask(`${at.controlUrl}/spaces`, { method: 'POST' })).text);
  expect(space.base_url.startsWith(`${at.url}/spaces/`)).toBe(true);
  expect(await ask(`${space.base_url}/interns`, { headers })).toMatchObject({ status: 200 });
});

test.each(['refused', 'reset', 'lost'] as const)(
  '%s closes a connection, and the emulator goes on',
  async (disturb) => {
    const { at, ask, authorization } = await start({ chaos: [{ operation: 'list', disturb, times: 1 }] });
    const list = () => ask(`${at.baseUrl}/interns`, { headers: { authorization } });
    await expect(list()).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await list()).toMatchObject({ status: 200 });
  },
);

test('a page of this origin may use the control interface, and the same host without TLS may not', async () => {
  const { at, ask } = await start();
  const reset = (origin: string) => ask(`${at.controlUrl}/reset`, { method: 'POST', headers: { origin } });
  expect(await reset(at.url)).toMatchObject({ status: 200 });
  expect(await reset(at.url.replace('https', 'http'))).toMatchObject({ status: 403 });
});

test('the certificate is for this machine and the hosts that are served, and the authority is of this start alone', async () => {
  const { emulator, at, ask } = await start({ allowHosts: ['interns.test'] });
  expect(await ask(`${at.controlUrl}/health`, { servername: 'interns.test' })).toMatchObject({ status: 200 });
  await expect(ask(`${at.controlUrl}/health`, { servername: 'other.test', host: 'localhost' })).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
  const first = new X509Certificate(readFileSync(at.caFile ?? ''));
  await emulator.close();
  expect(existsSync(dirname(at.caFile ?? ''))).toBe(false);
  const second = await start();
  expect(new X509Certificate(readFileSync(second.at.caFile ?? '')).publicKey.equals(first.publicKey)).toBe(false);
  expect(readFileSync(second.at.caFile ?? '', 'utf8')).not.toContain('PRIVATE KEY');
});

test('a client that connects and says nothing does not keep it from closing', async () => {
  const { emulator, at } = await start();
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const gone = once(socket, 'close');
  await emulator.close();
  expect(await gone).toEqual([false]);
});

test('who does not trust the authority, or speaks HTTP, gets no answer, and the log says what to do', async () => {
  const logged: Record<string, unknown>[] = [];
  const { at, ask } = await start({ log: (record) => logged.push(record) });
  await expect(ask(`${at.baseUrl}/interns`, { ca: undefined })).rejects.toMatchObject({
    code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
  const failed = await new Promise((resolve) => {
    plain(at.baseUrl.replace('https', 'http')).on('error', resolve).end();
  });
  expect(failed).toBeInstanceOf(Error);
  await expect.poll(() => logged).toContainEqual(expect.objectContaining({ event: 'tls_failed' }));
  expect(logged.map(({ message }) => message).join()).toMatch(/spoke HTTP where this emulator serves HTTPS/);
});
