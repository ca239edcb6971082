import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../../emulator/cli/exec.js';
import { folderOfFile } from '../../../test/folders.js';
import { findTool, needs } from '../../../test/tools.js';
import { type CommandWords, learn } from './each.js';

const root = folderOfFile('explore each ');

/** The facts of a suite in a folder of its own. */
async function learnt(files: Readonly<Record<string, string>>, command: CommandWords) {
  const folder = mkdtempSync(join(root, 'suite-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  const options = { emulator: {}, signal: new AbortController().signal, seed: 'each' };
  return { folder, found: await learn(command, { env: process.env, folder, environmentOf }, options) };
}
const namesOf = ({ found }: Awaited<ReturnType<typeof learnt>>) => found?.tests.map(({ name }) => name);

const LIST = `const list = async () => {
  const { INTERN_BASE_URL: base, INTERN_API_KEY: key } = process.env;
  const response = await fetch(base + '/interns', { headers: { authorization: 'Bearer ' + key } });
  await response.text();
};
const sleep = () => new Promise((resolve) => setTimeout(resolve, 50));
`;
const NODE = `import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
${LIST}
test('adds (2+2)', () => {});
describe('interns', { concurrency: true }, () => {
  test('sleeps', sleep);
  test("it's listed", async () => { await sleep(); await list(); });
  test('sleeps, too', async () => { await sleep(); await sleep(); });
});
test('parent', async (t) => {
  await t.test('child', list);
  await t.test('other', () => {});
});
test('starts another', (t, done) => {
  spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(LIST)} + 'await list();']).on('exit', () => done());
});
`;
const SMALL = `import { test } from 'node:test';
${LIST}
test("it's listed", list);
test('adds', () => {});
`;
const OTHER = "import { test } from 'node:test';\ntest('parent', () => {});\ntest.skip('skipped', () => {});\n";

test('which tests of node:test talk is learnt, each with its filter and its file', async () => {
  const made = await learnt({ 'a.test.mjs': NODE, 'b.test.mjs': OTHER }, [process.execPath, '--test', '--no-warnings']);
  expect(namesOf(made)).toEqual(["interns > it's listed", 'parent', 'starts another']);
  const file = join(made.folder, 'a.test.mjs');
  expect(made.found?.tests.map(({ command }) => command.slice(1))).toEqual([
    ['--test', "--test-name-pattern=/^it's listed$/", '--no-warnings', file],
    // Its filter looks at each name by itself.
    ['--test', ...['parent', 'child', 'other'].map((name) => `--test-name-pattern=/^${name}$/`), '--no-warnings', file],
    ['--test', '--test-name-pattern=/^starts another$/', '--no-warnings', file],
  ]);
  expect(made.found?.requests).toBe(3);
});

test('the script of a package is read up to its last command, its filters are quoted, and its files give way', async () => {
  const scripts = { test: 'node -e 1 && node --test --import ./setup.mjs a.test.mjs b.test.mjs' };
  const files = {
    'a.test.mjs': SMALL,
    'b.test.mjs': OTHER,
    'setup.mjs': '',
    'package.json': JSON.stringify({ scripts }),
  };
  const { found, folder } = await learnt(files, ['npm', 'test']);
  expect(found?.tests[0]?.command).toEqual([
    'sh',
    '-c',
    `node -e 1 && node --test '--test-name-pattern=/^it'\\''s listed$/' --import ./setup.mjs '${join(folder, 'a.test.mjs')}'`,
  ]);
});

test('a script finds what its package has installed', async () => {
  const files = {
    'a.test.mjs': SMALL,
    'node_modules/.bin/first': '#!/bin/sh\nexit 0\n',
    'package.json': JSON.stringify({ scripts: { test: 'first && node --test a.test.mjs' } }),
  };
  const { found, folder } = await learnt(files, ['npm', 'test']);
  expect(found?.tests.length).toBe(1);
  const [file, ...args] = found?.tests[0]?.command ?? [''];
  expect(args[1]).toContain(`PATH='${join(folder, 'node_modules/.bin')}`);
  expect(spawnSync(file, args, { cwd: folder, encoding: 'utf8' }).stdout).toMatch(/it's listed/);
});

test('tests of vitest in parallel workers; of those that are on at once all; a file that talks around its tests', async () => {
  const head = `import { beforeAll, describe, test } from 'vitest';\n${LIST}`;
  const files = {
    'a.test.mjs': `${head}test('adds', () => {});\ndescribe('interns', () => { test("it's listed", list); });`,
    'b.test.mjs': `${head}test.concurrent('one', async () => { await sleep(); await list(); });
test.concurrent('two', async () => { await sleep(); await sleep(); });\ntest('three', () => {});`,
    'c.test.mjs': `${head}beforeAll(list);\ntest('four', () => {});`,
    'd.test.mjs': `${head}test('five', () => {});`,
  };
  const bin = resolve('node_modules/vitest/vitest.mjs');
  const made = await learnt(files, [
    process.execPath,
    bin,
    'run',
    '--root',
    '.',
    'a.test',
    'b.test',
    'c.test',
    'd.test',
  ]);
  expect(namesOf(made)).toEqual(['c.test.mjs', "interns > it's listed", 'one', 'two']);
  const [around, listed] = made.found?.tests ?? [];
  const filters = ['a.test', 'b.test', 'c.test', 'd.test'];
  expect(around?.command.slice(2)).toEqual(['run', '--root', '.', ...filters, join(made.folder, 'c.test.mjs')]);
  expect(listed?.command.slice(2)).toEqual([
    ...['run', '--root', '.', ...filters],
    ...['-t', "^interns (?:> )?it's listed$", join(made.folder, 'a.test.mjs')],
  ]);
});

test('tests of pytest', needs('pytest'), async () => {
  const suite = `import os, urllib.request
def ask():
  headers = {'authorization': 'Bearer ' + os.environ['INTERN_API_KEY']}
  urllib.request.urlopen(urllib.request.Request(os.environ['INTERN_BASE_URL'] + '/interns', headers=headers)).read()
def test_adds(): pass
def test_asks(): ask()
class TestInterns:
  def test_lists(self): ask()
  def test_none(self): pass
`;
  const python = findTool('pytest') ?? '';
  const { found } = await learnt({ 'tests/test_a.py': suite }, [python, '-m', 'pytest', '-q', 'tests', '-o', 'x=y']);
  expect(found?.tests.map(({ command }) => command.slice(1))).toEqual([
    ['-m', 'pytest', '-q', '-o', 'x=y', 'tests/test_a.py::TestInterns::test_lists'],
    ['-m', 'pytest', '-q', '-o', 'x=y', 'tests/test_a.py::test_asks'],
  ]);
});

const FAILS = `import { test } from 'node:test';\n${LIST}\ntest('fails', async () => { await list(); throw new Error('no'); });`;
test.each([
  ['another runner', {}, ['make', 'test']],
  ['a suite without tests', {}, [process.execPath, '--test', 'none.test.mjs']],
  ['a suite that does not talk', { 'b.test.mjs': OTHER }, [process.execPath, '--test', 'b.test.mjs']],
  ['a suite that fails', { 'b.test.mjs': FAILS }, [process.execPath, '--test', 'b.test.mjs']],
] as const)('%s is one program', async (_, files, command) => {
  expect((await learnt(files as Record<string, string>, command as unknown as CommandWords)).found).toBe(undefined);
});
