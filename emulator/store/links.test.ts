import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { replaceFile } from '../contract/replace-file.js';
import { createEmulator, type Emulator } from '../index.js';
import { createTestClient } from '../testing/client.harness.js';

let folder: string;
let data: string;
let elsewhere: string;
beforeEach(() => {
  folder = folderOfTest('links-');
  mkdirSync(join(folder, 'repository'));
  data = join(folder, 'repository', 'interns.json');
  elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, 'mine\n', { mode: 0o644 });
});

/** Closed when the test is over, which fails where its store was changed by others. */
const opened = (emulator: Emulator): Emulator => {
  onTestFinished(() => emulator.close().catch(() => {}));
  return emulator;
};
const start = () => opened(createEmulator({ data }));
const client = () => {
  const api = createTestClient({ data, seed: undefined } as never);
  opened(api.emulator);
  return api;
};
const create = ({ post, workspaceId }: ReturnType<typeof client>, name: string) =>
  post('/interns', { name, workspace_id: workspaceId });
const SECRET = { value: 'a-value-of-32-characters-0123456', hosts: ['api.example.com'] };

describe('links that come with a repository', () => {
  test.each(['.tmp', '.key.tmp', '.vault-key.tmp', '.snapshots/one.json', '.snapshots/one.json.tmp'])(
    'at NAME%s are not followed, and what they lead to stays',
    async (end) => {
      mkdirSync(`${data}.snapshots`);
      symlinkSync(elsewhere, data + end);
      const api = client();
      expect((await api.put('/vault/secrets/planted', SECRET)).status).toBe(200);
      await api.put('/_emulator/snapshots/one', {});
      await api.emulator.close();
      expect(readFileSync(elsewhere, 'utf8')).toBe('mine\n');
      for (const name of ['interns.json', 'interns.json.key', 'interns.json.vault-key'])
        expect([name, statSync(join(folder, 'repository', name)).mode & 0o777]).toEqual([name, 0o600]);
    },
  );

  test.each(['.key', '.vault-key', '.log'])('at NAME%s are refused, and what they lead to stays', async (end) => {
    await start().close();
    rmSync(data + end, { force: true });
    symlinkSync(elsewhere, data + end);
    const begin = async () => {
      const api = client();
      const { status } = await api.put('/vault/secrets/planted', SECRET);
      if (status >= 500) throw new Error('refused: a link');
    };
    await expect(begin()).rejects.toThrow(/link|not a file/);
    expect(readFileSync(elsewhere, 'utf8')).toBe('mine\n');
  });

  test('at the folder of snapshots are refused', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    const unfinished = `one.json.${'0'.repeat(12)}.tmp`;
    writeFileSync(join(other, unfinished), 'not ours');
    symlinkSync(other, `${data}.snapshots`);
    const api = client();
    expect((await api.put('/_emulator/snapshots/one', {})).status).toBe(500);
    expect(readdirSync(other)).toEqual([unfinished]);
  });

  test('at the folder of snapshots, to a file, keep nothing from starting', async () => {
    writeFileSync(join(folder, 'file'), 'mine');
    symlinkSync(join(folder, 'file'), `${data}.snapshots`);
    expect((await client().get('/_emulator/health')).status).toBe(200);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine');
  });
});

test('a file of ours gets the mode that it shall have, whatever was left where it is made', () => {
  const file = join(folder, 'key');
  writeFileSync(`${file}.tmp`, 'left', { mode: 0o666 });
  replaceFile(file, 0o600, (fd) => writeFileSync(fd, 'secret'));
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['secret', 0o600]);
  expect(() =>
    replaceFile(file, 0o600, () => {
      throw new Error('not this one');
    }),
  ).toThrow('not this one');
  expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'key', 'key.tmp', 'repository']);
});

test('a key that others may read is refused in one line', async () => {
  await start().close();
  chmodSync(`${data}.key`, 0o644);
  expect(() => start()).toThrow(/^.*interns\.json\.key: others may use the signing key: its mode is 644; chmod 600 it/);
  chmodSync(`${data}.key`, 0o600);
  await start().close();
});

describe('while an emulator has its store open', () => {
  test('a file that takes its place is not written over, and no change is acknowledged any more', async () => {
    const api = client();
    expect((await create(api, 'first')).status).toBe(201);
    const other = join(folder, 'restored');
    writeFileSync(other, '{"format": "intern-emulator", "version": 1, "interns": []}');
    rmSync(data);
    writeFileSync(data, readFileSync(other));
    expect((await create(api, 'second')).status).toBe(500);
    expect((await api.get('/interns')).json.data.map(({ name }: { name: string }) => name)).not.toContain('second');
    await expect(api.emulator.close()).rejects.toThrow(
      /another file took its place .* what it does not hold is in .*left-1\.log/,
    );
    expect(readFileSync(data)).toEqual(readFileSync(other));
    expect(readFileSync(`${data}.left-1.log`, 'utf8')).toContain('"first"');
    expect(existsSync(`${data}.log`)).toBe(false);
    // The file in its place opens.
    await start().close();
  });

  test('an edit in place is not written over', async () => {
    const api = client();
    const edited = `${readFileSync(data, 'utf8')}\n`;
    writeFileSync(data, edited);
    expect((await create(api, 'first')).status).toBe(500);
    await api.emulator.close().catch(() => {});
    expect(readFileSync(data, 'utf8')).toBe(edited);
  });

  test.each(['', '.log'])('NAME%s that is deleted is written again with the next change', async (end) => {
    const api = client();
    await create(api, 'first');
    rmSync(data + end);
    expect((await create(api, 'second')).status).toBe(201);
    // As after a kill: what was acknowledged is in the files.
    const kept = readFileSync(data, 'utf8') + readFileSync(`${data}.log`, 'utf8');
    for (const name of ['"first"', '"second"']) expect(kept).toContain(name);
  });

  test.each([
    ['deleted', () => rmSync(`${data}.vault-key`)],
    ['replaced', () => writeFileSync(`${data}.vault-key`, `${'0'.repeat(64)}\n`)],
  ])('a vault key that is %s lets no secret be stored that never opens', async (_, change) => {
    const api = client();
    expect((await api.put('/vault/secrets/one', SECRET)).status).toBe(200);
    const key = readFileSync(`${data}.vault-key`);
    change();
    expect((await api.put('/vault/secrets/two', SECRET)).status).toBe(500);
    writeFileSync(`${data}.vault-key`, key, { mode: 0o600 });
    expect((await api.put('/vault/secrets/two', SECRET)).status).toBe(200);
    await api.emulator.close();
    await start().close();
  });
});

test('what a killed process left unfinished is taken away when the store is opened again', async () => {
  await start().close();
  const left = `${data}.AbCdEf-_0123.tmp`;
  symlinkSync(elsewhere, left);
  writeFileSync(join(folder, 'repository', 'other.AbCdEf-_0123.tmp'), '');
  await start().close();
  expect([existsSync(left), existsSync(elsewhere)]).toEqual([false, true]);
  expect(readdirSync(join(folder, 'repository'))).toContain('other.AbCdEf-_0123.tmp');
});
