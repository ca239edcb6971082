import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createEmulator } from '../../emulator/index.js';
import { folderOfFile } from '../../test/folders.js';
import { runs } from '../../test/same-draws.js';
import { conversation, recorderOf } from '../drift/conversation.harness.js';
import type { Report } from '../report/json.js';
import { judgeFiles } from './files.js';
import { createJudge } from './judge.js';
import { judged } from './judged.js';

type Json = Record<string, unknown>;

const folder = folderOfFile('judge-');
let lines: readonly Json[] = [];
let entries: readonly Json[] = [];

/** A HAR entry for each exchange of a conversation. */
function harOf(fetch: typeof globalThis.fetch, all: Json[]): typeof globalThis.fetch {
  let at = Date.parse('2026-01-01T00:00:00Z');
  return async (input, init) => {
    const started = at;
    at += 100;
    const entry: Json = {};
    all.push(entry);
    const response = await fetch(input, init);
    const headers = (of: Headers) => [...of].map(([name, value]) => ({ name, value }));
    void response
      .clone()
      .text()
      .then(
        (text) => {
          Object.assign(entry, {
            startedDateTime: new Date(started).toISOString(),
            time: 50,
            request: {
              method: init?.method,
              url: String(input),
              headers: headers(new Headers(init?.headers)),
              ...(init?.body ? { postData: { text: init.body } } : {}),
              bodySize: String(init?.body ?? '').length,
            },
            response: {
              status: response.status,
              headers: headers(response.headers),
              content: { size: Buffer.byteLength(text), text },
            },
          });
        },
        () => {},
      );
    return response;
  };
}

beforeAll(async () => {
  const emulator = await createEmulator({ quiet: true });
  lines = (await conversation(emulator)).lines.map((line) => JSON.parse(line) as Json);
  const other = await createEmulator({ quiet: true });
  const all: Json[] = [];
  const spied = { clock: other.clock, target: other.target, fetch: harOf(other.fetch as typeof fetch, all) };
  await conversation(spied, recorderOf(spied));
  entries = all.filter(({ request }) => request !== undefined);
});

let files = 0;
const written = (text: string): string => {
  const file = join(folder, `${++files}`);
  writeFileSync(file, text);
  return file;
};
const har = (all: readonly Json[]): string => written(JSON.stringify({ log: { version: '1.2', entries: all } }));
const recording = (all: readonly Json[]): string => written(all.map((one) => `${JSON.stringify(one)}\n`).join(''));

const judgedFiles = async (...all: readonly string[]) => {
  const judge = createJudge();
  await judgeFiles(judge, all, { warn() {} });
  return judge.report();
};
const broken = ({ checks }: Report) =>
  checks.flatMap(({ id, finding, error }) =>
    finding === undefined && error === undefined
      ? []
      : [{ id, what: finding?.what, expected: finding?.expected, actual: finding?.actual, error: error?.message }],
  );

test('a right conversation breaks no rule, recorded or saved as HAR', async () => {
  const recorded = await judgedFiles(recording(lines));
  const saved = await judgedFiles(har(entries));
  expect(broken(recorded)).toEqual([]);
  expect(broken(saved)).toEqual([]);
  for (const { checks } of [recorded, saved])
    expect(checks.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(60);
});

test('a host that has served a request is no regional one: its 403 is held against the rules', async () => {
  const wrong = lines.map((line) =>
    line.status === 403
      ? (JSON.parse(JSON.stringify(line).replace('personal_identity_required', 'forbidden')) as Json)
      : line,
  );
  expect(broken(await judgedFiles(recording(wrong)))).toMatchObject([{ id: 'SIGN-10/catalogue', actual: 'forbidden' }]);
});

test('a stream that goes on after its [DONE] is wrong in a HAR', async () => {
  const isStream = (entry: Json) => JSON.stringify(entry).includes('data: [DONE]');
  const longer = (entry: Json): Json => {
    const response = entry.response as { content: { text: string } };
    const text = `${response.content.text}data: {"choices":[]}\n\n`;
    return { ...entry, response: { ...response, content: { size: text.length, text } } };
  };
  const wrong = entries.map((entry) => (isStream(entry) ? longer(entry) : entry));
  expect(broken(await judgedFiles(har(wrong))).map(({ id }) => id)).toContain('CHAT-3/nothing-after-done');
});

/** The ways in which an exchange changes on its way into a file. */
const FATE = fc.constantFrom('kept', 'kept', 'kept', 'left out', 'no answer', 'answer cut', 'request cut', 'redacted');

const asHar = (entry: Json, fate: string): Json[] => {
  const { request, response } = entry as { request: Json; response: Json };
  const { postData: _, ...bare } = request;
  const text = String((response.content as Json).text);
  if (fate === 'left out') return [];
  if (fate === 'no answer') return [{ ...entry, response: { status: 0 } }];
  if (fate === 'answer cut')
    return [
      { ...entry, response: { ...response, content: { size: text.length, text: text.slice(0, text.length / 2) } } },
    ];
  if (fate === 'request cut') return [{ ...entry, request: bare }];
  if (fate === 'redacted') return [JSON.parse(JSON.stringify(entry).replace(/[0-9a-f-]{36}/g, '[REDACTED]')) as Json];
  return [entry];
};
const asRecorded = (line: Json, fate: string): Json[] => {
  const { body: _, writes, ...rest } = line;
  const { body: __, ...request } = line.request as Json;
  const left = { length: 9, why: 'cut' };
  if (fate === 'left out') return [];
  if (fate === 'no answer') return [{ ...rest, status: null, ended: 'broken' }];
  if (fate === 'answer cut')
    return [{ ...rest, ...(writes ? { writes: (writes as Json[]).slice(0, 1) } : {}), left_out: { answer: left } }];
  if (fate === 'request cut') return [{ ...line, request, left_out: { request: left } }];
  return [line];
};

test.each([
  ['recording', () => lines, asRecorded, recording],
  ['HAR', () => entries, asHar, har],
] as const)('any part of a right conversation is not blamed: %s', async (_, all, becomes, file) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(FATE, { minLength: all().length, maxLength: all().length }),
      fc.nat(all().length - 1),
      fc.nat(all().length - 1),
      fc.boolean(),
      async (fates, from, to, wild) => {
        const part = all().slice(Math.min(from, to), Math.max(from, to) + 1);
        const shown = part.flatMap((one, at) => becomes(one, wild ? (fates[at] ?? 'kept') : 'kept'));
        if (shown.length > 0) expect(broken(await judgedFiles(file(shown)))).toEqual([]);
      },
    ),
    { numRuns: runs(30) },
  );
});

test('judged(fetch) blames nobody for a right conversation, and sees one that goes wrong', async () => {
  const emulator = await createEmulator({ quiet: true });
  const fetch = judged(emulator.fetch as never);
  await conversation({ clock: emulator.clock, target: emulator.target, fetch: fetch as never });
  expect(broken(fetch.judge.report())).toEqual([]);
  const wrong = judged(async () => Response.json({ data: [] }));
  await (await wrong('https://a.test/api/v1/interns', { headers: { authorization: 'Bearer one' } })).text();
  const report = wrong.judge.report({ failOn: 'warn' });
  expect(report.exit).toBe(1);
  expect(broken(report).map(({ id }) => id)).toEqual(['LIST-3/form']);
});

test('a setting that is shown wrong for 15 seconds counts, though others show it right in between', () => {
  const id = '0b000000-0000-4000-8000-000000000001';
  const record = (description: string | null) => ({
    id,
    name: 'one',
    description,
    workspace_id: 'w',
    status: 'stopped',
  });
  const judge = createJudge({ whole: true });
  const says = (seconds: number, method: string, path: string, answer: unknown, body?: unknown) => {
    judge.reads({
      startedDateTime: new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString(),
      time: 5,
      request: {
        method,
        bodySize: JSON.stringify(body ?? '').length - (body === undefined ? 2 : 0),
        url: `https://a.test/api/v1${path}`,
        headers: [{ name: 'Authorization', value: 'Bearer one' }],
        ...(body === undefined ? {} : { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
      },
      response: {
        status: method === 'POST' ? 201 : 200,
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        content: { text: JSON.stringify(answer) },
      },
    });
    return judge.report().checks.find((row) => row.id === 'GET-1/settings');
  };
  says(0, 'POST', '/interns', record(null), { name: 'one', workspace_id: 'w', provision: false });
  says(30, 'PATCH', `/interns/${id}`, record('new'), { description: 'new' });
  expect(says(31, 'GET', `/interns/${id}`, record(null))).toMatchObject({ once: true });
  says(40, 'GET', '/interns', { data: [record('new')], has_more: false });
  expect(says(45, 'GET', `/interns/${id}`, record(null))).toMatchObject({ once: true });
  expect(says(46, 'GET', `/interns/${id}`, record(null))).not.toHaveProperty('once');
});

test('an invalid request that is accepted counts at once, another answer to it only when it comes again', () => {
  const provisionAnswers = (status: number) => {
    const judge = createJudge();
    judge.reads({
      startedDateTime: '2026-01-01T00:00:00.000Z',
      time: 5,
      request: {
        method: 'POST',
        url: 'https://a.test/api/v1/interns/0b000000-0000-4000-8000-000000000001/provision',
        headers: [{ name: 'Authorization', value: 'Bearer one' }],
        postData: { mimeType: 'application/json', text: '{"x":1}' },
      },
      response: {
        status,
        headers: [{ name: 'Content-Type', value: 'application/json' }],
        content: { text: status < 300 ? '{"provisioning":true}' : '{"error":{"code":500,"message":"It broke"}}' },
      },
    });
    return judge.report().checks.find(({ id }) => id === 'BODY-1/no-fields');
  };
  const accepted = provisionAnswers(202);
  expect(accepted).toMatchObject({ verdict: 'fail', finding: { actual: 202 } });
  expect(accepted).not.toHaveProperty('once');
  expect(provisionAnswers(500)).toMatchObject({ verdict: 'warn', once: true });
});

test.each([
  [1, 2, 'warn'],
  [2, 1, 'pass'],
])(
  'without times the creates that a recording shows tell the order of a list: %i, %i',
  async (first, second, verdict) => {
    const record = (n: number) => ({ id: `$intern.${n}`, name: `one-${n}`, created_at: '$time' });
    const line = (n: number, request: Json, status: number, body: Json): Json => ({
      format: 1,
      n,
      scenario: null,
      at: n * 100_000,
      operation: null,
      request: {
        path: '/api/v1/interns',
        headers: { authorization: 'Bearer $api_key', 'content-type': 'application/json' },
        ...request,
      },
      status,
      headers: { 'content-type': 'application/json' },
      body,
      ended: 'complete',
    });
    const created = [1, 2].map((n) => line(n, { method: 'POST', body: { name: `one-${n}` } }, 201, record(n)));
    const data = [record(first), record(second)];
    const listed = line(3, { method: 'GET' }, 200, { data, has_more: false });
    const { checks } = await judgedFiles(recording([...created, listed]));
    expect(checks.find(({ id }) => id === 'LIST-1/newest-first')).toMatchObject({
      verdict,
      ...(verdict === 'warn' ? { once: true, finding: { actual: expect.anything(), restsOn: [1, 2] } } : {}),
    });
  },
);

test('a profile is named, and one that nobody knows is one line', () => {
  expect(createJudge({ profile: 'openrouter' }).profile.published).toBe(true);
  expect(() => createJudge({ profile: 'opnrouter' })).toThrow(/^profile: expected svc or openrouter, got "opnrouter"$/);
  expect(() => createJudge().reads({})).toThrow(/^entry: expected an object with a request$/);
});
