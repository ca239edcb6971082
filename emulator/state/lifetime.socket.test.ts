import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { createEmulator } from '../emulator.js';
import type { EmulatorOptions } from '../options/options.js';
import type { Behaviour } from '../scripts/behaviour.js';
import { heldOpen } from '../serving/held-open.harness.js';
import { createTestClient } from '../testing/client.harness.js';

const turns = async (count = 5) => {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** A behaviour that never accepts its prompt, and ignores everything. */
const deaf: Behaviour = {
  name: 'deaf',
  async *turn() {
    await new Promise(() => {});
  },
};

/** A body that comes when it is sent. */
function slowBody() {
  let send = (_rest: string) => {};
  const raw = new ReadableStream<Uint8Array>({
    start(sender) {
      send = (rest) => {
        sender.enqueue(Buffer.from(rest));
        sender.close();
      };
    },
  });
  return { raw, send };
}

const client = (options: EmulatorOptions = {}) => {
  const api = createTestClient({ scripts: [deaf], ...options });
  closing(api.emulator);
  const intern = api.credentials.intern?.id ?? '';
  const messages = (content: string) => ({ stream: true, messages: [{ role: 'user', content }] });
  return {
    ...api,
    intern,
    fault: (fault: object) => api.post('/_emulator/faults', fault),
    chat: (content: string) => api.post(`/interns/${intern}/chat/completions`, messages(content)),
    /** The same, as a call that can be abandoned. */
    prompt: (content: string, signal: AbortSignal) =>
      api.emulator.fetch(`${api.emulator.target.base_url}/interns/${intern}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api.credentials.api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(messages(content)),
        signal,
      }),
    runs: async () => (await api.get('/_emulator/runs')).json.data,
    sessions: async () => (await api.get('/_emulator/state')).json.sessions,
    interns: async () => (await api.get('/interns')).json.data.map((each: { name: string }) => each.name),
  };
};

describe('a construction that throws', () => {
  test.each<[string, (at: string) => EmulatorOptions]>([
    ['an invalid script file', (at) => ({ scriptFiles: [at, join(at, 'no-such.json')] })],
    ['an invalid signing key', (at) => ({ scriptFiles: [at], signingKey: 'junk' })],
    ['an issuer that is no URL', (at) => ({ scriptFiles: [at], oidcIssuer: 'junk' })],
    ['an invalid setting', (at) => ({ scriptFiles: [at], settings: { keepalive: -1 } })],
    ['an invalid lifecycle', (at) => ({ scriptFiles: [at], scripts: [{ ...deaf, lifecycle: { boot: {} } }] as never })],
  ])('leaves no lock, no watcher and no descriptor: %s', async (_what, wrong) => {
    const at = folderOfTest();
    const data = join(folderOfTest(), 'interns.json');
    const options = wrong(at);
    let made: ReturnType<typeof createEmulator> | undefined;
    const attempt = () => {
      made = createEmulator({ data, ...options });
    };
    // An issuer is contacted when its first token comes.
    if (options.oidcIssuer === undefined) expect(attempt).toThrow();
    else attempt();
    await made?.close();
    expect([...heldOpen(at), ...heldOpen(dirname(data))]).toEqual([]);
    const corrected = createEmulator({ data, scriptFiles: [at] });
    expect(heldOpen(at)).toEqual([at]);
    await corrected.close();
  });
});

describe('a client that leaves before its prompt was accepted', () => {
  test('frees the turn lock at once, and takes no turn, on a clock that stands still', async () => {
    const api = client({ settings: { turns_per_minute: 1 } });
    const leaving = new AbortController();
    const prompted = api.prompt('script: deaf', leaving.signal);
    await turns();
    expect((await api.chat('hello')).status).toBe(409);
    leaving.abort(new Error('left'));
    await expect(prompted).rejects.toThrow('left');
    expect((await api.chat('hello')).status).toBe(200);
    expect(await api.runs()).toMatchObject([{ ended: 'stop' }, { ended: 'cancelled' }]);
  });

  test('does so on a socket too', async () => {
    const api = client();
    await api.emulator.listen({ port: 0 });
    const { host, port, hostname } = new URL(api.emulator.target.base_url);
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: deaf' }] });
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/v1/interns/${api.intern}/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${api.credentials.api_key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(api.runs).toMatchObject([{ status: 'running' }]);
    await turns();
    socket.destroy();
    await expect.poll(api.runs).toMatchObject([{ ended: 'cancelled' }]);
    expect((await api.chat('hello')).status).toBe(200);
  });
});

describe('a reset', () => {
  test('cuts short what waits in an injected delay or for its body, which writes nothing into the new state', async () => {
    const api = client();
    await api.fault({ operation: 'create', delay: '5m' });
    const delayed = api.post('/interns', { name: 'delayed', workspace_id: api.workspaceId });
    const { raw, send } = slowBody();
    const slow = api.call('POST', '/interns', { raw, headers: { 'content-type': 'application/json' } });
    await turns();
    await api.emulator.reset();
    for (const cut of await Promise.all([delayed, slow])) {
      expect(cut.status).toBe(503);
      expect(cut.json.error).toMatchObject({ message: 'The emulator was reset', metadata: { retryable: true } });
    }
    expect(() => send('{}')).toThrow();
    await api.advance(600_000);
    expect(await api.interns()).not.toContain('delayed');
  });

  test('cuts short a control call whose body is still being sent', async () => {
    const api = client();
    const { raw, send } = slowBody();
    const put = api.call('PUT', '/_emulator/scripts/late', { raw });
    await turns();
    await api.emulator.reset();
    send(JSON.stringify({ name: 'late', turn: [{ say: 'too late' }] }));
    expect((await put).status).toBe(503);
    expect((await api.get('/_emulator/scripts/late')).status).toBe(404);
  });

  test('leaves no session of a run that was accepted only by its end', async () => {
    const api = client();
    const invoked = api.post(`/interns/${api.intern}/invoke`, { input: 'script: deaf' });
    const chatted = api.chat('script: deaf');
    await turns();
    await api.emulator.reset();
    expect((await invoked).status).toBe(503);
    expect((await chatted).status).toBe(503);
    expect([await api.sessions(), await api.runs()]).toEqual([[], []]);
  });

  test('ends streams as an intern does that ends its runs, for readers too that have yet to read', async () => {
    const api = client();
    const streaming = await api.prompt('script: never-ends', new AbortController().signal);
    await api.emulator.reset();
    const text = await streaming.text();
    expect(text).toContain('"reason":"run_ended"');
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  test('is one step: a request in the same turn sees the new state whole, names and keys too', async () => {
    const data = join(folderOfTest(), 'interns.json');
    for (const options of [{}, { data }]) {
      const api = client(options);
      const made = await api.create({ name: 'taken' });
      const { api_key } = (await api.get(`/_emulator/interns/${made.id}`)).json;
      const reset = api.emulator.reset();
      const seen = await Promise.all([
        api.post('/interns', { name: 'taken', workspace_id: api.workspaceId }),
        api.get(`/interns/${made.id}`),
        api.get(`/interns/${made.id}`, { as: api_key }),
        api.get(`/interns/${api.intern}`, { as: api.credentials.intern?.api_key ?? '' }),
      ]);
      expect(seen.map((reply) => reply.status)).toEqual([201, 404, 401, 200]);
      await reset;
      expect(await api.interns()).toContain('taken');
    }
  });

  test('puts an imported state in place the same way', async () => {
    const api = client();
    const { json: state } = await api.get('/_emulator/state?credentials=1');
    await api.create({ name: 'later' });
    await api.fault({ operation: 'create', delay: '5m' });
    const delayed = api.post('/interns', { name: 'delayed', workspace_id: api.workspaceId });
    await turns();
    expect((await api.put('/_emulator/state', state)).status).toBe(200);
    expect((await delayed).json.error.message).toBe('The state of the emulator was replaced');
    expect(await api.interns()).toHaveLength(1);
  });

  test('ends an advance of a hundred years, where it has come to, and boots go on in the new state only', async () => {
    const api = client();
    // A stream that stays open: its keepalives alone would take hours.
    const reading = (await api.prompt('script: never-ends', new AbortController().signal)).text();
    const century = 100 * 365 * 86_400_000;
    const advanced = api.advance(century);
    const asked = api.post('/_emulator/clock', { advance: century });
    const booting = await api.create({ name: 'booting', provision: true });
    await turns();
    await api.emulator.reset();
    await expect(advanced).rejects.toThrow('The emulator was reset');
    expect((await asked).status).toBe(503);
    await reading;
    const { now } = (await api.get('/_emulator/clock')).json;
    await api.advance(60_000);
    expect(Date.parse((await api.get('/_emulator/clock')).json.now)).toBe(Date.parse(now) + 60_000);
    expect((await api.get(`/interns/${booting.id}`)).status).toBe(404);
  });
});

test('a caller of an advance who leaves ends it', async () => {
  const api = client();
  const reading = (await api.prompt('script: never-ends', new AbortController().signal)).text();
  const leaving = new AbortController();
  const asked = api.emulator.fetch('/_emulator/clock', {
    method: 'POST',
    body: JSON.stringify({ advance: 100 * 365 * 86_400_000 }),
    headers: { 'content-type': 'application/json' },
    signal: leaving.signal,
  });
  await turns(50);
  leaving.abort(new Error('left'));
  await expect(asked).rejects.toThrow('left');
  const before = (await api.get('/_emulator/clock')).json.now;
  await turns(50);
  expect((await api.get('/_emulator/clock')).json.now).toBe(before);
  await api.emulator.close();
  await reading;
});

test('what a script throws in the middle of a boot or a teardown is logged, fails that, and the clock goes on', async () => {
  const log: Record<string, unknown>[] = [];
  let broken = false;
  const fragile: Behaviour = {
    name: 'fragile',
    async *turn() {},
    get lifecycle() {
      if (broken) throw new Error('it broke');
      return {};
    },
  };
  const api = client({ scripts: [fragile], log: (record) => log.push(record) });
  const made = [];
  for (const name of ['booting', 'leaving']) made.push(await api.create({ name, instructions: 'script: fragile' }));
  const [booting, leaving] = made;
  await api.post(`/interns/${leaving.id}/provision`);
  await api.advance(5_000);
  await api.post(`/interns/${booting.id}/provision`);
  await api.delete(`/interns/${leaving.id}`);
  broken = true;
  await api.advance(5_000);
  const status = async ({ id }: { id: string }) => (await api.get(`/interns/${id}`)).json;
  const message = 'could not go on: it broke';
  expect(await status(booting)).toMatchObject({ status: 'failed', last_failure_message: `The boot ${message}` });
  expect(await status(leaving)).toMatchObject({
    status: 'destroy_failed',
    last_failure_message: `The teardown ${message}`,
  });
  expect(log.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({ level: 'error', event: 'boot_failed', message: 'it broke' }),
    expect.objectContaining({ level: 'error', event: 'teardown_failed', message: 'it broke' }),
  ]);
  broken = false;
  await api.delete(`/interns/${leaving.id}`);
  await api.advance(5_000);
  expect((await api.get(`/interns/${leaving.id}`)).status).toBe(404);
});
