import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { createTestClient, type Reply } from '../emulator/testing/client.harness.js';

const [, ...ROWS] = [
  ...readFileSync('docs/troubleshooting.md', 'utf8').matchAll(/^\| (`[^|]*|[^|`]*) \|.*\|.*\|$/gm),
].map(([, seen = '']) => seen.replace(/^`([^`]+)`.*/, '$1'));

const api = createTestClient();
afterAll(() => api.emulator.close());
const intern = `/interns/${api.credentials.intern?.id}`;
const chat = (content: string, more: object = {}) =>
  api.post(`${intern}/chat/completions`, { stream: true, messages: [{ role: 'user', content }], ...more });
const answer = (tool_call_id: string, session_id: string) =>
  chat('', { session_id, messages: [{ role: 'tool', tool_call_id, content: 'allow_once' }] });
const create = () => api.create();

/** How each answer that the page shows comes about. */
const SEEN: Readonly<Record<string, () => Promise<Reply>>> = {
  '401 Invalid or missing API key': () => api.get('/interns', { as: 'nobody' }),
  '403 Personal connections require the OIDC login': () => api.get(`${intern}/daemon`),
  '403 Forbidden': () => api.get('/interns', { headers: { host: 'eu.localhost' } }),
  '404 Intern not found': () => api.get('/interns/0b000000-0000-4000-8000-00000000ffff'),
  '404 Not found': () => api.get('/api/v1/interns'),
  '400 … stream: expected true': () => chat('hi', { stream: false }),
  '415 Request body must be sent as application/json': () =>
    api.call('POST', '/interns', { raw: '{}', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  '409 intern_not_ready': async () =>
    api.post(`/interns/${(await create()).id}/chat/completions`, {
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  '409 interaction_not_pending': async () => {
    const asked = await chat('script: ask-permission', { session_id: 'a', approval_mode: 'manual' });
    await api.advance(300_000);
    return answer(/call_[\w-]+/.exec(asked.text)?.[0] ?? '', 'a');
  },
  '409 secret_unbound': () => api.post(`/vault${intern}/secrets/copy`, { names: ['legacy_token'] }),
  '503 vault_writes_disabled': async () => {
    await api.put('/_emulator/settings', { vault_writes: 'off' });
    return api.put('/vault/secrets/a_name', { value: 'a', hosts: ['example.com'] });
  },
  '429 Too many intern turns': async () => {
    await api.put('/_emulator/limits', { turns_per_minute: 1 });
    await chat('hi');
    return chat('hi');
  },
};

/** The other rows: a stream, a log, a start, a recording, the kit, another program; each has tests of its own. */
const ELSEWHERE = [
  '409 busy',
  'vault key …: it is missing',
  'secrets[0].sealed: the key of this emulator does not open it',
  '421 This host is not served here',
  '501 not_recorded',
];

test.each(Object.entries(SEEN))('docs/troubleshooting.md: %s', async (shown, ask) => {
  const { status, text } = await ask();
  const [, code, words = ''] = /^(\d+) (?:… )?(.*)$/.exec(shown) ?? [];
  expect([String(status), text]).toEqual([code, expect.stringContaining(words)]);
});

test('each status that the page shows is tried, here or elsewhere', () => {
  const shown = ROWS.filter((row) => /^\d{3} |: it is missing$|does not open it$/.test(row));
  expect(shown.sort()).toEqual([...Object.keys(SEEN), ...ELSEWHERE].sort());
});
