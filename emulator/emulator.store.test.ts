import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { closing } from '../test/closing.js';
import { folderOfTest } from '../test/folders.js';
import { assemble, createEmulator, type Emulator } from './emulator.js';
import { defaultFactories } from './factories.js';
import type { EmulatorOptions } from './options/options.js';
import { realFiles } from './store/files.js';
import { clientOf, type Reply } from './testing/client.harness.js';

let folder: string;
let data: string;
beforeEach(() => {
  folder = folderOfTest('emulator-store-');
  data = join(folder, 'interns.json');
});

const start = (options: EmulatorOptions = {}) => closing(createEmulator({ data, clock: 'virtual', ...options }));

/** The files of a store as a kill would leave them, under another name. */
function killed(): string {
  const copy = mkdtempSync(join(folder, 'killed-'));
  for (const end of ['', '.log', '.key']) {
    if (existsSync(data + end)) copyFileSync(data + end, join(copy, `interns.json${end}`));
  }
  return join(copy, 'interns.json');
}

const call = (emulator: Emulator, method: string, path: string, body?: unknown, as?: string) =>
  clientOf(emulator).call(method, path, { body, ...(as && { as }) });

const idOfSeeded = async (emulator: Emulator) => (await call(emulator, 'GET', '/interns')).json.data[0].id as string;

/** A daemon request with a proof that can be sent again, and again after a restart: all but the daemon's token. */
async function prove(emulator: Emulator) {
  const id = await idOfSeeded(emulator);
  const { oauth_token } = emulator.target.credentials;
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const route = { method: 'POST', path: '/api/invoke' };
  const signed = await call(emulator, 'POST', `/interns/${id}/daemon/sign`, { bodySha256: empty, route }, oauth_token);
  return async (at: Emulator) => {
    const { token } = (await call(at, 'GET', `/interns/${id}/daemon`, undefined, oauth_token)).json;
    const headers = { authorization: `Bearer ${token}`, ...signed.json };
    const response = await at.daemon.fetch(`${at.target.daemon_origin}/api/invoke`, { method: 'POST', headers });
    return { status: response.status, reason: ((await response.json()) as Reply['json']).error?.metadata.reason };
  };
}

describe('SIGN-7: a used v2 proof stays used', () => {
  test.each([
    ['virtual', 0],
    ['virtual', 3_600_000],
    ['real', 0],
  ] as const)('after a kill on a %s clock, advanced by %i ms', async (clock, advanced) => {
    const first = start({ clock });
    const use = await prove(first);
    const unused = await prove(first);
    expect(await use(first)).toMatchObject({ status: 200 });
    expect(await use(first)).toMatchObject({ status: 401, reason: 'nonce_reused' });
    if (advanced > 0) {
      await first.clock.advance(advanced);
      expect(await use(first)).toMatchObject({ reason: 'proof_expired' });
      // Another proof makes the memory forget what has expired.
      expect(await (await prove(first))(first)).toMatchObject({ status: 200 });
    }
    const again = start({ clock, data: killed() });
    expect(await use(again)).toMatchObject({ status: 401, reason: 'nonce_reused' });
    expect(await unused(again)).toMatchObject({ status: 200 });
    expect(await (await prove(again))(again)).toMatchObject({ status: 200 });
  });

  test('after a restart without a file under the same key, which refuses what was signed before it', async () => {
    const inMemory = () => closing(createEmulator({ clock: 'real', seed: 'same' }));
    const first = inMemory();
    const use = await prove(first);
    expect(await use(first)).toMatchObject({ status: 200 });
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_000);
    const again = inMemory();
    later.mockRestore();
    expect(await use(again)).toMatchObject({ status: 401, reason: 'proof_expired' });
    expect(await (await prove(again))(again)).toMatchObject({ status: 200 });
  });

  test('after a reset, and after a state from before was imported', async () => {
    const emulator = start();
    const use = await prove(emulator);
    const { json: before } = await call(emulator, 'GET', '/_emulator/state?credentials=1');
    expect(await use(emulator)).toMatchObject({ status: 200 });
    await emulator.reset();
    expect(await use(emulator)).toMatchObject({ reason: 'nonce_reused' });
    expect((await call(emulator, 'PUT', '/_emulator/state', before)).status).toBe(200);
    expect(await use(emulator)).toMatchObject({ reason: 'nonce_reused' });
  });
});

describe('the signing key', () => {
  const keyOf = (emulator: Emulator) => emulator.target.public_keys[0]?.kid;

  test('is in a file of its own that only its owner may read, and in nothing else', async () => {
    const first = start();
    expect(statSync(`${data}.key`).mode & 0o777).toBe(0o600);
    const secret = readFileSync(`${data}.key`, 'utf8').split('\n')[1] ?? 'none';
    expect(JSON.stringify((await call(first, 'GET', '/_emulator/state?credentials=1')).json)).not.toContain(secret);
    await first.close();
    expect(readFileSync(data, 'utf8')).not.toContain(secret);
    expect(readdirSync(folder)).toEqual(['interns.json', 'interns.json.key']);
    expect(keyOf(start())).toBe(keyOf(first));
  });

  test('of an older store moves there', async () => {
    const first = start();
    const pem = readFileSync(`${data}.key`, 'utf8');
    await first.close();
    rmSync(`${data}.key`);
    const meta = [{ id: 'signing_key', value: pem }];
    writeFileSync(data, JSON.stringify({ format: 'intern-emulator', version: 1, meta }));
    const second = start();
    expect(keyOf(second)).toBe(keyOf(first));
    expect(readFileSync(`${data}.key`, 'utf8')).toBe(pem);
    await second.close();
    expect(readFileSync(data, 'utf8')).not.toContain('signing_key');
  });

  test('that cannot be used is an error that names the file', () => {
    writeFileSync(`${data}.key`, 'junk', { mode: 0o600 });
    expect(() => start()).toThrow(`signing key ${data}.key: the key is neither PEM nor JSON`);
    expect(readdirSync(folder)).not.toContain('interns.json.lock');
  });

  test('that is derived or given is kept nowhere', async () => {
    await start({ seed: 'x' }).close();
    expect(readdirSync(folder)).toEqual(['interns.json']);
  });
});

describe('CHAT-7: the answer to a question that was asked before a restart', () => {
  const chat = (emulator: Emulator, id: string, body: object) =>
    call(emulator, 'POST', `/interns/${id}/chat/completions`, { stream: true, ...body });
  /** Asks a question; the result answers it. */
  async function ask(emulator: Emulator) {
    const id = await idOfSeeded(emulator);
    const { text } = await chat(emulator, id, { messages: [{ role: 'user', content: 'script: ask-question' }] });
    const question = /"id":"(call_[^"]+)"/.exec(text)?.[1];
    const session = /"session_id":"([^"]+)"/.exec(text)?.[1];
    return async (at: Emulator, more: object = {}) => {
      const messages = [{ role: 'tool', tool_call_id: question, content: '{"action":"decline"}' }];
      const { status, json } = await chat(at, id, { session_id: session, messages, ...more });
      return [status, json.error?.metadata.reason];
    };
  }

  test('is 409 after a kill, and 404 in another session and after a reset; its question goes with its intern', async () => {
    const first = start();
    const answers = await ask(first);
    // A write that is acknowledged is on the disk, with all that came before.
    await call(first, 'PATCH', `/interns/${await idOfSeeded(first)}`, { description: 'new' });
    const again = start({ data: killed() });
    expect(await answers(again)).toEqual([409, 'interaction_not_pending']);
    expect(await answers(again, { session_id: 'another' })).toEqual([404, 'interaction_unknown']);
    const state = (await call(again, 'GET', '/_emulator/state')).json;
    expect(state.questions).toHaveLength(1);
    await again.reset();
    expect(await answers(again)).toEqual([404, 'interaction_unknown']);
    await call(first, 'DELETE', `/interns/${await idOfSeeded(first)}`);
    await first.clock.advance(60_000);
    expect((await call(first, 'GET', '/_emulator/state')).json.questions).toEqual([]);
  });
});

test('what an older release exported is migrated when it is imported', async () => {
  const emulator = start();
  const { json: state } = await call(emulator, 'GET', '/_emulator/state');
  const { nonces: _, ...rest } = state;
  const session = { id: 'a', intern_id: state.interns[0].id, session_id: 's', caller: 'alice', origin: 'invoke' };
  const old = { ...rest, version: 1, sessions: [session] };
  expect((await call(emulator, 'PUT', '/_emulator/state', old)).status).toBe(200);
  const { origin: __, ...kept } = session;
  expect((await call(emulator, 'GET', '/_emulator/state')).json).toMatchObject({ version: 4, sessions: [kept] });
  const newer = await call(emulator, 'PUT', '/_emulator/state', { ...state, version: 5 });
  expect([newer.status, newer.json.error.message]).toEqual([400, expect.stringContaining('version: ')]);
});

describe('a full disk', () => {
  /** An emulator whose disk is full whenever `disk.full` is set. */
  function onDisk() {
    const disk = { full: false };
    const log: Record<string, unknown>[] = [];
    const files: typeof realFiles = {
      ...realFiles,
      writeSync(...given) {
        if (disk.full) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        return realFiles.writeSync(...given);
      },
    };
    const emulator = assemble(
      { data, clock: 'virtual', log: (record) => void log.push(record) },
      { ...defaultFactories, openStore: (path, given) => defaultFactories.openStore(path, { ...given, files }) },
    );
    closing(emulator);
    const failures = () => log.filter(({ event }) => event === 'store_failed');
    return { disk, emulator, failures, log };
  }

  test('answers 500, lists nothing that was not stored, and says why', async () => {
    const { disk, emulator, failures } = onDisk();
    const body = { workspace_id: emulator.target.workspace_id, provision: true };
    const id = (await call(emulator, 'POST', '/interns', { name: 'stored', ...body })).json.id;
    await emulator.clock.advance(5_000);
    const before = (await call(emulator, 'GET', '/interns')).json;
    disk.full = true;
    for (const [method, path, given] of [
      ['POST', '/interns', { name: 'new', ...body }],
      ['PATCH', `/interns/${id}`, { name: 'renamed' }],
      ['POST', `/interns/${id}/suspend`, undefined],
      ['DELETE', `/interns/${id}`, undefined],
    ] as const) {
      expect((await call(emulator, method, path, given)).status, `${method} ${path}`).toBe(500);
      expect((await call(emulator, 'GET', '/interns')).json, `after ${method} ${path}`).toEqual(before);
    }
    expect((await call(emulator, 'POST', '/_emulator/reset')).status).toBe(500);
    expect((await call(emulator, 'GET', '/interns')).json).toEqual(before);
    await emulator.clock.advance(60_000);
    expect((await call(emulator, 'GET', '/interns')).json).toEqual(before);
    expect(failures()).toHaveLength(5);
    expect(failures()[0]).toEqual({
      level: 'error',
      event: 'store_failed',
      error: `${data}: cannot write its log: the disk is full`,
    });

    disk.full = false;
    // The names are free, or taken, as what is listed says.
    expect((await call(emulator, 'POST', '/interns', { name: 'stored', ...body, description: 'x' })).status).toBe(409);
    const made = await call(emulator, 'POST', '/interns', { name: 'new', ...body });
    expect(made.status).toBe(201);
    await emulator.clock.advance(5_000);
    const listed = (await call(emulator, 'GET', '/interns')).json;
    expect(listed.data).toMatchObject([{ name: 'new', status: 'running' }, { name: 'stored' }, {}]);
    const again = start({ data: killed() });
    expect((await call(again, 'GET', '/interns')).json).toEqual(listed);
  });

  test('ends the run of an invoke whose session could not be stored, and takes no turn for it', async () => {
    const { disk, emulator } = onDisk();
    const { intern } = emulator.target.credentials;
    const invoke = () => call(emulator, 'POST', `/interns/${intern?.id}/invoke`, { input: 'script: never-ends' });
    await call(emulator, 'PUT', '/_emulator/limits', { turns_per_minute: 1 });
    disk.full = true;
    expect((await invoke()).status).toBe(500);
    const runs = async () => (await call(emulator, 'GET', '/_emulator/runs')).json.data;
    expect(await runs()).toMatchObject([{ origin: 'invoke', status: 'ended', ended: 'cancelled' }]);

    disk.full = false;
    const accepted = await invoke();
    expect(accepted.status).toBe(202);
    expect(await runs()).toMatchObject([{ session_id: accepted.json.session_id, status: 'running' }, {}]);
  });

  test('keeps no part of a snapshot, and says why also where only errors are logged', async () => {
    const { disk, emulator, log } = onDisk();
    disk.full = true;
    expect((await call(emulator, 'PUT', '/_emulator/snapshots/mine')).status).toBe(500);
    expect(log).toMatchObject([
      { level: 'error', event: 'internal_error', error: expect.stringContaining('cannot write it: the disk is full') },
    ]);
    expect((await call(emulator, 'GET', '/_emulator/snapshots')).json.data).toMatchObject([{ name: 'start' }]);
    expect(readdirSync(`${data}.snapshots`)).toEqual([]);
    disk.full = false;
    expect((await call(emulator, 'PUT', '/_emulator/snapshots/mine')).status).toBe(200);
  });

  test('lets a boot go on that nobody must hear of', async () => {
    const { disk, emulator } = onDisk();
    const body = { name: 'boots', workspace_id: emulator.target.workspace_id, provision: true };
    const { id } = (await call(emulator, 'POST', '/interns', body)).json;
    disk.full = true;
    // An update that fails in the middle of a boot starts the boot anew.
    expect((await call(emulator, 'PATCH', `/interns/${id}`, { description: 'x' })).status).toBe(500);
    await emulator.clock.advance(5_000);
    expect((await call(emulator, 'GET', `/interns/${id}`)).json).toMatchObject({
      status: 'running',
      description: null,
    });
    disk.full = false;
    await emulator.close();
    expect((await call(start(), 'GET', `/interns/${id}`)).json.status).toBe('running');
  });
});
