import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFileStore } from './file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
  path = join(folder, 'interns.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The number of a process that has ended. */
const goneProcess = () => spawnSync(process.execPath, ['-e', '0']).pid;

const lockOf = (holder: object) => writeFileSync(`${path}.lock`, JSON.stringify(holder));

test('a store is opened once at a time', async () => {
  const store = openFileStore(path);
  expect(() => openFileStore(path)).toThrow(`${path}: in use by this process already`);
  await store.close();
  await openFileStore(path).close();
});

test('a store that another process has open is refused', () => {
  lockOf({ pid: process.ppid, started: null, host: hostname() });
  const message = `${path}: in use by process ${process.ppid}; remove ${path}.lock if that is no emulator any more`;
  expect(() => openFileStore(path)).toThrow(expect.objectContaining({ code: 'locked', message }));
});

test('a lock from another machine is not judged', () => {
  lockOf({ pid: goneProcess(), started: null, host: 'elsewhere' });
  expect(() => openFileStore(path)).toThrow(
    /in use by process \d+ on elsewhere; remove .*\.lock if that is no emulator any more/,
  );
});

test('the lock of a process that is gone is taken over, also with a takeover that was broken off', async () => {
  const holder = { pid: goneProcess(), started: null, host: hostname() };
  lockOf(holder);
  writeFileSync(`${path}.lock.takeover`, JSON.stringify(holder));
  await openFileStore(path).close();
  expect(readdirSync(folder)).toEqual(['interns.json']);
});

test.runIf(process.platform === 'linux')(
  'a process that was given the number of the holder is not the holder',
  async () => {
    lockOf({ pid: process.pid, started: '1', host: hostname() });
    await openFileStore(path).close();
  },
);

test('a lock file of someone else is left alone', () => {
  writeFileSync(`${path}.lock`, 'hello');
  expect(() => openFileStore(path)).toThrow(/interns\.json\.lock is not a lock of ours; remove it to open/);
});

test('a store whose lock was removed closes all the same, and leaves the lock of another alone', async () => {
  const first = openFileStore(path);
  rmSync(`${path}.lock`);
  await first.close();
  const second = openFileStore(path);
  const other = { pid: process.ppid, started: null, host: hostname() };
  lockOf(other);
  await second.close();
  expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toEqual(other);
});
