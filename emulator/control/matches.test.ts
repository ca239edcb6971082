import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import seed from '../../fixtures/seeds/default.json' with { type: 'json' };
import { folderOfTest } from '../../test/folders.js';
import type { RequestRecord } from '../http/request-log.js';
import type { EmulatorOptions } from '../options/options.js';
import { createTestClient } from '../testing/client.harness.js';

const says = (name: string) => ({ name, turn: [{ say: `I am ${name}.` }] });

function client(options: EmulatorOptions = {}) {
  const api = createTestClient({ scripts: [says('one'), says('two')], ...options });
  const id = api.credentials.intern?.id ?? '';
  /** The intern's reply to a prompt. */
  const said = async (prompt: string, more: object = {}) => {
    const answer = await api.chat(prompt, more);
    const texts = [...answer.text.matchAll(/"delta":\{(?:"role":"assistant",)?"content":"((?:[^"\\]|\\.)*)"/g)];
    return { ...answer, said: texts.map(([, text]) => text).join('') || answer.text };
  };
  const put = (matches: unknown) => api.put('/_emulator/matches', matches);
  return { api, id, said, put };
}

test('a script is chosen by what the prompt says: the first match counts, each by all its conditions', async () => {
  const { api, put, said } = client();
  const matches = [
    { when: { contains: 'deploy', regex: '(?i)^please' }, script: 'one' },
    { when: { contains: 'deploy' }, script: 'two' },
    { when: { regex: '^\\d{3}$' }, script: 'one' },
  ];
  expect((await put(matches)).json).toEqual({ data: matches });
  expect((await api.get('/_emulator/matches')).json).toEqual({ data: matches });
  expect((await said('Please deploy it')).said).toBe('I am one.');
  expect((await said('deploy it')).said).toBe('I am two.');
  expect((await said('123')).said).toBe('I am one.');
  expect((await said('1234')).said).toBe('1234');
  expect((await said('script: one\ndeploy')).said).toBe('I am one.');
  const [run] = (await api.get('/_emulator/runs')).json.data;
  expect((await api.get(`/_emulator/runs/${run.id}`)).json.script_by).toBe('the first line of the prompt');
});

test('a match may name a session, and the turn in it; what is steered into a run is no turn', async () => {
  const { api, put, said } = client();
  const on = async (session_id: string, prompt = 'hello') => (await said(prompt, { session_id })).said;
  await put([
    { when: { session: 'mine', turn: 1 }, script: 'one' },
    { when: { turn: 2 }, script: 'two' },
  ]);
  expect([await on('mine'), await on('mine'), await on('mine')]).toEqual(['I am one.', 'I am two.', 'hello']);
  expect([await on('other'), await on('other')]).toEqual(['hello', 'I am two.']);
  // A prompt without a session begins one.
  expect((await said('hello')).said).toBe('hello');
  const [run] = (await api.get('/_emulator/runs')).json.data;
  expect((await said('again', { session_id: run.session_id })).said).toBe('I am two.');
});

test('matches go before what an intern carries by itself, and after a script put on it', async () => {
  const { api, id, put, said } = client();
  await put([{ when: { contains: 'hello' }, script: 'two' }]);
  await api.patch(`/interns/${id}`, { model: 'script/one' });
  expect((await said('hello')).said).toBe('I am two.');
  await api.put(`/_emulator/interns/${id}/script`, { name: 'one' });
  expect((await said('hello')).said).toBe('I am one.');
  expect((await api.delete(`/_emulator/interns/${id}/script`)).status).toBe(204);
  expect((await api.get(`/_emulator/interns/${id}`)).json.script).toBe(null);
  expect((await said('hello')).said).toBe('I am two.');
});

test('a script put on an intern that overrules a `script:` line says so, in the answer and the log', async () => {
  const lines: RequestRecord[] = [];
  const { api, id, said } = client({ onRequest: (record) => lines.push(record) });
  const put = (name: string) => api.put(`/_emulator/interns/${id}/script`, { name });
  await put('one');
  const answer = await said('script: two\nhello');
  expect(answer.said).toBe('I am one.');
  const detail = answer.headers.get('x-emulator-detail') ?? '';
  expect(detail).toContain('the script one, which was put on the intern, overrules "script: two" in the prompt');
  expect(lines.find(({ stream }) => stream === 'opened')?.wrong).toBe(detail);
  const invoked = await api.post(`/interns/${id}/invoke`, { input: 'script: two' });
  expect(invoked.headers.get('x-emulator-detail')).toBe(detail);
  // Nothing is overruled by the same script.
  await put('two');
  expect((await said('script: two\nhello')).headers.get('x-emulator-detail')).toBe(null);
});

test.each<{ message: string; body: unknown }>([
  { message: 'body: expected an array; found an object', body: {} },
  { message: '[0].when: expected at least one of contains, regex, session, turn', body: [{ when: {}, script: 'one' }] },
  {
    message: '[0].when: there is no "contain" here (did you mean contains?)',
    body: [{ when: { contain: 'a' }, script: 'one' }],
  },
  { message: '[0].when.turn: expected at least 1; found 0', body: [{ when: { turn: 0 }, script: 'one' }] },
  {
    message: '[0].script: unknown script "oen" (did you mean one?)',
    body: [{ when: { contains: 'a' }, script: 'oen' }],
  },
  { message: '[0].when.regex: expected a regular expression of RE2', body: [{ when: { regex: '(a' }, script: 'one' }] },
  { message: 'no lookarounds', body: [{ when: { regex: '(?=a)b' }, script: 'one' }] },
  { message: 'no back references', body: [{ when: { regex: '(a)\\1' }, script: 'one' }] },
  { message: '[0].when.regex: ', body: [{ when: { regex: '(?:a{1000}){1000}' }, script: 'one' }] },
  { message: 'at most 1000 steps; this one has 2002', body: [{ when: { regex: '[a-z]{1,1000}!' }, script: 'one' }] },
  {
    message: 'at most 5000 steps together',
    body: Array.from({ length: 12 }, () => ({ when: { regex: 'a{900}' }, script: 'one' })),
  },
  { message: 'at most 200 entries', body: Array.from({ length: 201 }, () => ({ when: { turn: 1 }, script: 'one' })) },
])(
  'matches that cannot be used are refused with their place, and change nothing: $message',
  async ({ message, body }) => {
    const { api, put } = client();
    const refused = await put(body);
    expect([refused.status, refused.json.error.message]).toEqual([400, expect.stringContaining(message)]);
    expect((await api.get('/_emulator/matches')).json.data).toEqual([]);
  },
);

test('a pattern that backtracks forever elsewhere takes no time, whatever the prompt', async () => {
  const { put, said } = client();
  const evil = ['(a+)+$', '(a|a)*$', '^(\\w+\\s?)*$', '([a-z]+)*!', '(.*a){12}!', '[ab]*a[ab]{300}!'];
  expect((await put(evil.map((regex) => ({ when: { regex }, script: 'one' })))).status).toBe(200);
  const began = process.cpuUsage().user;
  await said(`${'ab'.repeat(20_000)}\n`);
  await said(`${'a'.repeat(500_000)}\u0000`);
  expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(3_000);
});

test('options and the seed begin with matches; put ones replace them until they are taken back', async () => {
  const option = { when: { contains: 'hello' }, script: 'one' };
  const seeded = { when: { contains: 'he' }, script: 'two' };
  const { api, put, said } = client({ matches: [option], seedFile: { ...seed, matches: [seeded] } as never });
  const list = async () => (await api.get('/_emulator/matches')).json.data;
  expect(await list()).toEqual([option, seeded]);
  expect([(await said('hello')).said, (await said('hey')).said]).toEqual(['I am one.', 'I am two.']);
  await put([]);
  expect((await said('hello')).said).toBe('hello');
  expect((await api.delete('/_emulator/matches')).status).toBe(204);
  expect(await list()).toEqual([option, seeded]);
});

test('snapshots, exports and reset keep matches as they keep scripts; a space begins with those of the start', async () => {
  const first = { when: { contains: 'hello' }, script: 'one' };
  const second = { when: { contains: 'hello' }, script: 'two' };
  const { api, put, said } = client({ matches: [first] });
  const list = async (path = '') => (await api.get(`/_emulator${path}/matches`)).json.data;
  await put([second]);
  await api.put('/_emulator/snapshots/with');
  const state = (await api.get('/_emulator/state')).json;
  await api.post('/_emulator/reset');
  expect(await list()).toEqual([first]);
  await api.post('/_emulator/snapshots/with/restore');
  expect([await list(), (await said('hello')).said]).toEqual([[second], 'I am two.']);
  await api.post('/_emulator/reset');
  expect((await api.put('/_emulator/state', state)).status).toBe(200);
  expect(await list()).toEqual([second]);
  const { target } = (await api.post('/_emulator/spaces', { name: 'beside' })).json;
  expect(await (await api.emulator.fetch(`${target.control_url}/matches`)).json()).toEqual({ data: [first] });
  const broken = { ...state, meta: [...state.meta.filter(({ id }: { id: string }) => id !== 'matches')] };
  broken.meta.push({ id: 'matches', value: [{ when: {}, script: 'one' }] });
  expect((await api.put('/_emulator/state', broken)).json.error.message).toContain(
    'value[0].when: expected at least one of',
  );
});

test('a file of matches and the scripts of options are validated when an emulator is made', () => {
  const folder = folderOfTest('matches-');
  const file = join(folder, 'matches.json');
  writeFileSync(file, '[{"when": {"contains": ""}, "script": "one"}]');
  expect(() => client({ matches: file })).toThrow(`matches ${file}: [0].when.contains: expected at least 1 characters`);
  expect(() => client({ matches: [{ when: { turn: 1 }, script: 'oen' }] })).toThrow(
    'matches: [0].script: unknown script "oen" (did you mean one?)',
  );
  expect(() => client({ scripts: [{ name: 'one', turn: [{ sya: 'hello' }] }] })).toThrow(
    'scripts[0]: turn[0]: expected a step',
  );
});
