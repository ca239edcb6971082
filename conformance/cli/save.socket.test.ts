import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newEmulator, startEmulator } from '../drivers/emulator.js';
import { equal } from '../framework/assert.js';
import { systemHost } from '../framework/time.js';
import { run } from '../run/runner.js';
import { check } from '../testing/fake-target.js';
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

test('a scenario brings an emulator to the state before, and a script shows the finding there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'intern-save-'));
  const { driver, close } = await startEmulator({ host: systemHost, tag: 'abcd' });
  const emulator = await newEmulator({ clock: 'virtual' });
  const { baseUrl } = await emulator.listen({ port: 0 });
  const go = async (file: string) => {
    const { INTERN_API_KEY: _, ...env } = process.env;
    const child = spawn(process.execPath, [join(folder, file)], { env: { ...env, INTERN_BASE_URL: baseUrl } });
    let out = '';
    child.stdout.on('data', (text) => {
      out += text;
    });
    child.stderr.on('data', (text) => {
      out += text;
    });
    const exit = await new Promise((resolve) => child.on('close', resolve));
    expect(out).not.toContain('Error');
    expect(exit).toBe(0);
    return out;
  };
  const ask = async (path: string) => (await emulator.fetch(path)).json() as Promise<{ now: string; data: unknown[] }>;
  try {
    const results = await run({
      driver,
      host: systemHost,
      checks: [
        check(
          'state/shows',
          async ({ api, interns, control, clock }) => {
            const intern = await interns.running();
            await control.useScript(intern.id, await control.script({ turn: [{ say: 'from the script' }] }));
            await control.limit(7);
            await clock.advance(61_000);
            await control.fault({ operation: 'get', status: 500 });
            const answer = await api.get(intern.id);
            equal(answer.status, 200, 'status');
          },
          { needs: ['running', 'control', 'clock'] },
        ),
      ],
    });
    saveFindings(folder, results);
    expect(readdirSync(folder).sort()).toEqual(['state-shows.before.mjs', 'state-shows.mjs']);

    const began = await ask('/_emulator/clock');
    const out = await go('state-shows.before.mjs');
    expect(out).toMatch(/Next:\ncurl -i -N -X GET 'http/);
    const { now } = await ask('/_emulator/clock');
    expect(Date.parse(now) - Date.parse(began.now)).toBeGreaterThanOrEqual(61_000);
    expect(await ask('/_emulator/limits')).toMatchObject({ turns_per_minute: 7 });
    const { data } = await ask('/_emulator/faults');
    expect(data).toMatchObject([{ operation: 'get', status: 500 }]);
    const id = /interns\/([^/']+)'/.exec(out)?.[1];
    expect(await ask(`/_emulator/interns/${id}`)).toMatchObject({
      script: 'kit-abcd-1',
      intern: { status: 'running' },
    });

    await emulator.reset();
    expect(await go('state-shows.mjs')).toMatch(/GET .* -> 500\n/);
  } finally {
    await close();
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
