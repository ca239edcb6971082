import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../emulator/contract/problem.js';
import { closing } from '../../test/closing.js';
import { folderOfFile } from '../../test/folders.js';
import { serve } from '../../test/targets/hostile.js';
import { sampleResults } from '../../test/targets/sample-results.js';
import { json } from '../report/json.js';
import { called } from './called.harness.js';
import { deliver } from './destinations.js';
import type { Io } from './io.js';
import { checksFor, outcomeOf } from './replay.js';

const folder = folderOfFile('intern-reports-');
const at = (name: string) => join(folder, name);

const call = (...args: string[]) => called(args);
const callWith = (more: Partial<Pick<Io, 'env' | 'ask'>>, ...args: string[]) => called(args, more);

const sample = sampleResults();
const written = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const good = written('good.json', json(sample));
const passing = {
  ...sample,
  checks: sample.checks.map(({ finding: _, ...check }) =>
    check.id === 'chat/fails' ? { ...check, verdict: 'pass' as const } : check,
  ),
};
const before = written('before.json', json(passing));

describe('an invalid report: exit 2, and one line that names the file and what is wrong', () => {
  const huge = at('huge.json');
  const file = openSync(huge, 'w');
  ftruncateSync(file, 300 * 1024 * 1024);
  closeSync(file);
  const { requests: _, ...without } = sample;
  const wrong: [string, string, RegExp][] = [
    ['missing', at('missing.json'), /report \S+missing\.json cannot be read: \w/],
    ['a folder', folder, /cannot be read: /],
    ['empty', written('empty.json', ''), /empty\.json is empty/],
    [
      'cut off',
      written('cut.json', json(sample).slice(0, 400)),
      /cut\.json is no JSON: line \d+, column \d+: expected /,
    ],
    [
      'of something else',
      written('other.json', '{"tests": []}'),
      /other\.json: format: expected a JSON report of this kit/,
    ],
    ['huge', huge, /huge\.json is longer than 256 MB/],
    ['of an older form', written('old.json', JSON.stringify({ ...sample, incomplete: undefined })), /of an older kit/],
    [
      'of a later form',
      written('later.json', json({ ...sample, version: 9 } as never)),
      /version 9 of the report is not known/,
    ],
    ['without a field', written('less.json', json(without as never)), /less\.json: requests: missing/],
    [
      'with an invalid check',
      written('check.json', json({ ...sample, checks: [...sample.checks, { id: 'x' }] } as never)),
      /check\.json: checks\[6\]\.requirement: missing/,
    ],
  ];
  test.each(wrong)('%s', async (_, path, line) => {
    for (const words of [
      ['report', 'diff', good, path],
      ['replay', path],
      ['report', 'merge', path],
    ]) {
      const { exit, err } = await call(...words);
      expect({ exit, err }).toEqual({ exit: 2, err: expect.stringMatching(line) });
      expect(err.trim().split('\n')).toHaveLength(1);
    }
  });
});

test('report diff exits 1 when something broke, and else 0', async () => {
  expect(await call('report', 'diff', before, good)).toMatchObject({
    exit: 1,
    out: expect.stringMatching(/^1 broken: 1 broken, 0 mended/m),
  });
  const back = await call('report', 'diff', good, before, '--report', `json=${at('d/diff.json')}`);
  expect(back).toMatchObject({ exit: 0, out: '' });
  const diff = JSON.parse(readFileSync(at('d/diff.json'), 'utf8'));
  expect(diff).toMatchObject({ broken: [], mended: [{ id: 'chat/fails' }], new: [], gone: [], unchecked: [] });
  expect(await call('report', 'diff', good)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('expected two reports'),
  });
  expect(await call('report', 'diff', good, good, '--report', 'junit')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--report: junit is not known; known are tty, markdown, json, html'),
  });
});

test('report trend reads every report below a folder, and says which files are left out', async () => {
  mkdirSync(at('runs/one'), { recursive: true });
  expect(await call('report', 'trend', at('runs'))).toMatchObject({
    exit: 2,
    err: expect.stringContaining('has no JSON reports'),
  });
  written('runs/one/a.json', json({ ...passing, started: '2026-01-01T00:00:00.000Z' }));
  written('runs/b.json', json({ ...sample, started: '2026-01-02T00:00:00.000Z' }));
  written('runs/package.json', '{}');
  const { exit, out, err } = await call(
    'report',
    'trend',
    at('runs'),
    '--report',
    'tty',
    '--report',
    `html=${at('trend.html')}`,
  );
  expect(exit).toBe(0);
  expect(err).toMatch(
    /^intern-conformance: left out: report \S+package\.json: format: expected a JSON report of this kit\n$/,
  );
  expect(out).toContain('2 runs: 6 checks, 2 failing now');
  expect(out).toMatch(/\.F {2}chat\/fails: failing since 2026-01-02/);
  expect(readFileSync(at('trend.html'), 'utf8').replaceAll('<wbr>', '')).toContain('chat/fails');
});

test('replay does findings again, and says which are fixed and which it did not reach', async () => {
  const finding = sample.checks.find(({ id }) => id === 'chat/fails')?.finding;
  if (finding === undefined) throw new Error('the sample has no finding');
  const { property: _, ...plain } = finding;
  const row = { ...sample.checks[1], finding: plain };
  const report = (...ids: string[]) =>
    json({
      ...sample,
      target: { ...sample.target, inProcess: true },
      checks: ids.map((id) => ({ ...row, id })),
    } as never);
  expect(await call('replay', written('fixed.json', report('update/null-clears')))).toMatchObject({
    exit: 0,
    out: 'FIXED        update/null-clears\n1 finding: 1 fixed, 0 still there, 0 not reached\n',
  });
  // The requests of a rule's finding are sent first, then the whole check.
  const [exchange] = finding.transcript;
  const request = { method: 'GET', url: 'http://x/api/v1/interns', headers: { authorization: 'Bearer [api_key]' } };
  const slice = { ...plain, transcript: [{ ...exchange, request, response: undefined }] };
  const ruled = { ...row, id: 'LIST-1/list-status', finding: { ...slice, askedBy: 'update/null-clears' } };
  const checks = [ruled];
  const target = { ...sample.target, inProcess: true };
  expect(await call('replay', written('rule.json', json({ ...sample, target, checks } as never)))).toMatchObject({
    exit: 0,
    out: expect.stringContaining('1 fixed'),
  });
  const both = await call('replay', written('gone.json', report('update/null-clears', 'chat/gone')));
  expect(both.exit).toBe(3);
  expect(both.out).toContain('NOT REACHED  chat/gone: this kit has no such check\n');
  const prompts = ['replay', written('prompts.json', report('chat-content/content-intact'))];
  expect(await call(...prompts, '--max-prompts', '0')).toMatchObject({
    exit: 3,
    out: expect.stringContaining('the budget of 0 prompts is spent'),
  });
  expect(await call('replay', written('none.json', json({ ...sample, checks: [] })))).toMatchObject({ exit: 0 });
  const client = json({ ...sample, target: { ...sample.target, kind: 'client' } });
  expect((await call('replay', written('client.json', client))).err).toContain('name its adapter');
});

test('what a monitor judged is not fixed where the check did not run that asked for it', () => {
  const [row] = sample.checks;
  const finding = sample.checks.find(({ id }) => id === 'chat/fails')?.finding;
  if (row === undefined || finding === undefined) throw new Error('the sample has no finding');
  const judged = { id: 'BASE-3/code', finding: { ...finding, askedBy: 'get/unknown' } };
  const passed = { ...row, id: 'BASE-3/code', verdict: 'pass', finding: undefined } as never;
  const skip = { kind: 'stopped', because: { kind: 'over', stop: { kind: 'time', ms: 1_000 } } };
  const outcome = (asked: object) =>
    outcomeOf(
      judged,
      new Map([
        ['BASE-3/code', passed],
        ['get/unknown', { ...row, ...asked } as never],
      ]),
    ).outcome;
  expect(outcome({ verdict: 'skip', skip })).toBe('NOT REACHED');
  expect(outcome({ verdict: 'pass' })).toBe('FIXED');
});

test('replay does the check again whose answers a monitor judged', () => {
  const finding = sample.checks.find(({ id }) => id === 'chat/fails')?.finding;
  if (finding === undefined) throw new Error('the sample has no finding');
  const judged = { id: 'BASE-3/code', finding: { ...finding, askedBy: 'get/unknown' } };
  expect(checksFor([judged, { id: 'chat/fails', finding }])).toEqual(['get/unknown', 'BASE-3/code', 'chat/fails']);
});

describe('an address that a report alone names', () => {
  const env = { INTERN_API_KEY: 'sk-secret-of-the-replay', INTERN_WORKSPACE_ID: 'w' };
  test.each<[string, (url: string, file: string) => Parameters<typeof callWith>, boolean]>([
    ['gets no credential of a replay', (_, file) => [{ env }, 'replay', file], false],
    ['gets none where somebody refuses', (_, file) => [{ env, ask: async () => 'n' }, 'replay', file], false],
    ['gets it where somebody agrees', (_, file) => [{ env, ask: async () => 'y' }, 'replay', file], true],
    ['gets it where the call names it too', (url, file) => [{ env }, 'replay', file, url], true],
    [
      'gets it where the environment does',
      (url, file) => [{ env: { ...env, INTERN_BASE_URL: url } }, 'replay', file],
      true,
    ],
  ])('%s', async (_, words, reached) => {
    const keys = new Set<string | undefined>();
    const elsewhere = closing(
      await serve((request, response) => {
        keys.add(request.headers.authorization);
        response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      }),
    );
    const url = `${elsewhere.origin}/api/v1`;
    const checks = sample.checks.flatMap(({ id, ...check }) =>
      id === 'chat/fails' ? [{ ...check, id: 'update/null-clears' }] : [],
    );
    const target = { kind: 'live' as const, url, profile: 'svc', published: false };
    const file = written('elsewhere.json', json({ ...sample, target, checks }));
    const [io, ...args] = words(url, file);
    const { exit, err } = await callWith(io, ...args, '--no-control', '--rate', '0', '--ledger-dir', at('ledgers'));
    expect(keys.has(`Bearer ${env.INTERN_API_KEY}`)).toBe(reached);
    if (reached) return;
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(`only ${file} names the address ${url}`) });
    expect(keys.size).toBe(0);
  });
});

describe('what a stranger writes in the place of a report', () => {
  const [failing] = sample.checks.filter(({ verdict }) => verdict === 'fail');
  if (failing?.finding === undefined) throw new Error('the sample has no failure');
  const { finding } = failing;
  const withFinding = (more: object) => ({ ...sample, checks: [{ ...failing, finding: { ...finding, ...more } }] });
  test.each([
    ['a thousand million runs', withFinding({ runs: 1e9 }), /checks\[0\]\.finding\.runs: expected at most 100000/],
    ['a time before all times', { ...sample, duration: -1e308 }, /duration: expected at least 0/],
    [
      'as many shards',
      { ...sample, options: { ...sample.options, shard: { index: 1, of: 1e9 } } },
      /shard\.of: expected/,
    ],
    ['a finding of an unknown kind', withFinding({ wanted: { kind: 'x' } }), /finding\.wanted.*expected/],
    [
      'a stream that shows nothing',
      withFinding({ wanted: { kind: 'stream', rule: 'order' }, got: null }),
      /holds a finding/,
    ],
  ])('%s is one line, exit 2', async (name, report, line) => {
    const file = written(`stranger-${name.replaceAll(' ', '-')}.json`, JSON.stringify(report));
    for (const words of [
      ['report', 'merge', file, '--report', 'ctrf'],
      ['replay', file],
    ]) {
      const { exit, err } = await call(...words);
      expect({ exit, err }).toEqual({ exit: 2, err: expect.stringMatching(line) });
      expect(err.trim().split('\n')).toHaveLength(1);
    }
  });

  test('more than one text can hold is one line, exit 2', () => {
    const toJSON = () => {
      throw new RangeError('Invalid string length');
    };
    const file = at('long.json');
    const long = { ...sample, seed: { toJSON } as never };
    expect(() => deliver([{ kind: 'json', file }], () => json(long), {} as Io)).toThrow(
      new UsageError(`--report json=${file} cannot be written: it is too long for one text`),
    );
  });

  test('brings no control character and no workflow command to a terminal or a log', async () => {
    const odd = 'a/\u001b]0;x\u0007\n::error::x\u202e';
    const check = { ...failing, id: odd, title: odd, finding: { ...finding, replay: odd, curl: odd } };
    const file = written(
      'odd.json',
      JSON.stringify({ ...sample, run: odd, checks: [check, { ...check, id: `${odd}2` }] }),
    );
    for (const words of [
      ['merge', file],
      ['diff', before, file],
      ['diff', file, before],
      ['merge', file, '--report', 'markdown'],
    ]) {
      const { out, err } = await call('report', ...words);
      expect(out + err).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]|^\s*::error::x/mu);
    }
  });
});
