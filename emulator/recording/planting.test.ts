import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folderOfFile } from '../../test/folders.js';
import { runs } from '../../test/same-draws.js';
import { unicode } from '../credentials/spellings.harness.js';
import {
  fitsHeader,
  foundIn,
  HIDING,
  HIDING_HEADERS,
  IN_HEADERS,
  type Planted,
  plain,
  REVEALING,
  SPELLED,
} from './planting.harness.js';
import { TABLE } from './planting-table.harness.js';
import { readRecording } from './read.js';
import { createWriter } from './writer.js';

const folder = folderOfFile('planting-');

/** The file that a recorder writes of some exchanges. */
async function recordingOf(
  planted: readonly Planted[],
  named: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const path = join(folder, 'recording.jsonl');
  writeFileSync(path, '');
  const writer = createWriter({ named, limit: 1_000_000 });
  for (const [index, one] of planted.entries()) await writer.write({ ...plain, ...one, n: index + 1 }, path);
  expect(readRecording(path, () => {})).toHaveLength(planted.length);
  return readFileSync(path, 'utf8');
}

const SECRET = 'emu-Zz+/93 "q\\s" ß$5%41&x=y';
const PLAIN = 'emu-key-bob-93f7a1c0d2e4';

/** A text with the secret in its place. Not every place and spelling fits every secret. */
const hidden = (where: string, spelling: string, secret: string): Planted | undefined => {
  const text = SPELLED[spelling]?.(secret) ?? '';
  const inHeaders = HIDING_HEADERS[where];
  if (inHeaders) return fitsHeader(text) ? inHeaders(text) : undefined;
  return HIDING[where]?.(text);
};

const revealing = Object.keys(REVEALING);
const places = [...Object.keys(HIDING), ...Object.keys(HIDING_HEADERS)];

test.each(revealing)('a secret that is sent %s is known for one', async (where) => {
  const secret = IN_HEADERS.has(where) ? PLAIN : SECRET;
  const file = await recordingOf([REVEALING[where]?.(secret) ?? {}, hidden('in a body', 'as it is', secret) ?? {}]);
  expect(file).toContain('$key.');
  expect(foundIn(file, secret)).toBeUndefined();
});

test.each(places)('a secret that stands %s is hidden, be it known before or later', async (where) => {
  const reveal = REVEALING['as a bearer token']?.(PLAIN) ?? {};
  const hiding = Object.keys(SPELLED).flatMap((spelling) => hidden(where, spelling, PLAIN) ?? []);
  for (const order of [
    [reveal, ...hiding],
    [...hiding, reveal],
  ]) {
    expect(foundIn(await recordingOf(order), PLAIN)).toBeUndefined();
  }
});

test('the search would find a secret in what is not a recording of ours', () => {
  const line = (value: unknown) => JSON.stringify(value);
  const found = [
    line({ a: SECRET }),
    line({ a: unicode(SECRET) }),
    line({ a: line({ b: line({ c: SECRET }) }) }),
    line({ a: encodeURIComponent(SECRET) }),
    line({ a: Buffer.from(`??${SECRET}`).toString('base64url') }),
    line({ writes: [{ text: SECRET.slice(0, 9) }, { text: SECRET.slice(9) }] }),
  ];
  for (const one of found) expect(foundIn(one, SECRET), one).toBeDefined();
  expect(foundIn(line({ a: SECRET.slice(1) }), SECRET)).toBeUndefined();
});

test('no secret reaches the file, whatever it is, wherever it stands, in whichever spelling and order', async () => {
  const secretOf = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abXYZ019-_.~'), minLength: 8, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'aZ0 +/=&$%"\\\'<>{}[]:,;?#|ß'), minLength: 8, maxLength: 24 }),
    fc.string({ unit: fc.constantFrom(...'aZ09-_+/='), minLength: 300, maxLength: 600 }),
  );
  const plantings = fc.record({
    secret: secretOf.map((secret) => secret.trim()).filter((secret) => new Set(secret).size > 3 && secret.length >= 8),
    reveal: fc.constantFrom(...revealing),
    known: fc.boolean(),
    hide: fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...Object.keys(SPELLED))), {
      minLength: 1,
      maxLength: 5,
    }),
    at: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(plantings, async ({ secret, reveal, known, hide, at }) => {
      fc.pre(!IN_HEADERS.has(reveal) || (fitsHeader(secret) && !/^(?:bearer|basic|token) /i.test(secret)));
      const planted = hide.flatMap(([where, spelling]) => hidden(where, spelling, secret) ?? []);
      planted.splice(at, 0, REVEALING[reveal]?.(secret) ?? {});
      const file = await recordingOf(planted, new Map(known ? [[secret, '$api_key']] : []));
      expect(foundIn(file, secret)).toBeUndefined();
    }),
    { numRuns: runs(150) },
  );
});

test('a secret is hidden under every name, in every shape, on every side, in every coding', async () => {
  // `FC_RUNS=20000` tries all.
  const step = Math.max(1, Math.floor(TABLE.length / runs(300)));
  const leaks: string[] = [];
  for (let at = 11 % step; at < TABLE.length; at += step) {
    const secret = `sk-${(at * 7_919).toString(36)}-zQ9w-${(at * 104_729 + 17).toString(36)}`;
    const [what, planted] = TABLE[at]?.(secret) ?? ['', {}];
    const file = await recordingOf([planted, hidden('in a description', 'as it is', secret) ?? {}]);
    if (foundIn(file, secret) !== undefined) leaks.push(what);
  }
  expect(leaks).toEqual([]);
});

test('of a vault, values, fingerprints and names have aliases; what is no name, and a short one, stays', async () => {
  const value = 'a value of some length';
  const fingerprint = 'ab'.repeat(32);
  const path = '/api/v1/vault/secrets';
  const bytes = (body: unknown) => Buffer.from(JSON.stringify(body));
  const json = { 'content-type': 'application/json' };
  const shown = (name: string) => ({ name, hosts: ['a.test'], fingerprint, created_at: '2026-01-01T00:00:00.000Z' });
  const stored = (name: string): Planted => ({
    method: 'PUT',
    path: `${path}/${name}`,
    requestHeaders: json,
    requestBody: bytes({ value, hosts: ['a.test'] }),
    headers: json,
    writes: [{ at: 0, bytes: bytes({ data: shown(name) }) }],
  });
  const file = await recordingOf([
    stored('github_token'),
    stored('k_1'),
    stored('Github-Token'),
    {
      method: 'POST',
      path: '/api/v1/vault/interns/0b000000-0000-4000-8000-000000000001/secrets/copy',
      requestHeaders: json,
      requestBody: bytes({ names: ['mail_password', 'github_token'] }),
    },
  ]);
  const lines = readRecording(join(folder, 'recording.jsonl'), () => {});
  const [first, second, third, copy] = lines.map(({ exchange }) => exchange);
  expect(first).toMatchObject({
    operation: 'vault-store',
    request: { path: `${path}/$secret.1`, body: { value: '$key.1', hosts: ['a.test'] } },
    body: { data: { name: '$secret.1', fingerprint: '$fingerprint.1' } },
  });
  expect(second?.request.path).toBe(`${path}/k_1`);
  expect(third?.request.path).toBe(`${path}/Github-Token`);
  expect(copy).toMatchObject({ operation: 'vault-copy', request: { body: { names: ['$secret.2', '$secret.1'] } } });
  for (const hidden of [value, fingerprint, 'github_token', 'mail_password']) expect(file).not.toContain(hidden);
});
