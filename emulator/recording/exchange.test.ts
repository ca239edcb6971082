import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { gzipped } from './coding.harness.js';
import type { RecordedExchange } from './format.js';
import { type Planted, plain } from './planting.harness.js';
import { readRecording } from './read.js';
import { namedCredentials } from './record.js';
import { createWriter } from './writer.js';

const KEY = 'emu-key-alice-0000000000000000';
const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM = { 'content-type': 'text/event-stream' };
const UUID = '0b000000-0000-4000-8000-00000000000';

/** A value that is no word. */
const ODD = 'Zq9w81Yx7-5c12aav4';

/** An operation with fields of free text. */
const UPDATE = { method: 'PATCH', path: `/api/v1/interns/${UUID}1` };

let folder = '';
beforeEach(() => {
  folder = folderOfTest('exchange-');
});

const file = () => join(folder, 'recording.jsonl');

/** The lines of some exchanges, as replay and drift read them. */
async function recorded(...exchanges: readonly Planted[]): Promise<RecordedExchange[]> {
  writeFileSync(file(), '');
  const writer = createWriter({ named: new Map([[KEY, '$api_key']]), limit: 1_000_000 });
  for (const [index, one] of exchanges.entries()) await writer.write({ ...plain, ...one, n: index + 1 }, file());
  return readRecording(file(), () => {}).map(({ exchange }) => exchange);
}

const answered = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE): Planted => ({
  writes: [{ at: 1, bytes: Buffer.from(body as string) }],
  headers,
});
const sent = (body: string | Uint8Array): Planted => ({ requestBody: Buffer.from(body as string) });

describe('a body', () => {
  test.each([999, 1_000, 1_001, 4_000, 100_000])('of %i levels is recorded, on either side', async (levels) => {
    const deep = '['.repeat(levels) + ']'.repeat(levels);
    const [line] = await recorded({ ...sent(deep), ...answered(deep) });
    for (const body of [line?.body, line?.request.body]) {
      expect(typeof body).toBe(levels <= 1_000 ? 'object' : 'string');
      expect(typeof body === 'string' ? body : JSON.stringify(body)).toBe(deep);
    }
  });

  test('of half a secret hides nothing of other bodies', async () => {
    const half = { ...sent('{"name":'), method: 'PUT', path: '/api/v1/vault/secrets/mail' };
    const [, line] = await recorded(half, { ...sent('{"name":"one"}'), ...UPDATE });
    expect(line?.request.body).toEqual({ name: 'one' });
  });

  test.each(['hunter2', 'correct horse battery', "{'value':'my pw is s3cr3t'}", '{value: s3cr3t7, hosts: [x]}'])(
    'of a secret that is no JSON is hidden: %s',
    async (body) => {
      const [line] = await recorded({ ...sent(body), method: 'PUT', path: '/api/v1/vault/secrets/mail' });
      expect(line?.request.body).toMatch(/^\$key\.\d+$/);
    },
  );

  test('that cannot be read leaves its length and digest', async () => {
    const zstd = { ...JSON_TYPE, 'content-encoding': 'zstd' };
    const bytes = Buffer.from(`{"key":"${KEY}"}`);
    const [line] = await recorded({ ...answered(bytes, zstd), requestBody: bytes, requestHeaders: zstd });
    const left = {
      length: bytes.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      why: 'content-encoding "zstd" cannot be read',
    };
    expect(line?.left_out).toEqual({ request: left, answer: left });
    expect([line?.body, line?.body_base64, line?.request.body]).toEqual([undefined, undefined, undefined]);
  });

  test.each([
    ['bytes of an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1, 2, 3, 0xff, 0xfe])],
    ['UTF-16', Buffer.from(KEY, 'utf16le')],
    ['gzip that nobody named', gzipSync(KEY)],
  ])('that is not text leaves the same: %s', async (_what, bytes) => {
    const [line] = await recorded(answered(bytes));
    expect(line?.left_out?.answer).toMatchObject({ length: bytes.length, why: 'it is not text' });
  });

  test('that is text but for a few bytes is there, without credentials', async () => {
    const [line] = await recorded(answered(Buffer.from(`{"name":"\xff","key":"${KEY}"}`, 'latin1')));
    expect(Buffer.from(line?.body_base64 ?? '', 'base64').toString('latin1')).toBe('{"name":"\xff","key":"$api_key"}');
  });

  test('that names credentials among such bytes, or in lines, shows none', async () => {
    const secrets = ['sk-utf-ß-4711', 'sk-latin-\xfc-4711', 'sk-line-4711'] as const;
    const bytes = Buffer.concat([
      Buffer.from(`{"token":"${secrets[0]}","tokens":["`),
      Buffer.from(`${secrets[1]}"]}`, 'latin1'),
    ]);
    const line = `password: required\n  - api_key: ${secrets[2]}\ntoken: later`;
    const [first, second] = await recorded(answered(bytes), sent(line));
    expect(Buffer.from(first?.body_base64 ?? '', 'base64').toString('latin1')).toMatch(
      /^\{"token":"\$key\.\d","tokens":\["\$key\.\d"\]\}$/,
    );
    expect(second?.request.body).toMatch(/^password: required\n {2}- api_key: \$key\.\d\ntoken: later$/);
  });

  test('in gzip stands decoded, each write with its time', async () => {
    const writes = await gzipped(['data: {"a":1}\n\n', 'data: [DONE]\n\n'], 100);
    const [line] = await recorded({ writes, headers: { ...STREAM, 'content-encoding': 'gzip' } });
    expect(line?.writes).toEqual([
      { at: 0, text: 'data: {"a":1}\n\n' },
      { at: 100, text: 'data: [DONE]\n\n' },
    ]);
  });

  test('that decodes to more than is kept is there as far as that', async () => {
    const bomb = gzipSync(Buffer.alloc(3_000_000, 'x'));
    const [line] = await recorded(answered(bomb, { ...JSON_TYPE, 'content-encoding': 'gzip' }));
    expect(String(line?.body)).toMatch(/^x{500000,1000000}$/);
    expect(line?.left_out?.answer).toEqual({ length: bomb.length, why: 'it decodes to more than 0.95 MB' });
  });

  test('that was cut shows no beginning of a credential, in any spelling', async () => {
    const spellings = [
      KEY,
      Buffer.from(KEY).toString('base64'),
      KEY.replaceAll('-', '%2D'),
      KEY.replace('e', '\\u0065'),
    ];
    for (const spelled of spellings) {
      for (let size = 1; size < spelled.length; size++) {
        const cut = `{"note":"with ${spelled.slice(0, size)}`;
        const [line] = await recorded({ ...answered(cut), ended: 'broken' });
        const shown = String(line?.body).slice('{"note":"with '.length);
        expect(shown.length > 16 ? `${size}: ${shown}` : '').toBe('');
        expect(shown).not.toContain(KEY.slice(0, 6));
        expect(Buffer.from(shown, 'base64').toString()).not.toContain(KEY.slice(0, 9));
      }
    }
  });
});

test('in fields that the interface does not define, words stay, and nothing else', async () => {
  const known = { name: 'node-9c01d2e4b7', description: 'it is 9c01d2e4b7', status: 'running' };
  const own = {
    region: 'eu-west-1',
    phase: 'Created',
    step: 'ready (at last)',
    count: 123456789,
    at: '2026-01-01T00:00:00Z',
  };
  const other = { trace: '9c01d2e4b7', note: 'see f3a9c01d2e4b', link: 'https://a.test/9c01d2e4b7' };
  const [first, second] = await recorded(
    { ...answered(JSON.stringify({ ...known, ...own, ...other })), ...UPDATE },
    { path: '/api/v1/interns?region=eu-west-1&build=77f3a9c01d2e', ...answered(JSON.stringify(own)) },
  );
  const shown = { trace: '$value.1', note: '$value.2', link: 'https://a.test/$value.1' };
  expect(first?.body).toEqual({ ...known, name: 'node-9c01d2e4b7', description: 'it is $value.1', ...own, ...shown });
  expect(second?.request.path).toBe('/api/v1/interns?region=eu-west-1&build=$value.3');
  expect(second?.body).toEqual(own);
});

test.each<[string, Planted, RegExp]>([
  ['a header', { requestHeaders: { 'last-event-id': ODD } }, /"last-event-id":"\$value\.1"/],
  ['a parameter of a media type', { requestHeaders: { accept: `text/html; k=${ODD}` } }, /"text\/html; k=\$value\.1"/],
  ['the name of a member', sent(JSON.stringify({ toolCallId: 1, [ODD]: 1 })), /\{"toolCallId":1,"\$value\.1":1\}/],
  ['a name below that of a credential', sent(JSON.stringify({ tokens: { [ODD]: 1 } })), /\{"\$key\.1":1\}/],
  [
    'a number under such a name',
    sent('{"password":12345678901,"count":98765432101}'),
    /"\$key\.1","count":98765432101/,
  ],
  ['a name of a query', { path: `/api/v1/interns?${ODD}&limit=1` }, /interns\?\$value\.1&limit=1"/],
  ['a segment of a path', { path: `/api/v1/rooms/${ODD}` }, /\/rooms\/\$value\.1"/],
  ['an encoded segment', { path: `/api/v1/interns/%61${ODD}/invoke` }, /interns\/\$intern\.1\/invoke"/],
  ['a text', sent(`so it is ${ODD}.\nand that is all`), /"so it is \$value\.1\\nand that is all"/],
  ['a text with marks', sent(`<a>${ODD}</a>`), /<a>\$value\.1<\/a>/],
  ['an event', answered(`: ${ODD}\n\ndata: ${ODD}\n\n`, STREAM), /: \$value\.1\\n\\ndata: \$value\.1\\n/],
  ['JSON in Base64', { ...UPDATE, ...sent(JSON.stringify({ description: btoa(`{"token":"${ODD}"}`) })) }, /"\$key\.1"/],
  [
    'a quoted setting',
    { ...UPDATE, ...sent(JSON.stringify({ description: `A_KEY="${ODD}"` })) },
    /A_KEY=\\"\$key\.1\\"/,
  ],
  [
    'a sentence',
    { ...UPDATE, ...sent(JSON.stringify({ description: `my token: ${ODD}, so` })) },
    /my token: \$key\.1, so/,
  ],
  ['an address', { ...UPDATE, ...sent(JSON.stringify({ description: `https://me:${ODD}@a.test` })) }, /me:\$key\.1@a/],
  ['a known shape', { ...UPDATE, ...sent(JSON.stringify({ description: 'ghp_0123456789abcdefXY' })) }, /"\$key\.1"/],
])('what no field of the interface holds has an alias in %s', async (_where, planted, shown) => {
  await recorded(planted);
  expect(readFileSync(file(), 'utf8')).toMatch(shown);
});

describe('aliases', () => {
  test('stand never beside each other in a request: nobody could say where one ends', async () => {
    const ids = [1, 2].map((digit) => ({ id: `${UUID}${digit}` }));
    const known = answered(JSON.stringify({ data: ids }));
    const both = `${UUID}1${UUID}2`;
    const twice = `${KEY}${KEY}, ${UUID}1${KEY}, ${KEY}${UUID}1, ${both}, $${UUID}1$`;
    const lines = await recorded(
      { ...known, method: 'GET', path: '/api/v1/interns' },
      { ...sent(JSON.stringify({ twice })), path: `/api/v1/${both}?a=${KEY}${KEY}` },
    );
    expect(lines[1]?.request).toMatchObject({
      path: '/api/v1/$intern.1?a=$api_key',
      body: { twice: '$api_key, $intern.1, $api_key, $intern.1, $$$intern.1$$' },
    });
  });

  test('nor where a credential becomes known later', async () => {
    const secret = 'sk-later-4711';
    const lines = await recorded(
      { ...answered(JSON.stringify({ data: [{ id: `${UUID}1` }] })), method: 'GET', path: '/api/v1/interns' },
      { ...sent(JSON.stringify({ description: `${UUID}1${secret}${secret}` })), ...UPDATE },
      { requestHeaders: { authorization: `Bearer ${secret}` } },
    );
    expect(lines[1]?.request.body).toEqual({ description: '$intern.1' });
  });

  test('stay what they are where a credential is a word of theirs', async () => {
    const path = `/api/v1/interns?workspace_id=${UUID}1`;
    const word = { requestHeaders: { authorization: 'Bearer workspace.1' } };
    const lines = await recorded({ path }, { path, ...word }, { path: `${path}&note=workspace.1` });
    expect(lines.map(({ request }) => request.path)).toEqual([
      '/api/v1/interns?workspace_id=$workspace.1',
      '/api/v1/interns?workspace_id=$workspace.1',
      '/api/v1/interns?workspace_id=$workspace.1&note=$key.1',
    ]);
  });

  test('of what first was an id, and then a credential, hide it in every spelling', async () => {
    const value = 'session-4711-0815';
    const [first, second] = await recorded(
      {
        ...answered(JSON.stringify({ session_id: value, description: Buffer.from(value).toString('base64') })),
        ...UPDATE,
      },
      { requestHeaders: { authorization: `Bearer ${value}` } },
    );
    expect(first?.body).toEqual({ session_id: '$session.1', description: '$session.1' });
    expect(second?.request.headers.authorization).toBe('Bearer $session.1');
  });

  test('of short credentials leave names alone', async () => {
    const [line] = await recorded({
      ...sent('{"name":"name","a":{"name":"other"}}'),
      requestHeaders: { authorization: 'Bearer name' },
    });
    expect(line?.request.body).toEqual({ name: '$key.1', a: { name: 'other' } });
  });

  test('are what a recording can have, whatever variables are called', () => {
    const env = {
      INTERN_API_KEY: 'a',
      INTERN_API2_KEY: 'b',
      INTERN_3_TOKEN: 'c',
      INTERN_STAGING2_KEY: 'e',
      INTERN_COPY_API_KEY: 'a',
      OTHER: 'd',
    };
    expect([...namedCredentials(env)]).toEqual([
      ['a', '$api_key'],
      ['b', '$other_api_key'],
      ['c', '$_token'],
      ['e', '$staging_key'],
    ]);
  });
});

test('a secret that is long is hidden as a whole, and nothing is made of it that breaks', async () => {
  const secret = Array.from({ length: 9_000 }, (_, at) => `${at}!`).join('');
  await recorded(answered(JSON.stringify({ note: secret })), answered(JSON.stringify({ token: secret })));
  expect(readFileSync(file(), 'utf8')).not.toContain('4711!4712!');
});

test('a thousand secrets are found as one is', async () => {
  const secrets = Array.from({ length: 1_000 }, (_, at) => `secret-${at}-${(at * 7919) % 10_007}`);
  const [first] = await recorded(
    answered(JSON.stringify({ note: secrets.join(' and ') })),
    answered(JSON.stringify({ tokens: secrets })),
  );
  expect(JSON.stringify(first?.body)).not.toContain('secret-');
});
