import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { stateSchema } from '../contract/state.js';
import { openFileStore } from './file.js';
import { realFiles } from './files.js';
import { createMemoryStore } from './memory.js';
import { idempotencyRow, internRow, uuid } from './rows.harness.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = folderOfTest('store-');
  path = join(folder, 'interns.json');
});

const errorOf = (open: () => unknown): unknown => {
  try {
    open();
  } catch (error) {
    return error;
  }
  return undefined;
};

/** A full disk takes a part of a write before it refuses. */
const refuse: typeof realFiles.writeSync = (fd, bytes, offset, length, position) => {
  if (length < 20) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  return realFiles.writeSync(fd, bytes, offset, 10, position);
};

/** A closed store with some interns. */
async function filled(count: number) {
  const store = openFileStore(path);
  for (let number = 1; number <= count; number++) store.collection('interns').put(internRow(number));
  await store.close();
}

const names = async () => {
  const store = openFileStore(path);
  const found = [...store.collection('interns').values()].map(({ record }) => record.name);
  await store.close();
  return found;
};

test('what was put is there after closing and opening, in its order', async () => {
  const store = openFileStore(path);
  store.collection('interns').put(internRow(2));
  store.collection('interns').put(internRow(1));
  store.collection('idempotency').put(idempotencyRow(1));
  store.collection('meta').put({ id: 'openings', value: 3 });
  const before = store.snapshot();
  await store.close();
  const again = openFileStore(path);
  expect(again.snapshot()).toEqual(before);
  expect([...again.collection('interns').values()].map(({ seq }) => seq)).toEqual([2, 1]);
  await again.close();
});

test('a state that was here before is brought back by what differs, in the order it had', async () => {
  await filled(20);
  const store = openFileStore(path);
  const interns = store.collection('interns');
  const file = readFileSync(path, 'utf8');
  const state = store.snapshot();
  interns.put(internRow(3, { name: 'changed' }));
  interns.delete(uuid(20));
  interns.put(internRow(21));
  await store.commit();
  expect(state.interns.map(({ record }) => record.name)).not.toContain('changed');
  const large = readFileSync(`${path}.log`).length;
  await store.replace(state);
  // By the log alone: the snapshot did not change.
  expect(readFileSync(path, 'utf8')).toBe(file);
  expect(readFileSync(`${path}.log`).length).toBeLessThan(large * 3);
  expect(store.snapshot()).toEqual(state);
  const files = [readFileSync(path), readFileSync(`${path}.log`)] as const;

  // A row deleted from the middle can only be put at the end, so everything is written anew.
  interns.delete(uuid(5));
  await store.commit();
  await store.replace(state);
  expect(readFileSync(path, 'utf8')).not.toBe(file);
  expect(store.snapshot()).toEqual(state);
  await store.close();
  expect((await names()).indexOf('intern-5')).toBe(4);

  // The same after a kill.
  writeFileSync(path, files[0]);
  writeFileSync(`${path}.log`, files[1]);
  expect(await names()).toEqual(state.interns.map(({ record }) => record.name));
});

describe('the file', () => {
  test('is a state that a person can read and edit', async () => {
    await filled(2);
    const text = readFileSync(path, 'utf8');
    const { commit, checksum, ...state } = JSON.parse(text);
    expect(stateSchema().parse(state).interns).toHaveLength(2);
    expect(text.split('\n').find((line) => line.includes('"intern-2"'))).toBe('        "name": "intern-2",');
    writeFileSync(path, text.replace('"intern-2"', '"renamed"'));
    expect(await names()).toEqual(['intern-1', 'renamed']);
  });

  test('may be written by hand, with some of the collections', async () => {
    writeFileSync(path, JSON.stringify({ format: 'intern-emulator', version: 1, interns: [internRow(5)] }));
    expect(await names()).toEqual(['intern-5']);
  });

  test('stays alone in its folder when the store is closed, and as it was when nothing changed', async () => {
    await filled(2);
    const before = readFileSync(path, 'utf8');
    expect(await names()).toHaveLength(2);
    expect(readdirSync(folder)).toEqual(['interns.json']);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('is compacted when its log outgrows it', async () => {
    const store = openFileStore(path);
    const large = internRow(1, { instructions: 'x'.repeat(90_000) });
    let most = 0;
    for (let turn = 0; turn < 40; turn++) {
      store.collection('interns').put({ ...large, seq: turn });
      await store.commit();
      most = Math.max(most, readFileSync(`${path}.log`).length);
    }
    expect(most).toBeLessThan(1024 * 1024);
    expect(most).toBeGreaterThan(512 * 1024);
    await store.close();
    expect(JSON.parse(readFileSync(path, 'utf8')).interns[0].seq).toBe(39);
  });
});

describe('commits', () => {
  test('that wait together are written together, while the clock is held', async () => {
    let held = 0;
    let writes = 0;
    const store = openFileStore(path, {
      hold: () => {
        held++;
        return () => held--;
      },
      files: {
        ...realFiles,
        writeSync: (...args) => {
          writes++;
          return realFiles.writeSync(...args);
        },
      },
    });
    writes = 0;
    const commits = [1, 2, 3].map((number) => {
      store.collection('interns').put(internRow(number));
      return store.commit();
    });
    expect(held).toBe(1);
    await Promise.all(commits);
    expect({ writes, held }).toEqual({ writes: 1, held: 0 });
    await store.commit();
    expect({ writes, held }).toEqual({ writes: 1, held: 0 });
    await store.close();
  });

  test('that the disk refuses are undone and reported, unless they must be kept', async () => {
    let full = false;
    const log: Record<string, unknown>[] = [];
    const undone: string[] = [];
    const store = openFileStore(path, {
      files: { ...realFiles, writeSync: (...given) => (full ? refuse(...given) : realFiles.writeSync(...given)) },
      log: (record) => void log.push(record),
      undone: (rows) => void undone.push(...rows.map(({ id }) => id)),
    });
    const interns = store.collection('interns');
    interns.put(internRow(1));
    interns.put(internRow(2));
    await store.commit();
    const before = store.snapshot();
    full = true;
    const reason = `${path}: cannot write its log: the disk is full`;
    interns.put(internRow(2, { name: 'renamed' }));
    interns.put(internRow(2, { name: 'renamed again' }));
    const updated = store.commit();
    interns.put(internRow(3));
    interns.delete(uuid(1));
    const created = store.commit();
    await expect(updated).rejects.toMatchObject({ code: 'unwritable', message: reason });
    await expect(created).rejects.toThrow(reason);
    expect(log).toEqual([{ level: 'error', event: 'store_failed', error: reason }]);
    expect(new Set(undone)).toEqual(new Set([uuid(1), uuid(2), uuid(3)]));
    const byId = (rows: { id: string }[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(store.snapshot().interns)).toEqual(before.interns);

    interns.put(internRow(4));
    await expect(store.commit({ keep: true })).rejects.toThrow(reason);
    expect(interns.has(uuid(4))).toBe(true);
    full = false;
    interns.put(internRow(5));
    await store.commit();
    const log2 = readFileSync(`${path}.log`, 'utf8').trimEnd().split('\n');
    expect(log2.map((line) => JSON.parse(line).commit)).toEqual([1, 2]);
    const kept = { files: { '': readFileSync(path), '.log': readFileSync(`${path}.log`) } };
    await store.close();
    expect((await names()).toSorted()).toEqual(['intern-1', 'intern-2', 'intern-4', 'intern-5']);
    // The same after a kill.
    for (const [end, bytes] of Object.entries(kept.files)) writeFileSync(path + end, bytes);
    expect((await names()).toSorted()).toEqual(['intern-1', 'intern-2', 'intern-4', 'intern-5']);
  });

  test('and a replacement that the disk refuses leaves what was there', async () => {
    await filled(2);
    let full = false;
    const store = openFileStore(path, {
      files: { ...realFiles, writeSync: (...given) => (full ? refuse(...given) : realFiles.writeSync(...given)) },
    });
    full = true;
    await expect(store.replace({ ...store.snapshot(), interns: [internRow(7)] })).rejects.toThrow('the disk is full');
    expect([...store.collection('interns').values()].map(({ seq }) => seq)).toEqual([1, 2]);
    full = false;
    store.collection('interns').put(internRow(3));
    await store.commit();
    await store.close();
    expect(await names()).toEqual(['intern-1', 'intern-2', 'intern-3']);
  });

  test('wait for the disk with fsync, and only then', async () => {
    for (const fsync of [false, true]) {
      let waits = 0;
      const fdatasyncSync = (fd: number) => {
        waits++;
        realFiles.fdatasyncSync(fd);
      };
      const store = openFileStore(path, { fsync, files: { ...realFiles, fdatasyncSync } });
      waits = 0;
      store.collection('interns').put(internRow(1));
      await store.commit();
      expect(waits).toBe(fsync ? 1 : 0);
      await store.close();
    }
  });

  test('after closing are refused', async () => {
    const store = openFileStore(path);
    await store.close();
    await store.close();
    await expect(store.commit()).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('what is no store of ours is refused and stays as it is:', () => {
  test.each([
    ['', 'it is empty; remove it to start a new store'],
    ['[]', 'it is not a store of intern-emulator: $: expected an object'],
    [
      '{"name": "my-package", "version": "1.0.0"}',
      'it is not a store of intern-emulator: $.format: expected "intern-emulator"',
    ],
    ['# Read me\n', 'it is not a store of intern-emulator: line 1, column 1: expected a value, found "#"'],
    ['\0\0\0', 'it is not a store of intern-emulator: line 1, column 1: '],
  ])('%j', (text, what) => {
    writeFileSync(path, text);
    const error = errorOf(() => openFileStore(path));
    expect(error).toMatchObject({ name: 'StoreError', code: 'foreign' });
    expect(String(error)).toContain(`${path}: ${what}`);
    expect(String(error)).toMatch(/; it was left as it is$/);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['interns.json']);
  });

  test('a folder, a FIFO, a device, and links to them', () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    symlinkSync(fifo, join(folder, 'to-fifo'));
    const names = readdirSync(folder);
    for (const [given, what] of [
      [folder, 'a directory'],
      [fifo, 'a FIFO'],
      [join(folder, 'to-fifo'), 'a FIFO'],
      ['/dev/null', 'a device'],
    ] as const) {
      const message = expect.stringMatching(new RegExp(`: it is ${what}, not a file; it was left as it is$`));
      expect(errorOf(() => openFileStore(given))).toMatchObject({ code: 'foreign', message });
    }
    expect(readdirSync(folder)).toEqual(names);
  });

  test('what stands where the log belongs', async () => {
    writeFileSync(`${path}.log`, 'GET / 200\n');
    expect(() => openFileStore(path)).toThrow(/interns\.json\.log: it is not a log of intern-emulator.*left as it is$/);
    await rm(`${path}.log`);
    await filled(1);
    writeFileSync(`${path}.log`, 'no line at all');
    expect(() => openFileStore(path)).toThrow(expect.objectContaining({ code: 'foreign' }));
    expect(readFileSync(`${path}.log`, 'utf8')).toBe('no line at all');
  });
});

test('a link to a file that is not there yet stays a link', async () => {
  const target = join(folder, 'target.json');
  symlinkSync('target.json', path);
  await filled(1);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toContain('intern-1');
});

describe('a damaged store is set aside untouched', () => {
  test.each([
    ['{\n  "format": "intern-emulator",\n  "version": 1,\n}\n', ': line 4, column 1: expected a key in double quotes'],
    ['{"format": "intern-emulator"}', ': $.version: expected a whole number from 1;'],
    ['{"format": "intern-emulator", "version": 1, "robots": []}', ': $.robots: unknown key;'],
    ['{"format": "intern-emulator", "version": 2}', ': it holds no collection; expected one of meta, interns,'],
    ['{"format": "intern-emulator", "version": 1, "commit": 7}', ': it holds no collection;'],
    ['{"format": "intern-emulator", "version": 1, "interns": {}}', ': $.interns: expected an array;'],
    ['{"format": "intern-emulator", "version": 1, "interns": [null]}', ': $.interns[0]: expected an object'],
  ])('%j', (text, what) => {
    writeFileSync(path, text);
    const error = errorOf(() => openFileStore(path));
    expect(error).toMatchObject({ name: 'StoreError', code: 'damaged', message: expect.stringContaining(path + what) });
    expect(error).toMatchObject({ message: expect.stringContaining(`set aside untouched as ${path}.damaged-1`) });
    expect(readFileSync(`${path}.damaged-1`, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['interns.json.damaged-1']);
  });

  test.each([
    ['a field of its own', [{ ...internRow(2), seq: -1 }], /\$\.interns\[1\]\.seq: /],
    ['an id that is there', [internRow(1)], /\$\.interns\[1\]\.id: .* is there twice; .*\.damaged-1$/],
    ['a name', [internRow(2, { name: 'BAD NAME' })], /\$\.interns\[1\]\.record\.name: expected lower-case words/],
    ['a taken name', [internRow(2, { name: 'intern-1' })], /record\.name: alice has another intern called "intern-1"/],
  ])('with the path of the row that is wrong: %s', (_, wrong, message) => {
    const interns = [internRow(1), ...wrong];
    writeFileSync(path, JSON.stringify({ format: 'intern-emulator', version: 1, interns }));
    expect(() => openFileStore(path)).toThrow(message);
  });

  test('with its log, where that is damaged in its middle', async () => {
    await filled(1);
    const store = openFileStore(path);
    for (const number of [2, 3, 4]) {
      store.collection('interns').put(internRow(number));
      await store.commit();
    }
    const snapshot = readFileSync(path);
    const log = readFileSync(`${path}.log`);
    await store.close();
    writeFileSync(path, snapshot);
    log[log.indexOf('intern-3')] = 0x49;
    writeFileSync(`${path}.log`, log);
    expect(() => openFileStore(path)).toThrow(
      `${path}.log: line 2 is not as it was written (its checksum does not match); ` +
        `set aside untouched as ${path}.damaged-1 and ${path}.damaged-1.log`,
    );
    expect(readFileSync(`${path}.damaged-1`)).toEqual(snapshot);
    expect(readFileSync(`${path}.damaged-1.log`)).toEqual(log);
    expect(await names()).toEqual([]);
  });

  test('with its log, where the log is that of a later snapshot or its snapshot is missing', async () => {
    await filled(1);
    const old = readFileSync(path);
    await filled(2);
    const store = openFileStore(path);
    store.collection('interns').put(internRow(3));
    await store.commit();
    const log = readFileSync(`${path}.log`);
    await store.close();
    writeFileSync(path, old);
    writeFileSync(`${path}.log`, log);
    expect(() => openFileStore(path)).toThrow(/\.log: line 1 holds commit 3 where commit 2 was expected; set aside/);
    writeFileSync(`${path}.log`, log);
    expect(() => openFileStore(path)).toThrow(/\.log: its snapshot .* is missing; set aside/);
    expect(existsSync(`${path}.damaged-2.log`)).toBe(true);
  });
});

describe('what cannot be opened at all', () => {
  test('a path without a folder is reported plainly', () => {
    expect(() => openFileStore(join(folder, 'none', 'x.json'))).toThrow('cannot write beside it: no such directory');
  });

  test('a newer version is left as it is', () => {
    const text = '{"format": "intern-emulator", "version": 5, "robots": []}';
    writeFileSync(path, text);
    expect(() => openFileStore(path)).toThrow(
      expect.objectContaining({
        code: 'newer',
        message: expect.stringContaining('version 5, this release reads up to 4'),
      }),
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual(['interns.json']);
  });
});

test('an older version is migrated with what its log holds, and kept in the new one', async () => {
  const store = openFileStore(path);
  store.collection('meta').put({ id: 'a', value: 1 });
  await store.commit();
  const files = [readFileSync(path), readFileSync(`${path}.log`)] as const;
  await store.close();
  writeFileSync(path, files[0]);
  writeFileSync(`${path}.log`, files[1]);

  const format = {
    version: 5,
    migrations: {
      4: (state: { version: number; [name: string]: unknown }) => ({
        ...state,
        meta: (state.meta as { id: string }[]).map(({ id }) => ({ id, value: 'migrated' })),
      }),
    },
  };
  const newer = openFileStore(path, { format });
  expect(newer.collection('meta').get('a')).toEqual({ id: 'a', value: 'migrated' });
  newer.collection('meta').put({ id: 'b', value: 2 });
  await newer.close();
  expect(JSON.parse(readFileSync(path, 'utf8')).version).toBe(5);
  const again = openFileStore(path, { format });
  expect([...again.collection('meta').values()].map(({ value }) => value)).toEqual(['migrated', 2]);
  await again.close();
});

test('version 1 loses the sessions of chat, and what invoke issued says no more that it did', async () => {
  const session = { intern_id: uuid(1), session_id: 's', caller: 'alice' };
  const sessions = [
    { id: 'a', origin: 'chat', ...session },
    { id: 'b', origin: 'invoke', ...session },
  ];
  writeFileSync(path, JSON.stringify({ format: 'intern-emulator', version: 1, sessions }));
  const store = openFileStore(path);
  expect(store.snapshot().sessions).toEqual([{ id: 'b', ...session }]);
  await store.close();
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ version: 4, sessions: [{ id: 'b' }], nonces: [] });
});

describe('of what nothing else takes away the newest 10,000 are kept', () => {
  const reveal = (number: number) => ({
    id: uuid(number),
    intern_id: uuid(1),
    caller: 'alice',
    at: '2026-01-01T00:00:00.000Z',
  });

  test('of a larger file, when it is opened', async () => {
    const reveals = Array.from({ length: 10_002 }, (_, index) => reveal(index + 1));
    writeFileSync(path, JSON.stringify({ format: 'intern-emulator', version: 2, reveals }));
    const store = openFileStore(path);
    expect(store.collection('reveals').size).toBe(10_000);
    expect(store.collection('reveals').has(uuid(2))).toBe(false);
    await store.close();
    expect(JSON.parse(readFileSync(path, 'utf8')).reveals[0].id).toBe(uuid(3));
  });

  test('creates without a key are not counted: they go with their interns', () => {
    const rows = createMemoryStore().collection('idempotency');
    for (let number = 1; number <= 10_005; number++) rows.put({ ...idempotencyRow(number), derived: number <= 3 });
    expect(rows.size).toBe(10_003);
    expect([rows.has(idempotencyRow(1).id), rows.has(idempotencyRow(4).id)]).toEqual([true, false]);
  });
});
