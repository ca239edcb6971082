import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { anyOf, createClient, isOver, plainOf } from '../../test/requests/drawn.js';
import { runs } from '../../test/same-draws.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../index.js';

const make = (options: EmulatorOptions = {}) => closing(createEmulator({ clock: 'virtual', ...options }));
const call = (emulator: Emulator, method: string, path: string, body?: object) =>
  emulator.fetch(`/_emulator/${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
const json = async (response: Response) => (await response.json()) as Record<string, unknown>;
const message = async (response: Response) => ((await response.json()) as { error: { message: string } }).error.message;

test('the same requests after a restore get the same bytes, whatever came before', async () => {
  const some = fc.array(anyOf(false), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(some, some, fc.array(anyOf(true), { maxLength: 10 }), async (before, again, between) => {
      const emulator = createEmulator({ clock: 'virtual' });
      const send = createClient(emulator);
      const all = async (requests: typeof again) => {
        const answers: string[] = [];
        for (const request of requests) answers.push(await send(request));
        return answers;
      };
      try {
        await all(before);
        expect((await call(emulator, 'PUT', 'snapshots/here')).status).toBe(200);
        const restore = async () => expect((await call(emulator, 'POST', 'snapshots/here/restore')).status).toBe(200);
        await restore();
        const first = await all(again);
        await restore();
        expect(await all(again)).toEqual(first);
        await all(between);
        await restore();
        expect(await all(again)).toEqual(first);
      } finally {
        await emulator.close();
      }
    }),
    { numRuns: runs(60) },
  );
});

test('after a restore a space without a name gets one that no space has', async () => {
  const emulator = make();
  const space = async () => (await call(emulator, 'POST', 'spaces', {})).status;
  expect(await space()).toBe(201);
  await call(emulator, 'POST', 'snapshots/start/restore');
  expect(await space()).toBe(201);
});

test('where nothing is under way, the requests after a snapshot get the same bytes again once it is restored', async () => {
  const requests = fc.array(anyOf(false).filter(isOver), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(requests, requests, async (before, after) => {
      const emulator = createEmulator({ clock: 'virtual' });
      const send = createClient(emulator);
      try {
        for (const request of before) await send(request);
        await call(emulator, 'PUT', 'snapshots/here');
        const first: string[] = [];
        for (const request of after) first.push(await send(request));
        await call(emulator, 'POST', 'snapshots/here/restore');
        for (const [index, request] of after.entries()) expect(await send(request)).toBe(first[index]);
      } finally {
        await emulator.close();
      }
    }),
    { numRuns: runs(60) },
  );
});

test('a snapshot brings back time, scripts, faults and limits; open runs end; `start` is there by itself', async () => {
  const emulator = make();
  const { base_url, credentials } = emulator.target;
  await call(emulator, 'PUT', 'scripts/mine', { name: 'mine', turn: [{ say: 'Mine.' }] });
  await call(emulator, 'POST', 'faults', { operation: 'get', status: 503 });
  await call(emulator, 'PUT', 'limits', { turns_per_minute: 7 });
  await emulator.clock.advance(5_000);
  const kept = await json(await call(emulator, 'PUT', 'snapshots/five'));
  expect(kept).toEqual({
    name: 'five',
    now: '2026-01-01T00:00:05.000Z',
    interns: 1,
    scripts: 1,
    faults: 1,
    turns_per_minute: 7,
  });
  const chat = await emulator.fetch(`${base_url}/interns/${credentials.intern?.id}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.api_key}` },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: never-ends' }] }),
  });
  await call(emulator, 'DELETE', 'scripts/mine');
  await call(emulator, 'DELETE', 'faults');
  await emulator.clock.advance(60_000);
  const restored = await json(await call(emulator, 'POST', 'snapshots/five/restore'));
  expect(restored).toEqual({ restored: 'five', now: '2026-01-01T00:00:05.000Z', mode: 'virtual' });
  expect(await chat.text()).toContain('run_ended');
  expect((await call(emulator, 'GET', 'scripts/mine')).status).toBe(200);
  expect((await json(await call(emulator, 'GET', 'faults'))).data).toHaveLength(1);
  expect(await json(await call(emulator, 'GET', 'limits'))).toEqual({ turns_per_minute: 7 });
  expect(await json(await call(emulator, 'GET', 'runs'))).toEqual({ data: [] });
  await call(emulator, 'POST', 'snapshots/start/restore');
  expect(emulator.clock.now()).toBe(Date.UTC(2026, 0, 1));
  expect((await call(emulator, 'GET', 'scripts/mine')).status).toBe(404);
  expect((await json(await call(emulator, 'GET', 'faults'))).data).toEqual([]);
});

test('names that are unknown, taken or malformed are one clear line', async () => {
  const emulator = make();
  const none = await call(emulator, 'POST', 'snapshots/none/restore');
  expect([none.status, await message(none)]).toEqual([404, 'snapshot none does not exist; known: start']);
  const start = await call(emulator, 'PUT', 'snapshots/start');
  expect([start.status, await message(start)]).toEqual([
    409,
    'start is the snapshot of the start: choose another name',
  ]);
  expect(await message(await call(emulator, 'PUT', 'snapshots/..%2Fx'))).toMatch(/^name: expected 1 to 100 letters/);
  expect(await message(await call(emulator, 'PUT', 'snapshots/nul.1'))).toBe(
    'name: Windows has a device of this name. Choose another',
  );
  expect((await call(emulator, 'PUT', 'snapshots/mine')).status).toBe(200);
  const other = await call(emulator, 'PUT', 'snapshots/MINE');
  expect([other.status, await message(other)]).toEqual([
    409,
    'snapshot MINE: mine differs in letter case alone, which many file systems ignore',
  ]);
  expect((await call(emulator, 'DELETE', 'snapshots/mine')).status).toBe(204);
  expect((await call(emulator, 'DELETE', 'snapshots/mine')).status).toBe(404);
});

test('with a store, snapshots outlive the process, beside it; one that is damaged or newer is refused', async () => {
  const folder = folderOfTest('snapshots-');
  const data = join(folder, 'interns.json');
  const send = ['create', 'sign', 'list'].flatMap(plainOf);
  const first = createEmulator({ clock: 'virtual', data });
  await call(first, 'PUT', 'snapshots/kept');
  const answers: string[] = [];
  for (const request of send) answers.push(await createClient(first)(request));
  await first.close();
  const file = join(`${data}.snapshots`, 'kept.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const second = make({ clock: 'virtual', data });
  expect((await json(await call(second, 'GET', 'snapshots'))).data).toMatchObject([
    { name: 'kept' },
    { name: 'start' },
  ]);
  expect((await call(second, 'POST', 'snapshots/kept/restore')).status).toBe(200);
  for (const [index, request] of send.entries()) expect(await createClient(second)(request)).toBe(answers[index]);

  const text = readFileSync(file, 'utf8');
  writeFileSync(join(`${data}.snapshots`, 'newer.json'), text.replace('"version":1', '"version":9'));
  writeFileSync(join(`${data}.snapshots`, 'cut.json'), text.slice(0, 200));
  expect(await message(await call(second, 'POST', 'snapshots/newer/restore'))).toMatch(/newer .*version 9.*up to 1/);
  expect(await message(await call(second, 'POST', 'snapshots/cut/restore'))).toMatch(
    /cut cannot be used: it is not JSON/,
  );
  expect((await json(await call(second, 'GET', 'snapshots'))).data).toMatchObject([
    { name: 'cut', unusable: expect.stringContaining('not JSON') },
    { name: 'kept' },
    { name: 'newer' },
    { name: 'start' },
  ]);
  expect((await call(second, 'DELETE', 'snapshots/cut')).status).toBe(204);
  expect(readdirSync(`${data}.snapshots`)).not.toContain('cut.json');
});
