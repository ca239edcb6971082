import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { connect, createServer as createProxy } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bind } from '../../emulator/contract/bind.js';
import { createAuthority } from '../../emulator/signing/authority.js';
import { commandOf } from '../../test/built.js';
import { folderOfFile } from '../../test/folders.js';
import { newEmulator } from '../drivers/emulator.js';
import { systemHost } from '../probe/time.js';
import { readResults } from '../report/json.js';

const NAME = 'interns.test';
const folder = folderOfFile('intern-tls-');
const ca = join(folder, 'ca.pem');
const open: { destroy(): unknown }[] = [];
/** The requests to the proxy. */
const asked: string[] = [];
let emulator: Awaited<ReturnType<typeof newEmulator>>;
let target: Server;
let proxy: ReturnType<typeof createProxy>;
let proxyPort: number;

beforeAll(async () => {
  emulator = await newEmulator({ clock: 'real', settings: { turns_per_minute: 0 } });
  const authority = createAuthority(systemHost.now(), [NAME]);
  const { key } = authority;
  writeFileSync(ca, authority.ca);
  // With its authority: who does not trust that says so.
  const cert = authority.cert + authority.ca;
  // The emulator knows itself under a loopback name alone; the certificate is for another.
  target = createServer(
    { key, cert },
    getRequestListener(
      (request) => {
        const url = new URL(request.url);
        url.host = new URL(emulator.target.base_url).host;
        url.protocol = 'http:';
        const headers = new Headers(request.headers);
        headers.set('host', url.host);
        const { method, signal, body } = request;
        const sent = body === null ? {} : { body, duplex: 'half' as const };
        return emulator.fetch(new Request(url, { method, headers, signal, ...sent }));
      },
      { overrideGlobalObjects: false },
    ),
  );
  const port = await bind(target);
  proxy = createProxy((socket) => {
    open.push(socket.on('error', () => {}));
    socket.once('data', (head) => {
      asked.push(head.toString().split('\r\n')[0] ?? '');
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      open.push(onward.on('error', () => socket.destroy()));
    });
  });
  proxyPort = await bind(proxy);
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  target.closeAllConnections();
  proxy.close();
  target.close();
  await emulator.close();
});

/** The command in a process of its own, against the TLS target behind the proxy. */
async function evaluate(environment: Record<string, string>) {
  const file = join(folder, 'results.json');
  const { api_key: key } = emulator.target.credentials;
  const child = spawn(
    process.execPath,
    [
      ...[commandOf('intern-conformance'), `https://${NAME}/api/v1`, '--no-control', '--rate', '0'],
      ...['--only', 'create/reads-back', '--only', 'chat-requests/unknown-fields', '--only', 'bodies/cap-in-bytes'],
      ...['--report', 'tty', '--report', `json=${file}`, '--ledger-dir', join(folder, 'ledgers')],
    ],
    {
      env: {
        PATH: process.env.PATH,
        INTERN_API_KEY: key,
        INTERN_WORKSPACE_ID: emulator.target.workspace_id,
        HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
        ...environment,
      },
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said += text;
    });
  }
  const exit = await new Promise((resolve) => child.on('exit', resolve));
  return { exit, said, results: readResults(readFileSync(file, 'utf8'), file) };
}

test('a target with a certificate of its own is judged through a proxy', async () => {
  asked.length = 0;
  const { exit, said, results } = await evaluate({ NODE_EXTRA_CA_CERTS: ca });
  expect(said).toMatch(/conforms|nothing wrong found/);
  expect(exit).toBe(0);
  expect(results.counts).toMatchObject({ fail: 0, warn: 0, error: 0 });
  // The connection may close before a body over the cap has left, and the refusal is lost with it.
  const notPassed = results.checks.filter(({ verdict }) => verdict !== 'pass');
  expect(notPassed.filter(({ skip }) => skip?.because.kind !== 'upload-cut')).toEqual([]);
  expect(notPassed.length).toBeLessThan(2);
  expect(results.cleanup.failed).toEqual([]);
  // Every byte of it went through the tunnel.
  expect(new Set(asked)).toEqual(new Set([`CONNECT ${NAME}:443 HTTP/1.1`]));
});

test('without it the one line says what to set', async () => {
  const { exit, said, results } = await evaluate({});
  expect(exit).toBe(3);
  expect(said).toMatch(
    /cannot be reached: certificate: self-signed certificate in certificate chain; .* set NODE_EXTRA_CA_CERTS to its PEM/,
  );
  expect(results.counts).toMatchObject({ pass: 0, fail: 0, warn: 0, error: 0 });
  expect(results.requests).toBe(1);
});
