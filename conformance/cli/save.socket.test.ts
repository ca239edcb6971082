import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { check } from '../../test/targets/fake-target.js';
import { serve } from '../../test/targets/hostile.js';
import { sampleResults } from '../../test/targets/sample-results.js';
import { newEmulator, startEmulator } from '../drivers/emulator.js';
import { equal } from '../model/assert.js';
import { systemHost } from '../probe/time.js';
import { runChecks as run } from '../run/runner.js';
import { called } from './called.harness.js';
import { saveFindings, script } from './save.js';

/** Runs a script of Node in a process of its own. Gives its status and what it printed. */
async function runScript(file: string, variables: Record<string, string>) {
  const { INTERN_API_KEY: _, ...env } = process.env;
  const child = spawn(process.execPath, [file], { env: { ...env, ...variables } });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      out += text;
    });
  const exit = await new Promise((resolve) => child.on('close', resolve));
  return { exit, out };
}

const failing = (transcript: readonly object[]) => {
  const [check] = sampleResults().checks.filter(({ id }) => id === 'chat/fails');
  if (check?.finding === undefined) throw new Error('the sample has no such check');
  return { ...check, finding: { ...check.finding, transcript } } as Parameters<typeof script>[0];
};

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
  const { origin } = closing(
    await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.end('{"id":"live-id-1234"}');
    }),
  );
  const results = sampleResults();
  const transcript = [
    exchange('POST', '/interns', '{"id":"recorded-id-1"}', '{"name":"kabcd-1"}'),
    exchange('GET', '/interns/recorded-id-1', '{"id":"recorded-id-1"}'),
  ];
  const file = join(folderOfTest('intern-save-'), 'again.mjs');
  const target = { ...results.target, url: 'http://recorded.test/api/v1' };
  writeFileSync(file, script(failing(transcript), { ...results, target }));
  await runScript(file, { INTERN_BASE_URL: `${origin}/api/v1`, INTERN_API_KEY: 'key' });
  expect(seen).toEqual(['POST /api/v1/interns Bearer key', 'GET /api/v1/interns/live-id-1234 Bearer key']);
});

test.each<[string, (name: string) => object, string[]]>([
  ['its own', (name) => ({ id: 'live-id-1', name }), ['GET', 'PATCH', 'GET', 'DELETE']],
  ['under another name', () => ({ id: 'victim-1', name: 'theirs' }), ['GET', 'GET']],
  ['that was there before', (name) => ({ id: 'victim-1', name }), ['GET', 'GET']],
  ['with an id that leads elsewhere', (name) => ({ id: 'x/../victim-1', name }), []],
])(
  'a saved script for a deployment writes to an intern that a create answers %s, or does not',
  async (_, made, rest) => {
    const seen: string[] = [];
    let name = '';
    const { origin } = closing(
      await serve(async (request, response) => {
        const id = decodeURIComponent(request.url?.split('/')[4] ?? '');
        seen.push(String(request.method));
        const body = await text(request);
        if (request.method === 'POST') ({ name } = JSON.parse(body) as { name: string });
        const record = request.method === 'POST' || id === 'live-id-1' ? made(name) : { id, name: 'theirs' };
        const list = { data: [{ id: 'victim-1', name: 'theirs' }], has_more: false };
        response.end(JSON.stringify(id === '' && request.method === 'GET' ? list : record));
      }),
    );
    const transcript = [
      exchange('GET', '/interns', '{"data":[]}'),
      exchange('POST', '/interns', '{"id":"recorded-id-1","name":"kabcd-1"}', '{"name":"kabcd-1"}'),
      exchange('PATCH', '/interns/recorded-id-1', '{}', '{"description":"changed"}'),
      exchange('DELETE', '/interns/recorded-id-1', '{}'),
    ];
    const file = join(folderOfTest('intern-save-'), 'again.mjs');
    writeFileSync(file, script(failing(transcript), sampleResults()));
    const { out } = await runScript(file, { INTERN_BASE_URL: `${origin}/api/v1`, INTERN_API_KEY: 'key' });
    expect(seen.slice(0, 2)).toEqual(['GET', 'POST']);
    expect(seen.slice(2)).toEqual(rest);
    expect(out.match(/-> left out: it would write to/g)?.length ?? 0).toBe(rest.includes('PATCH') ? 0 : 2);
  },
);

test('one file per finding, which hostile text cannot break', () => {
  const folder = folderOfTest('intern-save-');
  saveFindings(folder, sampleResults());
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(['chat-fails.mjs', 'chat-known.mjs', 'chat-warns.mjs']);
  for (const file of files) execFileSync(process.execPath, ['--check', join(folder, file)]);
});

test('a scenario brings an emulator to the state before, and a script shows the finding there', async () => {
  const folder = folderOfTest('intern-save-');
  const { driver } = closing(await startEmulator({ host: systemHost, tag: 'abcd' }));
  const emulator = closing(await newEmulator({ clock: 'virtual' }));
  const { baseUrl } = await emulator.listen({ port: 0 });
  const go = async (file: string) => {
    const { exit, out } = await runScript(join(folder, file), { INTERN_BASE_URL: baseUrl });
    expect(out).not.toContain('Error');
    expect(exit).toBe(0);
    return out;
  };
  const ask = async (path: string) => (await emulator.fetch(path)).json() as Promise<{ now: string; data: unknown[] }>;
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
  expect(out).toMatch(/Next:\ncurl -i -N http/);
  const { now } = await ask('/_emulator/clock');
  expect(Date.parse(now) - Date.parse(began.now)).toBeGreaterThanOrEqual(61_000);
  expect(await ask('/_emulator/limits')).toMatchObject({ turns_per_minute: 7 });
  const { data } = await ask('/_emulator/faults');
  expect(data).toMatchObject([{ operation: 'get', status: 500 }]);
  const id = /interns\/([^/\s]+)/.exec(out)?.[1];
  expect(await ask(`/_emulator/interns/${id}`)).toMatchObject({
    script: 'kit-abcd-1',
    intern: { status: 'running' },
  });

  await emulator.reset();
  expect(await go('state-shows.mjs')).toMatch(/GET .* -> 500\n/);
});

test('a link in the place of a folder of the kit is refused, and nothing is written where it leads', async () => {
  const folder = folderOfTest('intern-save-');
  const emulator = closing(await newEmulator());
  const { baseUrl } = await emulator.listen({ port: 0 });
  const link = join(folder, 'link');
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync('elsewhere', link);
  const { credentials } = emulator.target;
  for (const [flag, ...more] of [['--save'], ['--ledger-dir', baseUrl, '--api-key', credentials.api_key]] as const) {
    const { exit, err } = await called(['--only', 'create/status-201', flag, link, ...more]);
    expect([exit, err]).toEqual([2, expect.stringContaining(`${flag} ${link} cannot be written: it is a link`)]);
  }
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
});
