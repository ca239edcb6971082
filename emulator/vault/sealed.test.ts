import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../index.js';
import { clientOf } from '../testing/client.harness.js';

const VALUE = 'sk-live-0123456789-a value with "quotes" & ünïcode';
const HOSTS = ['api.example.com'];
let folder: string;
let data: string;
beforeEach(() => {
  folder = folderOfTest('vault-');
  data = join(folder, 'interns.json');
});

const start = (options: EmulatorOptions = {}) => closing(createEmulator({ data, clock: 'virtual', ...options }));
const call = (emulator: Emulator, method: string, path: string, body?: unknown) => {
  const { management_key, api_key } = emulator.target.credentials;
  return clientOf(emulator).call(method, path, { body, as: path.startsWith('/scim') ? management_key : api_key });
};
const store = async (emulator: Emulator, path: string, value = VALUE) =>
  (await call(emulator, 'PUT', path, { value, hosts: HOSTS })).json.data;
const everything = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

test('VAULT-9: values are sealed in store, log and snapshots, under a key of mode 600 made with the first secret', async () => {
  const first = start();
  expect(existsSync(`${data}.vault-key`)).toBe(false);
  const secret = await store(first, '/vault/secrets/token');
  await call(first, 'PUT', '/_emulator/snapshots/kept');
  const inLog = everything();
  const key = readFileSync(`${data}.vault-key`, 'utf8');
  expect(statSync(`${data}.vault-key`).mode & 0o777).toBe(0o600);
  await first.close();
  for (const text of [inLog, everything()])
    for (const spelled of [VALUE.slice(0, 12), Buffer.from(VALUE).toString('hex').slice(8, 30), 'c2stbGl2ZS']) {
      expect(text).not.toContain(spelled);
    }
  expect(inLog).toContain(secret.fingerprint);

  // VAULT-4: the vault still has its key, and sealed values open.
  const second = start();
  expect((await store(second, '/vault/secrets/again')).fingerprint).toBe(secret.fingerprint);
  const copied = await call(second, 'POST', `/vault/interns/${second.target.credentials.intern?.id}/secrets/copy`, {
    names: ['token'],
  });
  expect(copied.json.data[0].fingerprint).not.toBe(secret.fingerprint);
  expect(readFileSync(`${data}.vault-key`, 'utf8')).toBe(key);
  await call(second, 'POST', '/_emulator/snapshots/kept/restore');
  expect((await call(second, 'GET', '/vault/secrets')).json.data).toContainEqual(secret);
});

test('a store whose vault key is lost or another is not opened, and nothing of it is changed', async () => {
  const first = start();
  await store(first, '/vault/secrets/token');
  await first.close();
  const key = `${data}.vault-key`;
  const before = readFileSync(data);
  const right = readFileSync(key);
  const put = 'restore the file that was beside the store';
  for (const [text, wrong] of [
    [undefined, `it is missing, and the store holds 1 secret sealed with it; ${put}`],
    ['0'.repeat(64), `it does not open 1 secret of the store; ${put}`],
    ['junk', 'expected 64 lower-case hex digits'],
  ] as const) {
    rmSync(key, { force: true });
    if (text !== undefined) writeFileSync(key, text, { mode: 0o600 });
    expect(() => start()).toThrow(`vault key ${key}: ${wrong}`);
    expect(readFileSync(data)).toEqual(before);
    expect(existsSync(`${data}.lock`)).toBe(false);
  }
  writeFileSync(key, right, { mode: 0o600 });
  expect((await call(start(), 'GET', '/vault/secrets')).json.data).toHaveLength(2);
});

test('a state goes back into the emulator that exported it, and into another only without sealed rows', async () => {
  const one = start({ seed: 'one' });
  const clean = (await call(one, 'GET', '/_emulator/state?credentials=1')).json;
  const secret = await store(one, '/vault/secrets/token');
  const state = (await call(one, 'GET', '/_emulator/state')).json;
  await call(one, 'DELETE', '/vault/secrets/token');
  expect((await call(one, 'PUT', '/_emulator/state', state)).status).toBe(200);
  expect((await call(one, 'GET', '/vault/secrets')).json.data).toContainEqual(secret);

  const other = closing(createEmulator({ clock: 'virtual', seed: 'other' }));
  expect((await call(other, 'PUT', '/_emulator/state', clean)).status).toBe(200);
  const refused = await call(other, 'PUT', '/_emulator/state', state);
  expect([refused.status, refused.json.error.message]).toEqual([
    400,
    'secrets[1].sealed: the key of this emulator does not open it: secrets go no further than their store',
  ]);
  // Nor can a sealed value be given to another row, with other hosts.
  const [legacy, sealed] = state.secrets;
  const moved = { ...sealed, name: 'other', id: `${sealed.vault}\nother` };
  expect((await call(one, 'PUT', '/_emulator/state', { ...state, secrets: [legacy, moved] })).status).toBe(400);
  for (const wrong of [{ hosts: null }, { fingerprint: null }, { sealed: null }, { hosts: ['A.b'] }, { id: 'x' }])
    expect((await call(one, 'PUT', '/_emulator/state', { ...state, secrets: [{ ...sealed, ...wrong }] })).status).toBe(
      400,
    );
});

test('a store that the version before wrote is migrated: nothing is lost, and the directory of the seed is there', async () => {
  copyFileSync(join(import.meta.dirname, '../testing/store-version-2.json'), data);
  const old = JSON.parse(readFileSync(data, 'utf8'));
  expect(old.version).toBe(2);
  const migrated = start();
  const state = (await call(migrated, 'GET', '/_emulator/state?credentials=1')).json;
  expect(state).toMatchObject({ version: 4, interns: old.interns, sessions: old.sessions, scripts: old.scripts });
  expect((await call(migrated, 'GET', '/scim/group-mappings')).json.total_count).toBe(2);
  expect((await call(migrated, 'GET', '/vault/secrets')).json.data).toMatchObject([
    { name: 'legacy_token', hosts: null },
  ]);
  const ada = old.interns[1].id;
  expect((await store(migrated, `/vault/interns/${ada}/secrets/token`)).name).toBe('token');
  const mapping = migrated.target.scim_mapping_id;
  await call(migrated, 'DELETE', `/scim/group-mappings/${mapping}?keep_members=true`);
  await call(migrated, 'DELETE', '/vault/secrets/legacy_token');
  await migrated.close();

  // A deleted one stays deleted: the seed counts once.
  const again = start();
  expect((await call(again, 'GET', '/scim/group-mappings')).json.total_count).toBe(1);
  expect((await call(again, 'GET', '/vault/secrets')).json.data).toEqual([]);
  expect((await call(again, 'GET', `/vault/interns/${ada}/secrets`)).json.data).toHaveLength(1);
  // An earlier export, too.
  const { secrets: _, scim_mappings: __, scim_jobs: ___, ...rest } = state;
  const meta = rest.meta.filter(({ id }: { id: string }) => id !== 'directory');
  expect((await call(again, 'PUT', '/_emulator/state', { ...rest, meta, version: 2 })).status).toBe(200);
  expect((await call(again, 'GET', '/scim/group-mappings')).json.total_count).toBe(2);
});

test('the secrets of a seed file are there, sealed; a deleted intern takes its vault along', async () => {
  const { default: seed } = await import('../../fixtures/seeds/default.json', { with: { type: 'json' } });
  const intern = seed.interns[0]?.id;
  const emulator = start({
    seedFile: {
      ...(seed as object as Exclude<EmulatorOptions['seedFile'], string | undefined>),
      secrets: [{ intern_id: intern, name: 'seeded', value: VALUE, hosts: ['A.test.'] }],
    },
  });
  const path = `/vault/interns/${intern}/secrets`;
  const [seeded] = (await call(emulator, 'GET', path)).json.data;
  expect(seeded).toMatchObject({ name: 'seeded', hosts: ['a.test'] });
  expect((await store(emulator, `${path}/same`)).fingerprint).toBe(seeded.fingerprint);
  await call(emulator, 'DELETE', `/interns/${intern}`);
  await emulator.clock.advance(1_000);
  expect((await call(emulator, 'GET', '/_emulator/state')).json.secrets).toEqual([]);
  await call(emulator, 'POST', '/_emulator/reset');
  expect((await call(emulator, 'GET', path)).json.data).toEqual([
    { ...seeded, created_at: '2026-01-01T00:00:01.000Z' },
  ]);
  expect(everything()).not.toContain(VALUE.slice(0, 12));
});
