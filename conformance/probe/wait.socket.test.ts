import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { kindOf } from './wait.js';

const failed = (cause: Record<string, unknown>) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(String(cause.message)), cause) });

test('a server that speaks no TLS is reported in one line, and not as a certificate', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const error = await fetch(`https://127.0.0.1:${(server.address() as AddressInfo).port}`).catch((thrown) => thrown);
  expect(kindOf(error)).toMatchObject({ kind: 'tls', detail: expect.stringMatching(/; is it http:\/\/ there\?$/) });
  expect(kindOf(error).detail).not.toMatch(/\n|CA_CERTS/);
});

test('a certificate for another name is not to be mended by an authority', () => {
  const error = failed({ code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'Host: a. is not in the altnames' });
  expect(kindOf(error)).toEqual({ kind: 'certificate', detail: 'Host: a. is not in the altnames' });
  expect(kindOf(failed({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed' })).detail).toContain('CA_CERTS');
});

test('a port that fetch never calls is named so', async () => {
  const error = await fetch('http://127.0.0.1:1').catch((thrown) => thrown);
  expect(kindOf(error)).toEqual({ kind: 'port', detail: 'fetch calls no such port; choose another' });
});

test('what has several lines is reported in one', () => {
  expect(kindOf(failed({ code: 'ERR_ELSE', message: 'one\n  two\n' }))).toEqual({ kind: 'other', detail: 'one two' });
});
