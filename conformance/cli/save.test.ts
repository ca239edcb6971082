import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleResults } from '../testing/sample-results.js';
import { saveFindings, script } from './save.js';

const exchange = (method: string, path: string, answer: string, body?: string) => ({
  number: 1,
  at: 0,
  request: {
    method,
    url: `http://recorded.test/api/v1${path}`,
    headers: { authorization: 'Bearer [api_key]' },
    ...(body === undefined ? {} : { body }),
  },
  response: { at: 1, status: 200, headers: {}, pieces: [{ at: 1, text: answer }] },
});

test('a saved script sends the requests again, with the ids of its own answers', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end('{"id":"live-id-1234"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'intern-save-'));
  try {
    const results = sampleResults();
    const [check] = results.checks.filter(({ id }) => id === 'chat/fails');
    if (check?.finding === undefined) throw new Error('the sample has no such check');
    const transcript = [
      exchange('POST', '/interns', '{"id":"recorded-id-1"}', '{"name":"kabcd-1"}'),
      exchange('GET', '/interns/recorded-id-1', '{"id":"recorded-id-1"}'),
    ];
    const target = { ...results.target, url: 'http://recorded.test/api/v1' };
    const text = script({ ...check, finding: { ...check.finding, transcript } }, { ...results, target });
    const file = join(folder, 'again.mjs');
    writeFileSync(file, text);
    const { port } = server.address() as AddressInfo;
    const { spawn } = await import('node:child_process');
    const env = { ...process.env, INTERN_BASE_URL: `http://127.0.0.1:${port}/api/v1`, INTERN_API_KEY: 'key' };
    const child = spawn(process.execPath, [file], { env });
    await new Promise((resolve) => child.on('exit', resolve));
    expect(seen).toEqual(['POST /api/v1/interns Bearer key', 'GET /api/v1/interns/live-id-1234 Bearer key']);
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('one file per finding, which hostile text cannot break', () => {
  const folder = mkdtempSync(join(tmpdir(), 'intern-save-'));
  try {
    saveFindings(folder, sampleResults());
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['chat-fails.mjs', 'chat-known.mjs', 'chat-warns.mjs']);
    for (const file of files) execFileSync(process.execPath, ['--check', join(folder, file)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
