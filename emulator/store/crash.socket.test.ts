import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { runs } from '../../test/same-draws.js';
import { openFileStore } from './file.js';
import { type Files, realFiles } from './files.js';
import { internRow, uuid } from './rows.harness.js';
import type { Store } from './store.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = folderOfTest('crash-');
  path = join(folder, 'interns.json');
});

const ids = (store: Store) => [...store.collection('interns').values()].map(({ id }) => id);

async function reopen(): Promise<string[]> {
  const store = openFileStore(path);
  const found = ids(store);
  await store.close();
  return found;
}

/** A change of a store: an intern that is put, or one that is deleted, by number. */
const change = fc.record({ kind: fc.constantFrom('put', 'put', 'delete'), number: fc.integer({ min: 1, max: 6 }) });

test('a log cut off at any byte yields the commits that were whole', async () => {
  const history = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(history, async (batches) => {
      for (const name of [path, `${path}.log`]) rmSync(name, { force: true });
      const store = openFileStore(path);
      const states: { length: number; ids: string[] }[] = [{ length: 0, ids: [] }];
      for (const batch of batches) {
        for (const { kind, number } of batch) {
          if (kind === 'put') store.collection('interns').put(internRow(number));
          else store.collection('interns').delete(uuid(number));
        }
        await store.commit();
        states.push({ length: readFileSync(`${path}.log`).length, ids: ids(store) });
      }
      const snapshot = readFileSync(path);
      const log = readFileSync(`${path}.log`);
      await store.close();
      const edges = states.flatMap(({ length }) => [length - 1, length, length + 1]);
      const cuts = new Set([
        ...edges,
        ...Array.from({ length: 20 }, (_, step) => Math.floor((log.length * step) / 20)),
      ]);
      for (const cut of cuts) {
        if (cut < 0 || cut > log.length) continue;
        writeFileSync(path, snapshot);
        writeFileSync(`${path}.log`, log.subarray(0, cut));
        expect(await reopen()).toEqual(states.findLast(({ length }) => length <= cut)?.ids);
      }
    }),
    { numRuns: runs(15) },
  );
});

const CHANGING = ['ftruncateSync', 'linkSync', 'openSync', 'renameSync', 'unlinkSync', 'writeFileSync'] as const;

/** A file system that stops at its `last` change, and makes half of it if it is a write. Nothing works after that. */
function endingAt(last: number): { files: Files; ended: () => boolean } {
  let changes = 0;
  const crash = () => Object.assign(new Error('the process is gone'), { code: 'EIO' });
  const counted = <A extends unknown[], R>(act: (...args: A) => R, half: (...args: A) => void) => {
    return (...args: A): R => {
      changes++;
      if (changes === last) half(...args);
      if (changes >= last) throw crash();
      return act(...args);
    };
  };
  const files: Record<string, unknown> = { ...realFiles };
  for (const name of CHANGING) files[name] = counted(realFiles[name] as (...args: unknown[]) => unknown, () => {});
  files.writeSync = counted(realFiles.writeSync, (fd, bytes, offset, length, position) => {
    realFiles.writeSync(fd, bytes, offset, Math.floor(length / 2), position);
  });
  return { files: files as unknown as Files, ended: () => changes >= last };
}

test('a process that ends at any step of opening, committing, replacing and closing loses nothing acknowledged', async () => {
  let steps = 0;
  for (let last = 1; ; last++) {
    for (const name of ['', '.log', '.lock', '.tmp']) rmSync(path + name, { force: true });
    const before = openFileStore(path);
    before.collection('interns').put(internRow(1));
    await before.close();

    const { files, ended } = endingAt(last);
    /** States that may be found: the last acknowledged one, and those requested since. */
    let allowed: string[][] = [[uuid(1)]];
    try {
      const store = openFileStore(path, { files });
      for (const number of [2, 3]) {
        store.collection('interns').put(internRow(number));
        allowed.push(ids(store));
        await store.commit();
        allowed = [ids(store)];
      }
      const replaced = [uuid(8)];
      allowed.push(replaced);
      await store.replace({ ...store.snapshot(), interns: [internRow(8)] });
      allowed = [replaced];
      store.collection('interns').put(internRow(9));
      allowed.push([uuid(8), uuid(9)]);
      await store.commit();
      allowed = [[uuid(8), uuid(9)]];
      await store.close();
    } catch (error) {
      expect(ended(), String(error)).toBe(true);
    }
    // In reality the process would be gone, and its lock the lock of a dead process.
    rmSync(`${path}.lock`, { force: true });
    expect(allowed, `ended at change ${last}`).toContainEqual(await reopen());
    if (!ended()) break;
    steps = last;
  }
  expect(steps).toBeGreaterThan(15);
});

/** How often a real process is killed. The bench kills more. */
const KILLS = Number(process.env.STORE_KILLS ?? 2);

test(
  `kill -9 at ${KILLS} moments under a stream of commits loses nothing acknowledged`,
  async () => {
    const child = join(folder, 'child.mjs');
    await build({
      stdin: { contents: CHILD, resolveDir: import.meta.dirname, loader: 'ts' },
      outfile: child,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    });
    let total = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const acknowledged = await killAfter(child, 40 + ((kill * 97) % 400));
      const store = openFileStore(path);
      const kept = store.collection('interns').size;
      for (let number = 1; number <= acknowledged; number++) {
        expect(store.collection('interns').has(uuid(number)), `kill ${kill}, intern ${number}`).toBe(true);
      }
      expect(kept).toBeGreaterThanOrEqual(acknowledged);
      total = Math.max(total, acknowledged);
      await store.close();
    }
    expect(total).toBeGreaterThan(100);
    expect(existsSync(`${path}.lock`)).toBe(false);
  },
  180_000 + KILLS * 3_000,
);

/** Puts interns one after another, reporting each that is acknowledged. */
const CHILD = `
  import { writeSync } from 'node:fs';
  import { openFileStore } from './file.ts';
  import { internRow } from './rows.harness.js';
  const store = openFileStore(process.argv[2]);
  for (let number = store.collection('interns').size + 1; ; number++) {
    store.collection('interns').put(internRow(number, { instructions: 'x'.repeat(2000) }));
    await store.commit();
    writeSync(1, number + '\\n');
  }
`;

/** Runs the child, kills it after this many commits, and returns the last that it acknowledged. */
async function killAfter(child: string, commits: number): Promise<number> {
  const running = spawn(process.execPath, [child, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(running, 'exit');
  let last = 0;
  let seen = 0;
  for await (const line of createInterface({ input: running.stdout })) {
    last = Number(line);
    if (++seen === commits) running.kill('SIGKILL');
  }
  await gone;
  return last;
}
