import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { type Served, serve } from '../../test/targets/hostile.js';
import { newEmulator } from '../drivers/emulator.js';
import { called } from './called.harness.js';

const KEY = 'sk-secret-of-the-clean-up';
let folder = '';
beforeEach(() => {
  folder = folderOfTest('intern-cleanup-');
});

const ledger = (lines: readonly object[]) => {
  const file = join(folder, 'given.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
};
const head = (url: string, more: object = {}) => ({
  event: 'run',
  run: 'dead',
  url,
  prefix: 'kdead-',
  at: '',
  ...more,
});

async function cleanup(
  args: readonly string[],
  { env = {}, says }: { env?: Record<string, string>; says?: string } = {},
) {
  const asked: string[] = [];
  let text = '';
  const said = (more: string) => {
    text += more;
  };
  const { exit } = await called(['cleanup', ...args, '--no-control', '--rate', '0', '--timeout', '5s'], {
    out: said,
    err: said,
    env,
    ...(says === undefined
      ? {}
      : {
          async ask(question: string) {
            asked.push(question);
            return says;
          },
        }),
  });
  return { exit, text, asked };
}

describe('an address that the ledger alone names', () => {
  let elsewhere: Served;
  let requests: string[] = [];
  beforeEach(async () => {
    requests = [];
    elsewhere = await serve((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.setHeader('content-type', 'application/json').end('{"data":[],"has_more":false}');
    });
  });
  afterEach(() => elsewhere.close());
  const given = () =>
    ledger([head(`${elsewhere.origin}/api/v1`), { event: 'creating', name: 'kdead-1', as: 'api_key' }]);
  const env = { INTERN_API_KEY: KEY, INTERN_WORKSPACE_ID: 'w' };

  test('gets no credential: the line says how to name it', async () => {
    const file = given();
    const { exit, text } = await cleanup([file], { env });
    expect(exit).toBe(2);
    expect(text).toMatch(/only \S+given\.jsonl names the address http:\S+; .* --url http:\S+\/api\/v1\n$/);
    expect(requests).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  test('is asked about at a terminal, and gets none where that is refused', async () => {
    const { exit, asked } = await cleanup([given()], { env, says: '' });
    expect(exit).toBe(2);
    expect(asked).toEqual([expect.stringContaining(`Send credentials to ${elsewhere.origin}/api/v1?`)]);
    expect(requests).toEqual([]);
  });

  test.each<[string, (origin: string) => Parameters<typeof cleanup>[1], boolean]>([
    ['where somebody agrees', () => ({ env, says: 'yes' }), false],
    ['where --url names it too', () => ({ env }), true],
    ['where INTERN_BASE_URL does', (origin) => ({ env: { ...env, INTERN_BASE_URL: `${origin}/api/v1/` } }), false],
  ])('gets it %s', async (_, more, flag) => {
    const args = [given(), ...(flag ? ['--url', `${elsewhere.origin}/api/v1`] : [])];
    expect(await cleanup(args, more(elsewhere.origin))).toMatchObject({ exit: 0 });
    expect(requests).toContain('GET /api/v1/interns');
  });

  test('is no other for having been named in an environment that names another', async () => {
    const { exit } = await cleanup([given()], { env: { ...env, INTERN_BASE_URL: 'https://mine.test/api/v1' } });
    expect(exit).toBe(2);
    expect(requests).toEqual([]);
  });
});

describe('a ledger that somebody else wrote', () => {
  test.each<[string, object]>([
    ['a beginning that fits every name', { prefix: '' }],
    ['a beginning that is not of its run', { prefix: 'release-' }],
    ['an invalid run', { run: '../x', prefix: 'k../x-' }],
    ['no run', { run: undefined }],
    ['no address', { url: 7 }],
  ])('with %s is refused', async (_, more) => {
    const { exit, text } = await cleanup([ledger([head('http://127.0.0.1:9/api/v1', more)])]);
    expect(exit).toBe(2);
    expect(text).toMatch(/given\.jsonl: expected .*\n$/);
  });

  test('takes away no intern that does not bear a name of its run, whatever it says', async () => {
    const emulator = closing(await newEmulator({ clock: 'auto', settings: { turns_per_minute: 0 } }));
    const { baseUrl } = await emulator.listen({ port: 0 });
    const { credentials, workspace_id } = emulator.target;
    const headers = { authorization: `Bearer ${credentials.api_key}`, 'content-type': 'application/json' };
    const make = async (name: string) => {
      const init = { method: 'POST', headers, body: JSON.stringify({ name, workspace_id }) };
      const { id } = (await (await emulator.fetch('/api/v1/interns', init)).json()) as { id: string };
      return { id, name };
    };
    const theirs = [await make('release-bot'), await make('kdeae-1')];
    const ours = await make('kdead-1');
    const file = ledger([
      head(baseUrl),
      null,
      { event: 'creating', name: 'release-bot', as: 'api_key' },
      ...[...theirs, ours].map((one) => ({ event: 'created', ...one, as: 'api_key' })),
      { event: 'created', id: `${ours.id}/../${theirs[0]?.id}`, name: 'kdead-2', as: 'api_key' },
      { event: 'created', id: 'x', name: 'kdead-3', as: 'constructor' },
    ] as object[]);
    const env = { INTERN_API_KEY: String(credentials.api_key), INTERN_WORKSPACE_ID: workspace_id };
    const { exit, text } = await cleanup([file, '--url', baseUrl], { env });
    expect(exit).toBe(3);
    expect(text).toMatch(/2 interns of run dead are left \(its name "release-bot" is not from this run/);
    const statusOf = async (id: string) => (await emulator.fetch(`/api/v1/interns/${id}`, { headers })).status;
    expect(await Promise.all(theirs.map(({ id }) => statusOf(id)))).toEqual([200, 200]);
    const list = (await (await emulator.fetch('/api/v1/interns', { headers })).json()) as {
      data: { status: string }[];
    };
    expect(list.data.filter(({ status }) => status === 'destroying')).toEqual([]);
    expect(await statusOf(ours.id)).toBe(404);
    expect(readFileSync(file, 'utf8')).toContain('"gone"');
  });
});
