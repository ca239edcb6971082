import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import '../../test/same-draws.js';
import { createKnown } from '../credentials/known.js';
import { spelledIn } from '../credentials/spellings.js';
import { createEmulator } from '../index.js';

const HOSTS = ['api.example.com'];

/** Everything that can be read of an emulator, as texts, and what it reported on its own. */
async function readable(misplaced?: [path: string, init: RequestInit], value = 'sk-something-long-enough') {
  const folder = folderOfTest('nowhere-');
  const texts: string[] = [];
  const emulator = createEmulator({
    data: join(folder, 'interns.json'),
    clock: 'virtual',
    log: (record) => void texts.push(JSON.stringify(record)),
    onRequest: (line) => void texts.push(JSON.stringify(line)),
  });
  const { base_url, credentials } = emulator.target;
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await emulator.fetch(path.startsWith('/_') ? path : base_url + path, {
      ...init,
      headers: { authorization: `Bearer ${credentials.api_key}`, ...init.headers },
    });
    // A caller's own id comes back to it, whatever it is.
    const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
    return JSON.stringify(headers) + (await response.text());
  };
  try {
    const events = await emulator.fetch('/_emulator/events');
    const intern = credentials.intern?.id;
    // The misplaced value is the only call: nothing else makes the value known.
    if (misplaced) texts.push(await send(misplaced[0], { method: 'PUT', ...misplaced[1] }));
    else {
      const body = JSON.stringify({ value, hosts: HOSTS });
      texts.push(await send('/vault/secrets/planted', { method: 'PUT', body }));
      texts.push(await send(`/vault/interns/${intern}/secrets/planted`, { method: 'PUT', body }));
      const names = JSON.stringify({ names: ['planted'] });
      texts.push(await send(`/vault/interns/${intern}/secrets/copy`, { method: 'POST', body: names }));
      const prompt = { stream: true, messages: [{ role: 'user', content: value }] };
      const chat = `/interns/${intern}/chat/completions`;
      // The echo belongs to its sender; the journal has it too.
      await send(chat, { method: 'POST', body: JSON.stringify(prompt) });
    }
    texts.push(await send('/vault/secrets'), await send(`/vault/interns/${intern}/secrets`));
    await send('/_emulator/snapshots/kept', { method: 'PUT' });
    for (const call of [
      'journal',
      'journal?format=har',
      'state',
      'state?credentials=1',
      'interns',
      `interns/${intern}`,
      'runs',
      'snapshots',
      'settings',
      'target',
      'faults',
    ])
      texts.push(await send(`/_emulator/${call}`));
    const { data } = JSON.parse(await (await emulator.fetch('/_emulator/journal')).text());
    for (const { id } of data) {
      const at = `/_emulator/journal/${encodeURIComponent(id)}`;
      texts.push(await send(at), await send(`${at}/explain`));
    }
    await emulator.close();
    texts.push(await events.text());
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) texts.push(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    return texts;
  } finally {
    await emulator.close();
  }
}

/** A value, and where else than in `value` it may be put by mistake. */
const misplaced: readonly [what: string, (value: string) => [path: string, init: RequestInit] | undefined][] = [
  ['nowhere else', () => undefined],
  ['in the hosts', (value) => ['/vault/secrets/k', { body: JSON.stringify({ value: 'x', hosts: [value] }) }]],
  ['as a key', (value) => ['/vault/secrets/k', { body: JSON.stringify({ [value]: value, hosts: HOSTS }) }]],
  ['in another field', (value) => ['/vault/secrets/k', { body: JSON.stringify({ secret: value, hosts: HOSTS }) }]],
  ['instead of a body', (value) => ['/vault/secrets/k', { body: JSON.stringify(value) }]],
  ['in a list', (value) => ['/vault/secrets/k', { body: JSON.stringify({ value: [value], hosts: HOSTS }) }]],
  ['in broken JSON', (value) => ['/vault/secrets/k', { body: `{"value":${JSON.stringify(value)},` }]],
  ['without its quotes', (value) => ['/vault/secrets/k', { body: `{"value":${value}}` }]],
  [
    'in escapes',
    (value) => [
      '/vault/secrets/k',
      {
        body: `{"value":"${[...Array(value.length).keys()].map((at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"}`,
      },
    ],
  ],
  [
    'in the query, and in a header',
    (value) => [
      `/vault/secrets/k?value=${encodeURIComponent(value)}`,
      { headers: { 'x-value': Buffer.from(value).toString('base64') }, body: JSON.stringify({ value, hosts: HOSTS }) },
    ],
  ],
];

test.each(misplaced)('VAULT-2: a value is in nothing that can be read, sent %s too', async (_, misplace) => {
  const values = fc.oneof(
    fc.stringMatching(/^sk-[A-Za-z0-9_-]{20,40}$/),
    fc.string({ minLength: 12, maxLength: 60 }).filter((text) => text.trim().length > 11),
    fc.constant(`-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ'.repeat(6)}\n`),
  );
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const search = createKnown([value]);
      for (const text of await readable(misplace(value), value))
        expect(
          [...spelledIn(text, search)].map(({ start, end }) => text.slice(Math.max(0, start - 200), end + 20)),
        ).toEqual([]);
    }),
    { numRuns: 4 },
  );
});

test('what looks for it would find it: a name, a host and a fingerprint are in nearly all of it', async () => {
  const texts = await readable();
  expect(texts.filter((text) => text.includes('planted')).length).toBeGreaterThan(8);
  expect(texts.filter((text) => text.includes('api.example.com')).length).toBeGreaterThan(8);
});
