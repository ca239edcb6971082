import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { needs } from '../../test/tools.js';
import { openFileStore } from './file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = folderOfTest('lock-');
  path = join(folder, 'interns.json');
});

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
  const message = `${path}: in use by process ${process.ppid}; remove ${path}.lock if that is not an emulator any more`;
  expect(() => openFileStore(path)).toThrow(expect.objectContaining({ code: 'locked', message }));
});

describe('a lock from another host, whose processes cannot be looked at', () => {
  const holder = { pid: goneProcess(), started: null, host: 'elsewhere' };
  /** A host whose waiting takes no time, and what happens meanwhile. */
  const waiting = (meanwhile: (waited: number) => void = () => {}) => {
    const host = {
      waited: 0,
      every: () => () => {},
      wait(ms: number) {
        host.waited += ms;
        meanwhile(host.waited);
      },
    };
    return host;
  };
  const renewedAgo = (seconds: number) => {
    const at = Date.now() / 1_000 - seconds;
    utimesSync(`${path}.lock`, at, at);
  };

  test('is taken over where nobody has renewed it for long, and the evidence is logged', async () => {
    lockOf(holder);
    renewedAgo(600);
    const log: Record<string, unknown>[] = [];
    const host = waiting();
    await openFileStore(path, { host, log: (record) => void log.push(record) }).close();
    expect(log).toEqual([
      {
        level: 'warn',
        event: 'store_lock_taken_over',
        lock: `${path}.lock`,
        holder: `process ${holder.pid} on elsewhere`,
        evidence: expect.stringMatching(
          /^it was last renewed 60[0-9] s ago, and a running emulator renews it every 2 s$/,
        ),
      },
    ]);
    expect(host.waited).toBe(0);
    expect(readdirSync(folder)).toEqual(['interns.json']);
  });

  test('that is young is waited for, and taken over where nobody renews it', async () => {
    lockOf(holder);
    const host = waiting();
    await openFileStore(path, { host }).close();
    expect(host.waited).toBeGreaterThan(9_000);
  });

  test('is respected where somebody renews it meanwhile', () => {
    lockOf(holder);
    const host = waiting((waited) => waited > 1_500 && renewedAgo(-1));
    expect(() => openFileStore(path, { host })).toThrow(
      /in use by process \d+ on elsewhere; remove .*\.lock if that is not an emulator any more/,
    );
    expect(host.waited).toBeLessThan(3_000);
    expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toEqual(holder);
  });

  test('is renewed while a store is open', async () => {
    let renew = () => {};
    let stopped = 0;
    const store = openFileStore(path, {
      host: {
        ...waiting(),
        every(_ms, work) {
          renew = work;
          return () => stopped++;
        },
      },
    });
    const text = readFileSync(`${path}.lock`, 'utf8');
    renewedAgo(60);
    const before = statSync(`${path}.lock`).mtimeMs;
    renew();
    expect(statSync(`${path}.lock`).mtimeMs).toBeGreaterThan(before + 30_000);
    expect(readFileSync(`${path}.lock`, 'utf8')).toBe(text);
    await store.close();
    expect(stopped).toBe(1);
    renew();
    expect(readdirSync(folder)).toEqual(['interns.json']);
  });
});

test('of processes with the same numbers only those of the same kernel and namespace are the same', () => {
  lockOf({ pid: goneProcess(), started: null, host: hostname(), space: 'another kernel pid:[1]' });
  expect(() => openFileStore(path)).toThrow(/in use by process \d+; remove/);
});

test('a store is one by whatever name it is opened', needs('linux'), async () => {
  await openFileStore(path).close();
  const hard = join(folder, 'hard.json');
  const soft = join(folder, 'soft.json');
  linkSync(path, hard);
  symlinkSync(path, soft);
  const first = openFileStore(path);
  const message = `${hard}: in use by this process, under another name of the file (a hard link)`;
  expect(() => openFileStore(hard)).toThrow(expect.objectContaining({ code: 'locked', message }));
  expect(() => openFileStore(soft)).toThrow(/in use by this process already/);
  expect(readdirSync(folder).filter((name) => name.startsWith('hard'))).toEqual(['hard.json']);
  await first.close();
  const second = openFileStore(hard);
  expect(() => openFileStore(path)).toThrow(/under another name of the file/);
  await second.close();
  await openFileStore(path).close();
});

test('a store that another process has open by another name is refused', needs('linux'), async () => {
  await openFileStore(path).close();
  const hard = join(folder, 'hard.json');
  linkSync(path, hard);
  const other = spawn(process.execPath, [
    '-e',
    'require("fs").openSync(process.argv[1]); console.log(1); setInterval(() => {}, 1e6)',
    path,
  ]);
  await once(other.stdout, 'data');
  expect(() => openFileStore(hard)).toThrow(`${hard}: in use by process ${other.pid}, under another name`);
  other.kill('SIGKILL');
  await once(other, 'exit');
  await openFileStore(hard).close();
});

test('the lock of a process that is gone is taken over, also with a takeover that was broken off', async () => {
  const holder = { pid: goneProcess(), started: null, host: hostname() };
  lockOf(holder);
  writeFileSync(`${path}.lock.takeover`, JSON.stringify(holder));
  const log: Record<string, unknown>[] = [];
  await openFileStore(path, { log: (record) => void log.push(record) }).close();
  expect(log.at(-1)).toMatchObject({ event: 'store_lock_taken_over', evidence: 'no such process' });
  expect(readdirSync(folder)).toEqual(['interns.json']);
});

test('a process that was given the number of the holder is not the holder', needs('linux'), async () => {
  lockOf({ pid: process.pid, started: '1', host: hostname() });
  const log: Record<string, unknown>[] = [];
  await openFileStore(path, { log: (record) => void log.push(record) }).close();
  expect(log.at(-1)).toMatchObject({ event: 'store_lock_taken_over' });
});

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
