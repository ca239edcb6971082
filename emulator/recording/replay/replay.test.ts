import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { folderOfFile } from '../../../test/folders.js';
import { INERT_HEADERS } from '../../contract/inert.js';
import { createEmulator, type Emulator } from '../../emulator.js';

const folder = folderOfFile('replay-');
let emulator: Emulator | undefined;
afterEach(() => emulator?.close());

interface Line {
  request?: object;
  [key: string]: unknown;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const read = (more: Line = {}): Line => ({ operation: 'get', body: 'read', ...more });
const write = (name: string): Line => ({
  operation: 'update',
  request: { method: 'PATCH', headers: JSON_TYPE, body: { name } },
  body: name,
});

/** An emulator that replays these lines, all of them of one intern. */
function replayOf(...lines: Line[]) {
  const file = join(folder, 'recording.jsonl');
  const all = lines.map(({ request, ...more }, index) => ({
    format: 1,
    n: index + 1,
    scenario: null,
    at: index,
    operation: null,
    request: { method: 'GET', path: '/api/v1/interns/$intern.1', headers: {}, ...request },
    status: 200,
    headers: {},
    ended: 'complete',
    ...more,
  }));
  writeFileSync(file, all.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const made = createEmulator({ clock: 'virtual', seed: 'replay', replay: { files: [file], pace: 0 } });
  emulator = made;
  return async (
    method = 'GET',
    body?: unknown,
    { headers = {}, path = '' }: { headers?: object; path?: string } = {},
  ) => {
    const answer = await made.fetch(`/api/v1/interns/one${path}`, {
      method,
      headers: { ...(body === undefined ? {} : JSON_TYPE), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const detail = answer.headers.get('x-emulator-detail');
    return { status: answer.status, headers: answer.headers, text: await answer.text(), detail };
  };
}

describe('a recording from anybody', () => {
  test('runs nothing in a browser, whatever was recorded', async () => {
    const headers = { 'content-type': 'text/html' };
    const send = replayOf(read({ headers, body: '<script>alert(1)</script>' }));
    const inert = Object.entries(INERT_HEADERS);
    const page = await send();
    expect(page.text).toContain('<script>');
    for (const [name, value] of inert) expect(page.headers.get(name)).toBe(value);
    const refused = await send('POST');
    expect(refused.status).toBe(501);
    for (const [name, value] of inert) expect(refused.headers.get(name)).toBe(value);
  });

  test('may hold a long body: others to the same address are answered', async () => {
    const long = '('.repeat(40_000);
    const send = replayOf(write(long), { ...write('short') }, read());
    expect((await send('PATCH', { name: 'short' })).text).toBe('short');
    expect((await send('PATCH', { name: long })).text).toBe(long);
    const other = await send('PATCH', { name: 'other' });
    expect(other).toMatchObject({ status: 501, detail: expect.stringContaining('body.name: recorded "((((') });
  });

  test('may hold a long path: the difference is shown all the same', async () => {
    const send = replayOf({ request: { path: `/api/v1/interns/${'x'.repeat(40_000)}` } });
    expect((await send()).detail).toMatch(/^nearest: GET \/api\/v1\/interns\/x+\? \(.*\); path: recorded .*, sent /);
  });

  test('may be of other interns: the nearest request is the one whose path agrees most', async () => {
    const paths = ['/api/v1/interns', '/api/v1/interns/two/suspend'];
    const send = replayOf(...paths.map((path) => ({ request: { method: 'POST', path } })));
    expect((await send('POST', undefined, { path: '/suspend' })).detail).toContain('interns/two/suspend (');
  });

  test('may hold a body that is deeper than a program can walk', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const request = { method: 'PATCH', headers: JSON_TYPE, body: deep };
    const send = replayOf({ request, body: 'deep' });
    expect((await send('PATCH', `${deep}1`)).status).toBe(501);
    expect(await send('PATCH', deep)).toMatchObject({ status: 200, text: 'deep' });
  });

  test.each<[string, Line, number]>([
    ['a status without a body, with one', { status: 205, body: 'x' }, 205],
    ['access to a daemon that is no JSON', { operation: 'daemon', headers: JSON_TYPE, body: 'nothing' }, 200],
    ['a proof that is a list', { operation: 'sign', headers: JSON_TYPE, body: ['x'] }, 200],
  ])('may hold %s', async (_what, line, status) => {
    expect((await replayOf(line)()).status).toBe(status);
  });

  test('may have aliases for names and numbers of a request: the one that is sent takes their place', async () => {
    const body = { a: 1, '$value.1': { pin: '$key.1' } };
    const send = replayOf(
      ...['one', 'two'].map((said) => ({ ...write(said), request: { ...write(said).request, body } })),
    );
    expect(await send('PATCH', { a: 1, s3cr3t: { pin: 12345678 } })).toMatchObject({ status: 200, text: 'one' });
    expect((await send('PATCH', { a: 1, another: { pin: 12345678 } })).status).toBe(501);
    expect(await send('PATCH', { a: 1, s3cr3t: { pin: 12345678 } })).toMatchObject({ status: 200, text: 'two' });
  });

  test('may lack a body: it is not answered as if it were empty', async () => {
    const why = 'content-encoding "zstd" cannot be read';
    const answer = replayOf(read({ left_out: { answer: { length: 9, why } } }));
    expect(await answer()).toMatchObject({
      status: 501,
      detail: expect.stringContaining(`the answer was not recorded as a whole (${why}): GET /api/v1`),
    });
    const request = replayOf(write('x'), { ...write('y'), left_out: { request: { length: 9, why } } });
    expect((await request('PATCH', { name: 'x' })).text).toBe('x');
    expect((await request('PATCH', { name: 'y' })).status).toBe(501);
  });

  test('puts a value that a client brought into a header as far as a header can have it', async () => {
    const request = { method: 'PATCH', headers: JSON_TYPE, body: { workspace_id: '$workspace.1' } };
    const send = replayOf({ request, headers: { location: '/in/$workspace.1' } });
    const answer = await send('PATCH', { workspace_id: 'a\r\nset-cookie: ü\ud800' });
    expect(answer.headers.get('location')).toBe('/in/a%0d%0aset-cookie: %c3%bc%ef%bf%bd');
  });
});

describe('what matches', () => {
  test('of requests that differ alike, the nearest is the first that was not asked yet', async () => {
    const send = replayOf(write('first'), write('second'), write('third'));
    expect((await send('PATCH', { name: 'first' })).text).toBe('first');
    expect((await send('PATCH', { name: 'other' })).detail).toContain('body.name: recorded "second"');
  });

  test('without a body the media type says nothing', async () => {
    const send = replayOf({ request: { method: 'POST', headers: JSON_TYPE }, body: 'one' }, read());
    expect((await send('POST')).text).toBe('one');
    expect((await send('GET', undefined, { headers: JSON_TYPE })).text).toBe('read');
  });

  test('with one it says what the body is', async () => {
    const send = replayOf(write('a'));
    const other = await send('PATCH', { name: 'a' }, { headers: { 'content-type': 'text/plain' } });
    expect(other.detail).toContain('content-type: recorded "application/json", sent "text/plain"');
    expect(
      (await send('PATCH', { name: 'a' }, { headers: { 'content-type': 'Application/JSON; charset=utf-8' } })).text,
    ).toBe('a');
  });

  test('a key with a dollar sign', async () => {
    const send = replayOf({ request: { method: 'PATCH', headers: JSON_TYPE, body: { a$$b: 1 } }, body: 'dollar' });
    expect((await send('PATCH', { a$b: 1 })).text).toBe('dollar');
  });

  test('a query in any order, its question marks too', async () => {
    const path = '/api/v1/interns/$intern.1?a=1&b=$session.1&b=2?&a=3';
    const send = replayOf({ request: { path }, body: 'found' });
    expect((await send('GET', undefined, { path: '?b=2%3F&a=3&b=new&a=1' })).text).toBe('found');
    const other = await send('GET', undefined, { path: '?b=2?&a=3&b=new' });
    expect(other.detail).toContain('query: recorded "a=1", sent "b=2?" "a=3" "b=new"');
  });

  test('a UUID in either case', async () => {
    const id = '0b000000-0000-4000-8000-00000000000f';
    const request = { method: 'PATCH', headers: JSON_TYPE, body: { workspace_id: '$workspace.1' } };
    const send = replayOf({ request, body: 'one' }, { request, body: 'two' });
    expect((await send('PATCH', { workspace_id: id })).text).toBe('one');
    expect((await send('PATCH', { workspace_id: id.toUpperCase() })).text).toBe('two');
  });
});

describe('a write that the client leaves out', () => {
  const send = () =>
    replayOf(
      read({ body: 'first' }),
      write('a'),
      read({ body: 'after a' }),
      write('b'),
      read({ body: 'after b' }),
      write('c'),
    );

  test('holds no later read back', async () => {
    const ask = send();
    expect((await ask('PATCH', { name: 'b' })).text).toBe('b');
    expect((await ask()).text).toBe('after b');
    expect((await ask()).text).toBe('after b');
  });

  test('can still be asked, and gives back nothing that is over', async () => {
    const ask = send();
    await ask('PATCH', { name: 'b' });
    expect((await ask('PATCH', { name: 'a' })).text).toBe('a');
    expect((await ask()).text).toBe('after b');
    expect((await ask('PATCH', { name: 'a' })).detail).toContain('each recorded answer was given');
  });

  test('is waited for where no later one was asked', async () => {
    const ask = replayOf(write('a'), read());
    expect((await ask()).detail).toContain('recorded only after a write that was not asked yet');
  });
});

test('AUTH-9: the journal has what was answered, and no credential that was made for it', async () => {
  const call = replayOf(read({ body: { id: '$intern.1', api_key: '$key.1' }, headers: JSON_TYPE }));
  const answer = await call();
  const { api_key } = JSON.parse(answer.text) as { api_key: string };
  expect(api_key).toMatch(/^key-/);
  const listed = await emulator?.fetch('/_emulator/journal');
  const { data } = ((await listed?.json()) as { data: { response: { body: string } }[] } | undefined) ?? { data: [] };
  expect(data.map(({ response }) => response.body)).toEqual([answer.text.replace(api_key, '[redacted]')]);
});
