import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { HOSTILE, type Hostility, serve, serveHttp10 } from '../../test/targets/hostile.js';
import { newEmulator } from '../drivers/emulator.js';
import { readResults } from '../report/json.js';
import { called } from './called.harness.js';

const KEY = 'sk-secret-of-the-hostile-test';
/** A server that answers does so within this on a busy machine too. */
const BUSY = '30s';

async function evaluate(
  url: string,
  more: { key?: string; workspace?: string; only?: string[]; timeout?: string } = {},
) {
  const folder = folderOfTest('intern-hostile-');
  const said: string[] = [];
  const file = join(folder, 'results.json');
  const { exit } = await called(
    [
      url,
      ...['--no-control', '--api-key', more.key ?? KEY, '--workspace-id', more.workspace ?? 'w', '--rate', '0'],
      ...['--timeout', more.timeout ?? BUSY, '--runs', '1', '--report', 'tty', '--report', `json=${file}`],
      ...(more.only ?? ['update/nu*', 'create/*', 'get/*']).flatMap((id) => ['--only', id]),
      ...['--ledger-dir', join(folder, 'ledgers'), '--save', join(folder, 'saved')],
    ],
    { out: (text) => void said.push(text), err: (text) => void said.push(text) },
  );
  const text = said.join('');
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name), 'utf8')).not.toContain(more.key ?? KEY);
  }
  expect(text).not.toContain(more.key ?? KEY);
  return { exit, text, results: readResults(readFileSync(file, 'utf8'), file) };
}

/** An origin that nobody should be sent to. */
async function elsewhere() {
  const requests: string[] = [];
  const served = closing(
    await serve((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.end('{}');
    }),
  );
  return { requests, origin: served.origin };
}

const VERDICTS: readonly [keyof typeof HOSTILE, RegExp][] = [
  ['sends 100 MB', /cannot be reached: too long: a body of more than \d+ bytes/],
  ['sends without end', /cannot be reached: too long/],
  ['begins a body and never ends it', /cannot be reached: timeout/],
  ['redirects elsewhere', /redirects GET \/interns to http:\/\/127/],
  ['closes at once', /cannot be reached: dropped/],
];

describe('a hostile target', () => {
  test.each(VERDICTS)('that %s gets one verdict, and no credential leaves for another origin', async (name, reason) => {
    const other = await elsewhere();
    const { origin } = closing(
      await serve((request, response) => (HOSTILE[name] as Hostility)(request, response, other.origin)),
    );
    const timeout = reason.source.endsWith('timeout') ? '1s' : BUSY;
    const { exit, text, results } = await evaluate(`${origin}/api/v1`, { timeout });
    expect(text).toMatch(reason);
    expect(exit).toBe(3);
    expect(results.counts).toMatchObject({ pass: 0, fail: 0, warn: 0, error: 0 });
    expect(other.requests).toEqual([]);
  });

  // How much a target sends changes the reason alone.
  test.each(['begins a body and never ends it', 'redirects elsewhere', 'closes at once'] as const)(
    'that lists well and otherwise %s: one finding, the rest blocked',
    async (name) => {
      const other = await elsewhere();
      const { origin } = closing(
        await serve((request, response) => {
          if (request.method === 'GET' && /\/interns(\?|$)/.test(request.url ?? '')) {
            response.setHeader('content-type', 'application/json').end('{"data":[],"has_more":false}');
          } else (HOSTILE[name] as Hostility)(request, response, other.origin);
        }),
      );
      const timeout = name === 'begins a body and never ends it' ? '2s' : BUSY;
      const { exit, results } = await evaluate(`${origin}/api/v1`, {
        only: ['create/attached-vault', 'get/no-known-secrets', 'update/n*', 'chat-stream/as-it-is-said'],
        timeout,
      });
      expect([1, 3]).toContain(exit);
      expect(results.counts.pass).toBe(0);
      expect(results.counts.error).toBe(0);
      expect(results.counts.fail + results.counts.warn).toBe(1);
      expect(other.requests).toEqual([]);
    },
  );
});

test('HTTP/1.0 is held against nobody', async () => {
  const emulator = closing(await newEmulator({ clock: 'real', settings: { turns_per_minute: 0 } }));
  const { origin } = closing(await serveHttp10((request) => emulator.fetch(request)));
  const { api_key: key } = emulator.target.credentials;
  const { exit, text, results } = await evaluate(`${origin}/api/v1`, {
    key,
    workspace: emulator.target.workspace_id,
    only: ['create/reads-back', 'update/null-clears', 'chat-stream/as-it-is-said'],
  });
  expect(text).toMatch(/conforms|nothing wrong found/);
  expect(exit).toBe(0);
  expect(results.counts.pass).toBeGreaterThan(0);
  expect(results.cleanup.failed).toEqual([]);
});
