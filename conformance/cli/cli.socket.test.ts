import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { folderOfFile } from '../../test/folders.js';
import { serve } from '../../test/targets/hostile.js';
import { newEmulator } from '../drivers/emulator.js';
import { systemHost } from '../probe/time.js';
import { readResults } from '../report/json.js';
import type { Results } from '../run/results.js';
import { called, words } from './called.harness.js';

const folder = folderOfFile('intern-conformance-');
const at = (name: string) => join(folder, name);
const saved = (name: string): Results => readResults(readFileSync(at(name), 'utf8'), name);

const LIGHT = ['--only', 'update/nu*', '--runs', '2'];

describe('called wrongly: exit 2 and one line', () => {
  test.each([
    [['--nope'], /unknown flag --nope/],
    [['--run', '3'], /unknown flag --run \(did you mean --runs\?\)/],
    [['--runs', 'many'], /--runs: expected a whole number from 1, got "many"/],
    [['--runs', '0'], /--runs: expected a whole number from 1, got "0"/],
    [['--slow', 'long'], /--slow: expected a time/],
    [['--shard', '3/2'], /--shard: expected i\/n/],
    [['--level', 'strict'], /stated, published, chosen/],
    [['--report', 'pdf'], /pdf is not known/],
    [['--report', 'json', '--report', 'html'], /standard output/],
    [['--only', 'no/such'], /no check and no requirement is called no\/such/],
    [['--only', 'craete/*'], /called craete\/\* \(did you mean create\/\*\?\)/],
    [['drfit', 'recording.jsonl'], /unknown command "drfit" \(did you mean drift\?\)/],
    [['jugde'], /unknown command "jugde" \(did you mean judge\?\); as a host it is http:\/\/jugde\n/],
    [['explor'], /unknown command "explor" \(did you mean intern-emulator explore\?\)/],
    [['clinet', '--plan'], /unknown command "clinet" \(did you mean client\?\)/],
    [['report', 'merg', 'a.json'], /report: unknown command "merg" \(did you mean merge\?\)/],
    [['report', 'trend', 'a', 'b'], /report trend: "b" is one word more than it takes/],
    [['--level', 'statd'], /statd is not known \(did you mean stated\?\)/],
    [['--update-baseline'], /expected --baseline FILE/],
    [['--path', 'nonsense'], /NAME:PATH/],
    [['--profile', '/no/such/profile.json'], /profile \/no\/such\/profile.json cannot be read: no such file/],
    [['--profile', 'constructor'], /profile constructor cannot be read: no such file/],
    [['--config', 'a.json', '--config', 'b.json'], /--config: given more than once/],
    [['--config', '/no/such/config.json'], /cannot be read: no such file/],
    [['ftp://x', '--api-key', 'abcdefgh'], /expected http/],
    [
      ['http://127.0.0.1:9/api/v1'],
      /127\.0\.0\.1:9\/api\/v1 cannot be reached \(.+\); a deployment there needs a credential too: --api-key, INTERN_API_KEY/,
    ],
    [['--timeout', '0'], /--timeout: expected at least 1 ms, got "0"/],
    [
      ['--report', 'junit=package.json/x.xml'],
      /--report junit=package.json\/x.xml cannot be written: a file is in the way/,
    ],
    [['--report', 'json=/sys/x.json'], /--report json=\/sys\/x\.json cannot be written: /],
    [['--report', 'json=docs'], /--report json=docs cannot be written: that is a folder/],
    [
      ['--report', 'json=x/same.out', '--report', 'html=./x/y/../same.out'],
      /--report html=\.\/x\/y\/\.\.\/same\.out: --report json=x\/same\.out is the same file/,
    ],
    [
      ['--report', 'json=fixtures/no.json', '--baseline', 'fixtures/no.json'],
      /--report json=fixtures\/no\.json: --baseline fixtures\/no\.json is the same file/,
    ],
    [
      ['client', '--report', 'json=same', '--report', 'junit=same', '--', 'true'],
      /--report json=same is the same file/,
    ],
    [['--save', 'package.json'], /--save package.json cannot be written: a file is in the way/],
    [
      ['http://127.0.0.1:9', '--api-key', 'abcdefgh', '--workspace-id', 'w', '--ledger-dir', 'package.json'],
      /--ledger-dir package.json cannot be written: a file is in the way/,
    ],
    [
      ['http://127.0.0.1:9', '--api-key', 'abcdefgh', '--workspace-id', 'w', '--ledger-dir', '/proc/x'],
      /--ledger-dir \/proc\/x cannot be written: no folder can be made in \/proc/,
    ],
    [['client', '--report', 'junit=package.json/x.xml', '--', 'true'], /junit=package.json\/x.xml cannot be written/],
    [['--seed'], /--seed: expected a value after it/],
    [[''], /the URL is empty: give an address, or leave it out to check an emulator of its own/],
    [['--only', ''], /--only: expected a value after it, found an empty text/],
    [['--only', 'update/nu*', '--min-coverage', ''], /--min-coverage: expected a value after it, found an empty text/],
    [['--report', 'json='], /--report json=: expected a file after =/],
    [['cleanup'], /cleanup: name the run/],
    [['report', 'merge'], /report merge: name the reports/],
    [['report', 'merge', '/no/such.json'], /report \/no\/such.json cannot be read: no such file/],
    [['cleanup', 'nope'], /there is no ledger of a run nope/],
  ])('%j', async (args, line) => {
    const { exit, err, out } = await called(args);
    expect(err).toMatch(line);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(out).toBe('');
    expect(exit).toBe(2);
  });

  test.each([
    [{ INTERN_BASE_URL: '' }, [], /INTERN_BASE_URL is empty: give an address/],
    [{}, ['--config', at('empty-url.json')], /url of the config file is empty: give an address/],
  ])('an address that is empty is not taken for an emulator of its own: %j %j', async (env, args, line) => {
    writeFileSync(at('empty-url.json'), '{"url": ""}');
    const { exit, err } = await called([...LIGHT, ...args], { env });
    expect(err).toMatch(line);
    expect(exit).toBe(2);
  });

  test.each([
    ['an unknown key', { colour: 'red' }, 'colour is not known'],
    ['a text for a switch', { control: 'no' }, 'control: expected true or false'],
  ])('a config file with %s', async (_, config, said) => {
    writeFileSync(at('config.json'), JSON.stringify(config));
    expect(await called(['--config', at('config.json')])).toMatchObject({
      exit: 2,
      err: expect.stringContaining(said),
    });
  });
});

describe('without a URL', () => {
  test('checks an emulator of its own, with several reports at once', async () => {
    const kinds = ['json', 'junit', 'html', 'markdown', 'github'].flatMap((kind) => [
      '--report',
      `${kind}=${at(`out/${kind}`)}`,
    ]);
    const { exit, out } = await called([...LIGHT, '--report', 'tty', ...kinds]);
    expect(exit).toBe(0);
    expect(out).toMatch(/conforms: all \d+ checked +\d+ pass, 0 fail/);
    expect(readdirSync(at('out')).sort()).toEqual(['github', 'html', 'json', 'junit', 'markdown']);
    const results = saved('out/json');
    expect(results.counts.pass).toBeGreaterThan(0);
    expect(results.cleanup).toMatchObject({ failed: [] });
  });

  test('the JSON report goes to standard output alone where it is asked for', async () => {
    const { out } = await called([...LIGHT, '--report', 'json']);
    expect(JSON.parse(out)).toMatchObject({ format: 'intern-conformance', verdict: 'pass' });
  });

  test('the same seed tries the same', async () => {
    const run = async (file: string) => {
      await called([...LIGHT, '--seed', 'same', '--report', `json=${at(file)}`]);
      return saved(file).checks.map(({ duration: _, ...check }) => check);
    };
    expect(await run('one.json')).toEqual(await run('two.json'));
  });

  test('shards are merged into the whole, and a missing one is reported', async () => {
    const shard = (index: number) =>
      called([...LIGHT, '--shard', `${index}/2`, '--report', `json=${at(`shard${index}.json`)}`]);
    await shard(1);
    await shard(2);
    const whole = await called(
      words`report merge ${at('shard1.json')} ${at('shard2.json')} --report json=${at('whole.json')}`,
    );
    expect(whole.exit).toBe(0);
    const ids = (name: string) => saved(name).checks.map((check) => check.id);
    expect(new Set(ids('whole.json'))).toEqual(new Set([...ids('shard1.json'), ...ids('shard2.json')]));
    const part = await called(['report', 'merge', at('shard1.json')]);
    expect(part.exit).toBe(3);
    expect(part.out).toContain('shards are missing: 2/2');
    expect((await called(['report', 'merge', at('shard1.json'), at('shard1.json')])).exit).toBe(2);
  });

  test('an entry of a baseline gives a reason, and counts again after its day', async () => {
    const write = (entry: unknown) => writeFileSync(at('reasons.json'), JSON.stringify({ known: [entry] }));
    const go = () => called([...LIGHT, '--baseline', at('reasons.json')]);
    write({
      id: 'update/null-clears',
      reason: 'being worked on',
      link: 'https://x.test/1',
      until: '2020-01-31',
    });
    expect((await go()).exit).toBe(0);
    write({ id: 'update/null-clears', reason: 'being worked on', until: '2999-01-31' });
    expect((await go()).out).toContain('no longer failing, but in the baseline');
    write({ id: 'update/null-clears' });
    expect((await go()).err).toContain('known[0].reason: expected a reason why it may fail');
    write({ id: 'update/null-clears', reason: 'x', until: 'soon' });
    expect((await go()).err).toContain('known[0].until: expected a day such as 2026-12-31; found soon');
    write({ id: 'update/null-clears', reason: 'x', flaky: 'yes' });
    expect((await go()).err).toContain('known[0].flaky: expected a boolean; found a string');
    write({ id: 'update/null-clears', reason: 'races', flaky: true, expires: '2999-01-31' });
    expect(await go()).toMatchObject({ exit: 0, out: expect.stringContaining('flaky: failed 0 of 1') });
  });

  test.each([
    [{ ask: 'Ask.' }, /prompts: there is no "ask" here/],
    [{ 'ask-question': [] }, /prompts\.ask-question: expected/],
    [[], /prompts: expected an object; found an array/],
  ])('invalid prompts of a config file are refused: %j', async (prompts, said) => {
    writeFileSync(at('prompts.json'), JSON.stringify({ prompts }));
    expect(await called([...LIGHT, '--config', at('prompts.json')])).toMatchObject({
      exit: 2,
      err: expect.stringMatching(said),
    });
  });

  test('less coverage than was demanded is incomplete', async () => {
    expect((await called([...LIGHT, '--min-coverage', '100%'])).exit).toBe(0);
    expect((await called([...LIGHT, '--min-coverage', 'most'])).err).toContain('expected a percentage such as 60%');
  });

  test('a stale baseline fails, an updated one passes', async () => {
    writeFileSync(at('baseline.json'), '{"known": ["update/null-clears"]}');
    const stale = await called([...LIGHT, '--baseline', at('baseline.json')]);
    expect(stale.exit).toBe(1);
    expect(stale.out).toContain('no longer failing, but in the baseline: update/null-clears');
    expect((await called([...LIGHT, '--baseline', at('baseline.json'), '--update-baseline'])).exit).toBe(0);
    expect(JSON.parse(readFileSync(at('baseline.json'), 'utf8'))).toEqual({ known: [] });
    expect((await called([...LIGHT, '--baseline', at('baseline.json')])).exit).toBe(0);
  });
});

describe('against a URL', () => {
  let emulator: Awaited<ReturnType<typeof newEmulator>>;
  let url = '';
  let env: Record<string, string> = {};
  beforeAll(async () => {
    emulator = await newEmulator({ clock: 'real', settings: { turns_per_minute: 0 } });
    url = (await emulator.listen({ port: 0 })).baseUrl;
    env = { INTERN_API_KEY: emulator.target.credentials.api_key, INTERN_WORKSPACE_ID: emulator.target.workspace_id };
  });
  afterAll(() => emulator.close());

  test('an emulator is found through its control interface', async () => {
    const { exit } = await called([
      ...words`${url}`,
      ...LIGHT,
      ...words`--report json=${at('emulator.json')} --ledger-dir ${at('ledgers')}`,
    ]);
    expect(exit).toBe(0);
    expect(saved('emulator.json').target).toMatchObject({ kind: 'emulator', url });
    expect(readdirSync(at('ledgers'))).toEqual([]);
  });

  test('its space is given back after an interrupt too', async () => {
    await called([...words`${url} --ledger-dir ${at('ledgers')}`], { signal: AbortSignal.timeout(1_000) });
    expect(await (await emulator.fetch('/_emulator/spaces')).json()).toEqual({ data: [] });
  });

  test('without it, as a deployment, at its rate, and no secret in any report', async () => {
    const { exit, out } = await called(
      [
        ...words`${url} --no-control`,
        ...LIGHT,
        ...words`--rate 50 --report json=${at('live.json')} --report html=${at('live.html')} --ledger-dir ${at('ledgers')}`,
      ],
      { env },
    );
    expect(exit).toBe(0);
    expect(saved('live.json').target.kind).toBe('live');
    for (const text of [out, readFileSync(at('live.json'), 'utf8'), readFileSync(at('live.html'), 'utf8')]) {
      expect(text).not.toContain(env.INTERN_API_KEY);
    }
  });

  test('a plan says what would be done and does nothing', async () => {
    const before = await emulator.fetch('/_emulator/journal').then((answer) => answer.text());
    const { exit, out } = await called([url, '--no-control', '--plan', ...LIGHT], { env });
    expect(exit).toBe(0);
    // The command of docs/requirements.md: what a check holds stands in the line of the plan.
    expect(out).toMatch(/run +update\/null-clears {2}\S+ . {2}\w.*\. {2}about \d+ requests, writes/);
    expect(out).toMatch(/In all about \d+ prompts?, \d+ minutes?, \d+ requests, \d+ interns? at 5 requests a second\./);
    expect(out).toContain('It never takes more than 150 prompts (--max-prompts), 300 s (--max-time), 3000 requests');
    expect(await emulator.fetch('/_emulator/journal').then((answer) => answer.text())).toBe(before);
  });

  test('a plan that is interrupted ends at once', async () => {
    const interrupted = new AbortController();
    const command = [url, '--no-control', '--plan', '--only', 'model/lifecycle', '--runs', '500'];
    const going = called(command, { env, signal: interrupted.signal });
    await systemHost.sleep(100);
    interrupted.abort();
    expect(await going).toMatchObject({ exit: 3, out: '', err: 'interrupted: there is no plan\n' });
  });

  test('an interrupted run keeps its ledger only where something is left, and cleanup takes that away', async () => {
    const interrupted = new AbortController();
    const going = called(
      [url, '--no-control', '--only', 'model/lifecycle', '--runs', '50', '--ledger-dir', at('ledgers')],
      {
        env,
        signal: interrupted.signal,
      },
    );
    await systemHost.sleep(700);
    interrupted.abort();
    expect((await going).exit).toBe(3);
    expect(readdirSync(at('ledgers'))).toEqual([]);

    // A run that was killed: its ledger says what it was about to make.
    const create = (name: string) =>
      emulator.fetch('/api/v1/interns', {
        method: 'POST',
        headers: { authorization: `Bearer ${env.INTERN_API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, workspace_id: env.INTERN_WORKSPACE_ID }),
      });
    const { id } = (await (await create('kdead-1')).json()) as { id: string };
    await create('kdead-2');
    writeFileSync(
      at('ledgers/dead.jsonl'),
      [
        { event: 'run', run: 'dead', url, prefix: 'kdead-', at: '' },
        { event: 'creating', name: 'kdead-1', as: 'api_key' },
        { event: 'created', id, name: 'kdead-1', as: 'api_key' },
        { event: 'creating', name: 'kdead-2', as: 'api_key' },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    const cleaned = await called(
      ['cleanup', 'dead', '--url', url, '--no-control', '--rate', '50', '--ledger-dir', at('ledgers')],
      { env },
    );
    expect(cleaned).toMatchObject({ exit: 0, out: expect.stringContaining('nothing of run dead is left') });
    expect(existsSync(at('ledgers/dead.jsonl'))).toBe(false);
  });
});

describe('invalid targets', () => {
  const served = async (listener: RequestListener) => `${closing(await serve(listener)).origin}/api/v1`;
  const json = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  test('--max-time holds at one that hangs: a look before the run counts too', async () => {
    const url = await served(() => {});
    const began = performance.now();
    const { exit, out } = await called([...words`${url} --api-key abcdefghij --max-time 1s`]);
    expect(exit).toBe(3);
    expect(out).toContain('--max-time');
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test.each<[string, RequestListener, RegExp]>([
    ['hangs', () => {}, /cannot be reached: timeout/],
    ['drops', (request) => void request.socket.destroy(), /cannot be reached: dropped/],
    ['answers no HTTP', (request) => void request.socket.end('hello\r\n\r\n'), /cannot be reached/],
    [
      'answers HTML',
      (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>Hello</h1>'),
      /text\/html instead of JSON/,
    ],
    [
      'redirects',
      (_, response) => void response.writeHead(302, { location: 'http://elsewhere.test/' }).end(),
      /redirects .* to http:\/\/elsewhere.test\//,
    ],
    [
      'breaks off',
      (request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{');
        setImmediate(() => request.socket.destroy());
      },
      /cannot be reached/,
    ],
    ['refuses the key', (_, response) => json(response, 401, {}), /does not accept the API key/],
    ['answers no list', (_, response) => json(response, 200, { data: null }), /without a list of interns/],
  ])('one that %s is incomplete, with a reason and no crash', async (_, listener, reason) => {
    const url = await served(listener);
    // A server that answers does so in time on a busy machine too.
    const timeout = reason.source.endsWith('timeout') ? '500ms' : '30s';
    const { exit, out } = await called([
      ...words`${url} --api-key abcdefghij --timeout ${timeout}`,
      ...LIGHT,
      ...words`--ledger-dir ${at('none')}`,
    ]);
    expect(out).toMatch(reason);
    // One line says it all (KIT-5).
    expect(out).toMatch(/^incomplete: no check ran, [^\n]*\n$/);
    expect(exit).toBe(3);
  });
});
