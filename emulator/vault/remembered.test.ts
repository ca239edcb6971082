import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { createRedaction } from '../credentials/redaction.js';
import { createTestClient } from '../testing/client.harness.js';

let folder: string;
beforeEach(() => {
  folder = folderOfTest('remembered-');
});

const client = () => {
  const api = createTestClient({ data: join(folder, 'interns.json') });
  closing(api.emulator);
  return api;
};
type Client = ReturnType<typeof client>;
const VALUE = 'sk-a-value-of-some-length-0123456789';
const HOSTS = ['api.example.com'];

const put = async (api: Client, name: string, value: string) =>
  expect((await api.put(`/vault/secrets/${name}`, { value, hosts: HOSTS })).status).toBe(200);
const say = async (api: Client, content: string, more: object = {}) => (await api.chat(content, more)).text;

/** Everything that the control interface shows, as texts. */
async function shown(api: Client): Promise<string> {
  const runs = (await api.get('/_emulator/runs')).json.data as { id: string }[];
  const entries = (await api.get('/_emulator/journal')).json.data as { id: string }[];
  const calls = [
    ...[
      'interns',
      `interns/${api.credentials.intern?.id}`,
      'runs',
      'journal',
      'journal?format=har',
      'journal?format=recording',
      'state',
    ],
    ...runs.map(({ id }) => `runs/${id}`),
    ...entries.flatMap(({ id }) => [`journal/${id}`, `journal/${id}/explain`]),
  ];
  const texts = await Promise.all(calls.map(async (call) => (await api.get(`/_emulator/${call}`)).text));
  return texts.join('\n');
}

test('a value that was stored before a restart is not shown after it', async () => {
  const before = client();
  await put(before, 'kept', VALUE);
  await before.emulator.close();
  const api = client();
  await say(api, `use ${VALUE} for it`);
  expect(await shown(api)).toContain('use [redacted] for it');
  expect(await shown(api)).not.toContain(VALUE);
});

test('a value stays hidden however much is stored after it, in entries written before too', async () => {
  const api = client();
  await put(api, 'first', VALUE);
  const long = Array.from({ length: 65_536 / 8 }, (_, at) => at.toString(36).padStart(8, 'a')).join('');
  await say(api, `use ${VALUE} for it`);
  for (const name of ['second', 'third', 'fourth']) await put(api, name, name + long.slice(name.length));
  await say(api, `and ${VALUE} again, ${Buffer.from(`in Base64: ${VALUE}`).toString('base64')}`);
  const text = await shown(api);
  expect(text).toContain('use [redacted] for it');
  expect(text).toContain('and [redacted] again');
  expect(text).not.toContain(VALUE);
  expect(text).not.toContain(Buffer.from(VALUE.slice(0, 30)).toString('base64'));
});

test('values of which digests are remembered are found in every spelling, and where a stream cuts them', () => {
  const redaction = createRedaction();
  const odd = 'grün und "weiß" und mehr';
  for (const value of [VALUE, odd]) redaction.addVaultSecret(value);
  for (let n = 0; n < 3; n++) redaction.addVaultSecret(`${n}`.repeat(65_536));
  for (const value of [VALUE, odd])
    for (const spelled of [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      encodeURIComponent(value).replaceAll('%20', '+'),
    ])
      expect(redaction.redact(`before ${spelled} after`)).toBe('before [redacted] after');
  expect(redaction.redactWrites([`a ${VALUE.slice(0, 20)}`, `${VALUE.slice(20)} b`]).join('')).toBe('a [redacted] b');
  expect(redaction.redactWrites([`a ${VALUE.slice(0, 20)}`], true)).toEqual(['a [redacted]']);
  expect(redaction.redact(`${VALUE.slice(0, 20)} is not all of it`)).toContain(VALUE.slice(0, 20));
});

test('a value that is sent as a description or a session id is not shown', async () => {
  const api = client();
  await put(api, 'kept', VALUE);
  const id = api.credentials.intern?.id;
  expect((await api.patch(`/interns/${id}`, { description: `with ${VALUE}` })).status).toBe(200);
  await say(api, 'hello', { session_id: VALUE });
  const text = await shown(api);
  expect(text).toContain('with [redacted]');
  expect(text).not.toContain(VALUE);
});
