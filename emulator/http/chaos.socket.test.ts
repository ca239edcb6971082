import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { createEmulator, type EmulatorOptions, OptionError } from '../index.js';
import { createTestClient } from '../testing/client.harness.js';

const make = (options: EmulatorOptions = {}) => {
  const api = createTestClient({ seed: 'chaos', ...options });
  closing(api.emulator);
  return {
    ...api,
    id: api.credentials.intern?.id ?? '',
    async statuses(path: string, times: number) {
      const statuses: number[] = [];
      for (let time = 0; time < times; time++) statuses.push((await api.get(path)).status);
      return statuses;
    },
    put: (body: unknown) => api.post('/_emulator/faults', body),
    left: async () => (await api.get('/_emulator/faults')).json.data,
  };
};

test('a fault lets the first calls pass, meets the next, and says how many are left', async () => {
  const api = make();
  await api.put({ operation: 'list', status: 503, after: 2, times: 2 });
  expect(await api.statuses('/interns', 1)).toEqual([200]);
  expect(await api.left()).toMatchObject([{ operation: 'list', status: 503, after: 1, times: 2 }]);
  expect(await api.statuses('/interns', 4)).toEqual([200, 503, 503, 200]);
  expect(await api.left()).toEqual([]);
});

test('a fault meets calls by chance, alike for one seed, and always where it says so', async () => {
  const seen = async (seed: string) => {
    const api = make({ seed });
    await api.put({ operation: 'list', status: 500, probability: 0.5, times: 'always' });
    return api.statuses('/interns', 64);
  };
  const first = await seen('a');
  expect(first.filter((status) => status === 500).length).toBeGreaterThan(16);
  expect(first.filter((status) => status === 200).length).toBeGreaterThan(16);
  expect(await seen('a')).toEqual(first);
  expect(await seen('b')).not.toEqual(first);
});

test('a fault meets the calls to one intern', async () => {
  const api = make();
  const { id: other } = await api.create();
  await api.put({ operation: 'get', status: 504, intern_id: other.toUpperCase(), times: 'always' });
  expect(await api.statuses(`/interns/${api.id}`, 2)).toEqual([200, 200]);
  expect(await api.statuses(`/interns/${other}`, 2)).toEqual([504, 504]);
});

test('the journal shows what was injected', async () => {
  const api = make();
  await api.put([
    { operation: 'list', status: 503 },
    { operation: 'create', at: 'vault' },
  ]);
  await api.get('/interns');
  await api.post('/interns', { name: 'other', workspace_id: api.workspaceId });
  await api.get('/interns');
  const [listed, created, again] = (await api.get('/_emulator/journal')).json.data;
  expect(listed?.injected).toEqual({ status: 503 });
  expect(created?.injected).toEqual({ at: 'vault' });
  expect(again).not.toHaveProperty('injected');
});

test('a list of faults is taken whole or not at all, and what is wrong is reported with its place', async () => {
  const api = make();
  for (const [body, message] of [
    [
      [
        { operation: 'list', status: 503 },
        { operation: 'chats', status: 503 },
      ],
      /^\[1\]\.operation: /,
    ],
    [{ operation: 'list', status: 503, intern_id: api.id }, /^intern_id: calls of list/],
    [{ operation: 'list', disconnect: 'mid-event' }, /^disconnect: only chat streams/],
    [{ operation: 'create', at: 'vault', disconnect: true }, /^at: /],
    [{ operation: 'create', at: 'vault', status: 500 }, /^at: /],
    [{ operation: 'list', status: 500, reset: true }, /^reset: /],
    [{ operation: 'list', status: 500, probability: 2 }, /^probability: /],
    [{ operation: 'list', status: 500, times: 'often' }, /^times: /],
  ] as const) {
    const refused = await api.put(body);
    expect([refused.status, refused.json.error.message]).toEqual([400, expect.stringMatching(message)]);
  }
  expect(await api.left()).toEqual([]);
});

test.each([
  ['reset', ''],
  ['before-headers', ''],
  ['before-headers', ', while a disturbance of another call is to come,'],
] as const)('a connection that is dropped by %s%s says so', async (disconnect, beside) => {
  const api = make();
  const { url } = await api.emulator.listen({ port: 0 });
  await api.put({ operation: 'list', disconnect });
  if (beside) await api.put({ operation: 'create', disturb: 'unavailable' });
  const error = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
    const headers = { authorization: `Bearer ${api.emulator.target.credentials.api_key}` };
    request(`${url}/api/v1/interns`, { headers }, () => reject(new Error('it was answered')))
      .on('error', resolve)
      .end();
  });
  // Both are reported as ECONNRESET; only a reset came from the system.
  expect(error.code).toBe('ECONNRESET');
  expect(error.syscall).toBe(disconnect === 'reset' ? 'read' : undefined);
});

test('a stream is reset in the middle of an event', async () => {
  const api = make();
  const { url } = await api.emulator.listen({ port: 0 });
  await api.put({ operation: 'chat', disconnect: 'mid-event', reset: true });
  const error = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
    const headers = { authorization: `Bearer ${api.emulator.target.credentials.api_key}` };
    const sent = request(
      `${url}/api/v1/interns/${api.id}/chat/completions`,
      { method: 'POST', headers },
      (response) => {
        response.on('error', () => {});
        response.on('end', () => reject(new Error('it ended')));
        response.resume();
        response.socket.on('error', resolve);
      },
    );
    sent.on('error', () => {});
    sent.end(JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Hello there' }] }));
  });
  expect([error.code, error.syscall]).toEqual(['ECONNRESET', 'read']);
});

test('a chaos profile is there from the start and after each reset; what is wrong in its file is reported with its path', async () => {
  const folder = folderOfTest('chaos-');
  const file = join(folder, 'chaos.json');
  const faults = [{ operation: 'list', status: 503, times: 1 }];
  for (const content of [{ name: 'bad day', faults }, faults]) {
    writeFileSync(file, JSON.stringify(content));
    const api = make({ chaos: file });
    expect(await api.statuses('/interns', 2)).toEqual([503, 200]);
    await api.emulator.reset();
    expect(await api.statuses('/interns', 2)).toEqual([503, 200]);
  }
  const wrong = (content: string) => {
    writeFileSync(file, content);
    try {
      createEmulator({ chaos: file });
    } catch (error) {
      expect(error).toBeInstanceOf(OptionError);
      return (error as Error).message;
    }
    throw new Error('it was taken');
  };
  expect(wrong('[{"operation":"list"}]')).toBe(
    `chaos profile ${file}: faults[0]: expected one of status, delay, disconnect, at, disturb`,
  );
  expect(wrong('{"faults":[{"operation":"lists","status":500}]}')).toMatch(/faults\[0\]\.operation: /);
  expect(wrong('{"faults"')).toMatch(/is not JSON/);
  rmSync(file);
  expect(() => createEmulator({ chaos: file })).toThrow(/cannot be read: no such file/);
});
