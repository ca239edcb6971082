import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import type { EmulatorOptions } from '../options/options.js';
import type { Behaviour } from '../scripts/behaviour.js';
import { createTestClient, type Reply } from '../testing/client.harness.js';

const EPOCH = Date.UTC(2026, 0, 1);

const client = (options: EmulatorOptions = {}) => {
  const api = createTestClient({ clock: 'auto', ...options });
  closing(api.emulator);
  const intern = api.credentials.intern?.id ?? '';
  return {
    ...api,
    intern,
    since: () => api.emulator.clock.now() - EPOCH,
    chat: (content: string, more: object = {}, of = intern) => api.chat(content, more, undefined, of),
    /** Asks until the answer is as wanted. Even work without delays takes a few turns. */
    async until(path: string, wanted: (reply: Reply) => boolean): Promise<Reply> {
      for (let turns = 0; turns < 2_000; turns++) {
        const reply = await api.get(path);
        if (wanted(reply)) return reply;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      throw new Error(`${path} never answered as wanted`);
    },
  };
};

describe('on an automatic clock (WEB-5)', () => {
  test('boots and teardowns take no time, and show the time they took', async () => {
    const api = client();
    const made = await api.create({ name: 'booting', provision: true });
    const { json } = await api.until(`/interns/${made.id}`, (reply) => reply.json.status === 'running');
    expect(Date.parse(json.updated_at) - Date.parse(json.created_at)).toBe(1_000);
    await api.delete(`/interns/${made.id}`);
    await api.until(`/interns/${made.id}`, (reply) => reply.status === 404);
    expect(api.since()).toBe(2_000);
  });

  test('a script that waits streams each thing at its time, with keepalives between, in order', async () => {
    const api = client();
    expect((await api.chat('script: slow')).text.match(/"content":"[^"]+"/g)).toHaveLength(20);
    const spent = api.since();
    expect(spent).toBeGreaterThanOrEqual(19 * 500);
    const { text } = await api.chat('script: silent');
    expect(text.match(/: keepalive/g)).toHaveLength(9);
    expect(text).toMatch(/"content":"[^"]+".*: keepalive.*"finish_reason":"stop".*\[DONE\]/s);
    expect(api.since()).toBe(spent + 300_000);
    const entries = (await api.get('/_emulator/journal')).json.data;
    const writes = entries.at(-1).writes.map((write: { at: string }) => Date.parse(write.at) - EPOCH - spent);
    expect(writes.slice(1, -1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((count) => count * 30_000));
  });

  test('a delay beyond the bound of the signing route is its 408, at its time', async () => {
    const api = client();
    await api.post('/_emulator/faults', { operation: 'sign', delay: '15s' });
    const path = `/interns/${api.intern}/daemon/sign`;
    const signed = await api.post(path, { bodySha256: '0'.repeat(64) }, { as: api.credentials.oauth_token });
    expect(signed.status).toBe(408);
    expect(api.since()).toBe(10_000);
  });

  test('a question waits for its client however long, and until its deadline when that is passed', async () => {
    const api = client();
    const asked = await api.chat('script: ask-question', { session_id: 'asks' });
    expect(asked.text).toContain('"finish_reason":"tool_calls"');
    for (let turns = 0; turns < 200; turns++) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(api.since()).toBe(0);
    // Other work continues meanwhile, and brings the deadline nearer.
    await api.create({ name: 'booting', provision: true });
    await api.until('/interns', (reply) => reply.json.data[0].status === 'running');
    const waiting = async () => (await api.get('/_emulator/runs')).json.data[0].status;
    expect([api.since(), await waiting()]).toEqual([1_000, 'waiting']);
    await api.advance(298_999);
    expect(await waiting()).toBe('waiting');
    await api.advance(1);
    expect(await waiting()).toBe('ended');
  });

  test('a reset ends what waits, and the clock goes on where it is', async () => {
    const api = client();
    await api.post(`/interns/${api.intern}/invoke`, { input: 'script: slow' });
    await api.emulator.reset();
    const { since } = api;
    const before = since();
    await api.create({ name: 'booting', provision: true });
    await api.until('/interns', (reply) => reply.json.data[0].status === 'running');
    expect(since()).toBe(before + 1_000);
  });

  test('a script that waits again and again leaves room for everything else', async () => {
    const polls: Behaviour = {
      name: 'polls',
      // biome-ignore lint/correctness/useYield: it says nothing at all
      async *turn(_turn, { clock }) {
        for (;;) await clock.sleep(60_000);
      },
    };
    const api = client({ scripts: [polls], settings: { execution_deadline: 86_400_000 } });
    expect((await api.post(`/interns/${api.intern}/invoke`, { input: 'script: polls' })).status).toBe(202);
    await api.until('/_emulator/clock', () => api.since() >= 3_600_000);
    expect((await api.get('/interns')).status).toBe(200);
    expect(api.since()).toBeLessThan(86_400_000);
  });

  test('the same seed and requests give the same bytes', async () => {
    const story = async () => {
      const api = client({ seed: 's' });
      const made = await api.create({ name: 'same', provision: true });
      await api.until(`/interns/${made.id}`, (reply) => reply.json.status === 'running');
      const texts = [(await api.chat('script: slow', {}, made.id)).text, (await api.chat('script: silent')).text];
      return texts;
    };
    expect(await story()).toEqual(await story());
  });
});
