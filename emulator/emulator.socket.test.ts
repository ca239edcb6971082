import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closing } from '../test/closing.js';
import { folderOfTest } from '../test/folders.js';
import { createEmulator } from './emulator.js';
import { createTestClient } from './testing/client.harness.js';
import { listening } from './testing/listening.harness.js';
import { plainGet } from './testing/plain-get.harness.js';

test('the same seed and requests give the same bytes', async () => {
  const story = async (seed: string) => {
    const api = createTestClient({ seed });
    const made = await api.create({ name: 'same', provision: true });
    await api.advance(2_000);
    const replies = [
      await api.get('/interns'),
      await api.post(
        `/interns/${made.id}/daemon/sign`,
        { bodySha256: '0'.repeat(64), route: { method: 'POST', path: '/x' } },
        { as: api.credentials.oauth_token },
      ),
      await api.chat('hello', {}, undefined, made.id),
      await api.post('/interns', {}),
    ];
    return JSON.stringify(replies.map(({ status, headers, text }) => [status, [...headers], text]));
  };
  const first = await story('s');
  expect(await story('s')).toBe(first);
  expect(await story('t')).not.toBe(first);
});

test('serves on sockets, daemons on the next port, and releases both', async () => {
  const { emulator, at } = await listening();
  expect(emulator.target.base_url).toBe(at.baseUrl);
  const reply = await fetch(`${at.baseUrl}/interns`, {
    headers: { authorization: `Bearer ${emulator.target.credentials.api_key}` },
  });
  expect(reply.status).toBe(200);
  expect((await fetch(`${at.daemonOrigin}/api/invoke`, { method: 'POST' })).status).toBe(401);
  await emulator.close();
  await expect(fetch(at.baseUrl)).rejects.toThrow();
  await expect(fetch(at.daemonOrigin)).rejects.toThrow();
});

test('does not open its control interface to the network without a token', async () => {
  const emulator = closing(createEmulator());
  await expect(emulator.listen({ host: '0.0.0.0', port: 0 })).rejects.toThrow('control token');
});

test.each([
  ['127.0.0.1', 403],
  ['0.0.0.0', 200],
])(
  'a control token makes up for a host that is no loopback name only where others can reach it: %s',
  async (host, status) => {
    const { emulator } = await listening({ controlToken: 'let-me-in-please' }, { host });
    const health = (headers: Record<string, string>) => emulator.fetch('/_emulator/clock', { headers });
    const authorization = 'Bearer let-me-in-please';
    expect((await health({ authorization, host: 'emulator.test' })).status).toBe(status);
    expect((await health({ host: 'emulator.test' })).status).toBe(403);
    expect((await health({ authorization, host: 'localhost' })).status).toBe(200);
  },
);

test('keeps its state in a file: interns, keys, boots and teardowns that were going on', async () => {
  const data = join(folderOfTest(), 'interns.json');
  const first = createTestClient({ data });
  const booting = await first.create({ name: 'booting', provision: true });
  const leaving = await first.create({ name: 'leaving' });
  await first.delete(`/interns/${leaving.id}`);
  const key = (await first.get(`/_emulator/interns/${booting.id}`)).json.api_key;
  await first.emulator.close();
  expect(JSON.parse(await readFile(data, 'utf8')).interns).toHaveLength(3);

  const second = createTestClient({ data });
  expect((await second.get(`/interns/${booting.id}`, { as: key })).json.status).toBe('provisioning');
  await second.advance(2_000);
  expect((await second.get(`/interns/${booting.id}`)).json.status).toBe('running');
  expect((await second.get(`/interns/${leaving.id}`)).status).toBe(404);
  const made = await second.create({ name: 'third' });
  expect([booting.id, leaving.id]).not.toContain(made.id);
  await second.emulator.close();
});

test('options that cannot be used are named', async () => {
  expect(() => createEmulator({ profile: 'no/such.json' })).toThrow('no/such.json');
  const untyped = createEmulator as (options: object | null) => unknown;
  for (const [options, message] of [
    [{ clok: 'virtual' }, 'unknown option clok (did you mean clock?)'],
    [{ clock: 'slow' }, 'clock: expected "real", "virtual" or "auto"; found "slow"'],
    [{ scripts: ['deploy.json'] }, /^scripts: expected an array of scripts, .* \(files are scriptFiles\); found/],
    [{ scripts: [{ name: 'a', turn: 5 }] }, 'scripts: expected an array of scripts'],
    [{ replay: ['a.jsonl'] }, 'replay: expected {files: [path, …]'],
    [{ spaceIdle: '5m' }, 'spaceIdle: expected a whole number from 0; found "5m"'],
    [{ controlToken: 5 }, /found number$/],
    [{ data: '' }, 'data: expected a path; found ""'],
    [null, 'options: expected an object; found null'],
    [[], 'options: expected an object; found []'],
  ] as const)
    expect(() => untyped(options)).toThrow(message);
  expect(() => createEmulator({ settings: { keepalive: 0 } })).toThrow('keepalive');
  for (const host of ['.eu', '', 'eu.test:80']) {
    expect(() => createEmulator({ regionalHosts: ['us.', host] })).toThrow(
      `regional host "${host}": expected the name`,
    );
  }
  expect(() => createEmulator({ settings: { interaction_deadline: 1e15 } })).toThrow('interaction_deadline');
  expect(() => createEmulator({ seedFile: 'package.json' })).toThrow('package.json');
  const listen = createEmulator().listen as (request: object) => Promise<unknown>;
  await expect(listen({ prot: 0 })).rejects.toThrow('listen: unknown option prot (did you mean port?)');
  await expect(listen({ port: '0' })).rejects.toThrow('listen: port: expected a whole number from 0; found "0"');
});

test('a seed may write its UUIDs in upper case, as some tools print them', async () => {
  const seed = JSON.parse(readFileSync('fixtures/seeds/default.json', 'utf8'), (_key, value) =>
    typeof value === 'string' && /^[0-9a-f]{8}-/.test(value) ? value.toUpperCase() : value,
  );
  const emulator = createEmulator({ clock: 'virtual', seedFile: seed });
  const { base_url, credentials, workspace_id } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
  const listed = await emulator.fetch(`${base_url}/interns?workspace_id=${workspace_id}`, { headers });
  const { data } = (await listed.json()) as { data: { id: string }[] };
  expect((await emulator.fetch(`${base_url}/interns/${data[0]?.id}`, { headers })).status).toBe(200);
  const body = JSON.stringify({ name: 'ada', workspace_id });
  expect((await emulator.fetch(`${base_url}/interns`, { method: 'POST', headers, body })).status).toBe(201);
  await emulator.close();
});

test('a seed that says one thing twice, or a credential that no header can carry, is refused with its place', () => {
  const seed = JSON.parse(readFileSync('fixtures/seeds/default.json', 'utf8'));
  const [member] = seed.members;
  const [intern] = seed.interns;
  const more = { ...intern, id: '0b000000-0000-4000-8000-0000000000ff', api_key: 'another-key' };
  const open = (change: object) => () => createEmulator({ seedFile: { ...seed, ...change } });
  expect(open({ interns: [intern, { ...more, id: intern.id }] })).toThrow('seed: interns[1].id: this id is used twice');
  expect(open({ interns: [intern, more] })).toThrow('interns[1].name: this name of one creator is used twice');
  expect(open({ interns: [intern, { ...more, name: 'other' }] })).toThrow('interns[1].vault_id: this vault');
  expect(open({ members: [{ ...member, api_key: 'a key of alice' }] })).toThrow(
    'members[0].api_key: expected at least 8',
  );
});

test('a seeded intern that failed says why, and no other does', async () => {
  const seed = JSON.parse(readFileSync('fixtures/seeds/default.json', 'utf8'));
  const [intern] = seed.interns;
  const why = { last_failure_message: 'workspace_archive_failed: the archive is full' };
  const seedFile = (status: string) => ({ ...seed, interns: [{ ...intern, ...why, status }] });
  const emulator = createEmulator({ clock: 'virtual', seedFile: seedFile('destroy_failed') });
  const { base_url, credentials } = emulator.target;
  const headers = { authorization: `Bearer ${credentials.api_key}` };
  const read = await emulator.fetch(`${base_url}/interns/${intern.id}`, { headers });
  expect(await read.json()).toMatchObject({ status: 'destroy_failed', ...why });
  await emulator.close();
  expect(() => createEmulator({ seedFile: seedFile('running') })).toThrow(
    'interns[0].last_failure_message: expected none for status running',
  );
});

describe('WEB-3: what the target says of itself', () => {
  /** A request with a Host of our choice. */
  const status = (url: string, host: string, authorization = '') => plainGet(url, { host, authorization });

  test.each(['https://emulator.test/api/v1', 'https://emulator.test', 'https://emulator.test/'])(
    'is the public URL, %s, whose host is served on the interface alone',
    async (publicUrl) => {
      const { emulator, at } = await listening({ publicUrl, publicDaemonUrl: 'https://daemons.test:8443' });
      expect(emulator.target.base_url).toBe('https://emulator.test/api/v1');
      expect(emulator.target.daemon_origin).toBe('https://daemons.test:8443');
      expect(emulator.target.control_url).toBe(`${at.url}/_emulator`);
      const authorization = `Bearer ${emulator.target.credentials.api_key}`;
      expect(await status(`${at.url}/api/v1/interns`, 'emulator.test', authorization)).toBe(200);
      expect(await status(`${at.url}/api/v1/interns`, 'other.test', authorization)).toBe(421);
      expect(await status(`${at.url}/_emulator/target`, 'emulator.test')).toBe(403);
      expect(await status(`${at.url}/_emulator/health`, 'emulator.test')).toBe(200);
      expect(await status(`${at.url}/_emulator/health`, 'any.test')).toBe(200);
      expect(await status(`${at.url}/_emulator/health`, '999.999.999.999')).toBe(400);
      expect((await emulator.fetch('/_emulator/target')).status).toBe(200);
    },
  );

  test('with a path before it', async () => {
    const { emulator } = await listening({ publicUrl: 'http://proxy.test:8080/interns/' });
    const { base_url, credentials } = emulator.target;
    expect(base_url).toBe('http://proxy.test:8080/interns/api/v1');
    const as = (key?: string) => ({ headers: { authorization: `Bearer ${key}` } });
    const daemon = `/interns/${credentials.intern?.id}/daemon`;
    const alias = await emulator.fetch(`/api/v1${daemon}-access`, as(credentials.oauth_token));
    expect(alias.headers.get('link')).toContain(`</interns/api/v1${daemon}>`);
    const sync = { method: 'POST', ...as(credentials.management_key) };
    const job = await emulator.fetch('/api/v1/scim/sync-jobs', sync);
    expect(job.headers.get('location')).toMatch(/^\/interns\/api\/v1\/scim\/sync-jobs\//);
  });

  test('the public host leads to no control interface beyond loopback either, token or not', async () => {
    const options = { publicUrl: 'http://emulator.test', controlToken: 'let-me-in-please' };
    const { url } = (await listening(options, { host: '0.0.0.0' })).at;
    const token = 'Bearer let-me-in-please';
    expect(await status(`${url}/_emulator/target`, 'emulator.test', token)).toBe(403);
    expect(await status(`${url}/_emulator/target`, 'localhost', token)).toBe(200);
  });

  test.each([
    { publicUrl: 'emulator.test' },
    { publicUrl: 'ftp://emulator.test' },
    { publicUrl: 'https://emulator.test/?a=b' },
    { publicDaemonUrl: 'https://daemons.test/path' },
  ])('%j is refused', (options) => {
    expect(() => createEmulator(options)).toThrow(/^public (daemon )?URL: expected/);
  });
});

test('HEAD answers with the headers of GET and without its body', async () => {
  const emulator = closing(createEmulator({ clock: 'virtual' }));
  const { baseUrl } = await emulator.listen({ port: 0 });
  const headers = { authorization: `Bearer ${emulator.target.credentials.api_key}` };
  for (const path of ['/interns', '/interns/none']) {
    const ask = (method: string) => fetch(baseUrl + path, { method, headers });
    const [get, head] = [await ask('GET'), await ask('HEAD')];
    expect([head.status, await head.text()]).toEqual([get.status, '']);
    expect(head.headers.get('content-length')).toBe(`${(await get.text()).length}`);
  }
});
