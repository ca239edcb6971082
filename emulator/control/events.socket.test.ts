import { describe, expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

interface Received {
  type: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  data: any;
}

type TestClient = ReturnType<typeof createTestClient>;

/** A subscriber, and the events it has received. */
async function listen(api: TestClient, query = '', lastEventId?: string) {
  const response = await api.emulator.fetch(`/_emulator/events${query}`, {
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const received: Received[] = [];
  let rest = '';
  let id = '';
  const take = (block: string) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    id = field('id') ?? id;
    const data = field('data');
    if (data !== undefined) received.push({ type: field('event') ?? '', id, data: JSON.parse(data) });
  };
  const read = async () => {
    const { done, value } = await reader.read();
    if (done) return false;
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) take(block);
    return true;
  };
  await read();
  return {
    received,
    lastId: () => id,
    /** Reads until an event is there, and returns it. */
    async until(wanted: (event: Received) => boolean): Promise<Received> {
      for (;;) {
        const found = received.find(wanted);
        if (found) return found;
        if (!(await read())) throw new Error(`the stream ended after ${JSON.stringify(received)}`);
      }
    },
    ended: () => reader.read().then(({ done }) => done),
    leave: () => reader.cancel(),
  };
}

const chat = (api: TestClient, content: string, more = {}) => api.chat(content, more);

/** A request that no rule is about: many of them cost little. */
const ask = (api: TestClient) => api.emulator.fetch(`${api.emulator.target.base_url}/nowhere`);

describe('SEE-3: each event is what its read answers', () => {
  test('an intern as it boots, step by step, and when it is gone', async () => {
    const api = createTestClient();
    const seen = await listen(api, '?types=intern');
    const made = await api.create({ provision: true });
    await api.advance(10_000);
    const running = await seen.until(({ data }) => data.intern?.status === 'running');
    const { api_key: _, ...read } = (await api.get(`/_emulator/interns/${made.id}`)).json;
    expect(running).toMatchObject({ type: 'intern', data: read });
    expect(running.data).not.toHaveProperty('api_key');
    const statuses = seen.received.map(({ data }) => data.intern.status);
    expect([...new Set(statuses)]).toEqual(['stopped', 'queued', 'provisioning', 'running']);
    await api.delete(`/interns/${made.id}`);
    await api.advance(10_000);
    expect((await seen.until(({ data }) => data.deleted)).data).toEqual({ id: made.id, deleted: true });
  });

  test('a run, what is said in it, its request and the writes of its stream', async () => {
    const api = createTestClient();
    const seen = await listen(api);
    const { text } = await chat(api, 'hello there');
    const ended = await seen.until(({ type, data }) => type === 'run' && data.status === 'ended');
    const [run] = (await api.get('/_emulator/runs')).json.data;
    expect(ended.data).toEqual(run);
    const closed = await seen.until(({ type, data }) => type === 'request' && data.closed !== undefined);
    expect(closed.data).toEqual((await api.get(`/_emulator/journal/${closed.data.id}`)).json);
    expect(closed.data).toMatchObject({ run_id: run.id, intern_id: run.intern_id, operation: 'chat', wrong: null });
    const writes = seen.received.filter(({ type }) => type === 'write');
    expect(writes.map(({ data }) => data.text).join('')).toBe(text);
    expect(writes[0]?.data).toEqual({
      request_id: closed.data.id,
      n: 0,
      at: '2026-01-01T00:00:00.000Z',
      bytes: expect.any(Number),
      text: expect.any(String),
    });
    const said = seen.received.filter(({ type }) => type === 'said').map(({ data }) => data);
    expect(said[0]).toEqual({
      run_id: run.id,
      n: 0,
      at: '2026-01-01T00:00:00.000Z',
      type: 'prompt',
      text: 'hello there',
    });
    expect(said.at(-1)).toMatchObject({ type: 'end', ended: 'stop' });
  });

  test('the clock, faults and scripts', async () => {
    const api = createTestClient();
    const seen = await listen(api, '?types=clock,fault,script');
    await api.post('/_emulator/clock', { advance: '5m' });
    await api.emulator.clock.advance(1);
    await api.post('/_emulator/faults', { operation: 'list', status: 503 });
    await api.get('/interns');
    await api.put('/_emulator/scripts/mine', { name: 'mine', turn: [{ say: 'hi' }] });
    await api.delete('/_emulator/scripts/mine');
    await seen.until(({ data }) => data.deleted);
    expect(seen.received.map(({ type, data }) => [type, data])).toEqual([
      ['clock', { now: '2026-01-01T00:05:00.000Z', mode: 'virtual' }],
      ['clock', { now: '2026-01-01T00:05:00.001Z', mode: 'virtual' }],
      ['fault', { data: [{ id: expect.any(String), operation: 'list', status: 503, times: 1 }] }],
      ['fault', { data: [] }],
      ['script', { name: 'mine', from: 'control', source: { name: 'mine', turn: [{ say: 'hi' }] } }],
      ['script', { id: 'mine', deleted: true }],
    ]);
  });
});

describe('SEE-3: Last-Event-ID', () => {
  test('tells what was missed, in order, and goes on from there', async () => {
    const api = createTestClient();
    const first = await listen(api);
    await api.get('/interns');
    await first.until(({ type }) => type === 'request');
    const lastId = first.lastId();
    await first.leave();
    const made = await api.create();
    await chat(api, 'while nobody listens');
    const second = await listen(api, '', lastId);
    await api.get(`/interns/${made.id}`);
    await second.until(({ data }) => data.operation === 'get');
    const types = second.received.map(({ type }) => type);
    expect(types).not.toContain('reset');
    expect(types.filter((type) => type === 'request')).toHaveLength(3);
    expect(second.received.some(({ data }) => data.text === 'while nobody listens')).toBe(true);
    expect(second.received.find(({ type }) => type === 'intern')?.data.intern.id).toBe(made.id);
    const places = second.received.map(({ id }) => Number(id.split('-').at(-1)));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(places.length);
  });

  test.each(['no such id', '-1', '0', '99999999', 'ffffffff-1'])('answers %j with a reset', async (unknown) => {
    const api = createTestClient();
    const seen = await listen(api, '', unknown);
    expect((await seen.until(({ type }) => type === 'reset')).data).toEqual({ why: expect.any(String) });
    await api.get('/interns');
    await seen.until(({ type }) => type === 'request');
  });

  /** The id of the n-th request of an emulator that is made the same each time. */
  async function idAfter(requests: number, served: boolean) {
    const api = createTestClient({ seed: 'same', clock: 'virtual' });
    if (served) await api.emulator.listen({ port: 0 });
    const seen = await listen(api);
    for (let i = 0; i < requests; i++) await api.get('/interns');
    await seen.until(() => seen.received.length === requests);
    await seen.leave();
    return { api, id: seen.received[0]?.id ?? '' };
  }

  test('answers an id of an earlier process with a reset, also one of the same seed on a virtual clock', async () => {
    const earlier = await idAfter(1, true);
    await earlier.api.emulator.close();
    const { api } = await idAfter(3, true);
    const back = await listen(api, '', earlier.id);
    await back.until(({ type }) => type === 'reset');
    await api.emulator.close();
  });

  test('ids are the same each time where nobody can come back: without a socket', async () => {
    expect((await idAfter(2, false)).id).toBe((await idAfter(2, false)).id);
  });

  test('answers what the journal no longer reaches with a reset', async () => {
    const api = createTestClient();
    const first = await listen(api);
    await api.get('/interns');
    await first.until(({ type }) => type === 'request');
    await first.leave();
    for (let i = 0; i < 1_001; i++) await ask(api);
    const second = await listen(api, '', first.lastId());
    await second.until(({ type }) => type === 'reset');
  });

  test('a reset of the emulator, an import and an emptied journal are sent as one', async () => {
    const api = createTestClient();
    const seen = await listen(api, '?types=run');
    const state = (await api.get('/_emulator/state')).json;
    await api.post('/_emulator/reset');
    await seen.until(() => seen.received.length === 1);
    await api.put('/_emulator/state', state);
    await seen.until(() => seen.received.length === 2);
    await api.delete('/_emulator/journal');
    await seen.until(() => seen.received.length === 3);
    expect(seen.received.map(({ type }) => type)).toEqual(['reset', 'reset', 'reset']);
  });
});

test('an invalid type is refused', async () => {
  const api = createTestClient();
  const { status, json } = await api.get('/_emulator/events?types=run,walk');
  expect([status, json.error.message]).toEqual([400, expect.stringContaining('"walk" is not one of intern, run')]);
});

test('no credential is sent', async () => {
  const api = createTestClient();
  const seen = await listen(api);
  const key = api.credentials.api_key;
  await chat(api, `my key is ${key}`);
  await api.get(`/interns?status=${key}`);
  const own = (await api.get(`/_emulator/interns/${api.credentials.intern?.id}`)).json.api_key;
  await api.put(`/_emulator/interns/${api.credentials.intern?.id}/script`, { name: 'echo' });
  await seen.until(({ type }) => type === 'intern');
  expect(JSON.stringify(seen.received)).not.toContain(key);
  expect(JSON.stringify(seen.received)).not.toContain(own);
  const [run] = (await api.get('/_emulator/runs')).json.data;
  expect((await api.get(`/_emulator/runs/${run.id}`)).text).not.toContain(key);
});

test('more requests than anybody can follow are thinned, and the rest counted', async () => {
  const api = createTestClient();
  const seen = await listen(api);
  // All at once: 200 a second may come one after the other on a busy machine.
  await Promise.all(Array.from({ length: 1_000 }, () => ask(api)));
  const counted = () =>
    seen.received.reduce(
      (sum, { type, data }) => sum + (type === 'request' ? 1 : type === 'skipped' ? data.requests : 0),
      0,
    );
  await seen.until(() => counted() === 1_000);
  expect(seen.received.filter(({ type }) => type === 'request').length).toBeLessThan(1_000);
});

test('a subscriber that did not read for a while gets what it missed, or that it did', async () => {
  const api = createTestClient();
  const instructions = 'x'.repeat(60_000);
  const seen = await listen(api, '?types=intern');
  for (let i = 0; i < 9; i++) await api.create({ instructions });
  const last = await api.create({ name: 'the-last' });
  await seen.until(({ data }) => data.intern?.id === last.id);
  expect(new Set(seen.received.map(({ data }) => data.intern.id)).size).toBe(10);
});

test('the streams end with the emulator', async () => {
  const api = createTestClient();
  const seen = await listen(api);
  await api.emulator.close();
  expect(await seen.ended()).toBe(true);
});

test('an automatic clock tells where it has got to', async () => {
  const api = createTestClient({ clock: 'auto' });
  const seen = await listen(api, '?types=clock');
  await chat(api, 'script: slow');
  const last = await seen.until(({ data }) => data.now === '2026-01-01T00:00:09.500Z');
  expect(last.data).toEqual((await api.get('/_emulator/clock')).json);
});
