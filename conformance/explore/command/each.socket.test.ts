import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { environmentOf } from '../../../emulator/cli/exec.js';
import { findTool, needs } from '../../../test/tools.js';
import { type CommandWords, testsOf } from './each.js';

const root = mkdtempSync(join(tmpdir(), 'explore each '));
afterAll(() => rmSync(root, { recursive: true }));

/** The tests of a suite in a folder of its own. */
async function tests(files: Readonly<Record<string, string>>, command: CommandWords) {
  const folder = mkdtempSync(join(root, 'suite-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const options = { emulator: {}, signal: new AbortController().signal };
  const found = await testsOf(command, { env: process.env, folder, environmentOf }, options);
  return { folder, found };
}

const NODE = `import { describe, test } from 'node:test';
if (process.env.INTERN_BASE_URL === undefined) throw new Error('no emulator');
test('adds (2+2)', () => {});
describe('interns', () => {
  test("it's listed", () => {});
  test('parent', async (t) => { await t.test('child', () => {}); });
});
test.skip('skipped', () => {});
`;
const NAMES = ['adds (2+2)', "interns > it's listed", 'interns > parent'];

test('tests of node:test are named by their suites, each with its filter; a test is run with those within it', async () => {
  const { found } = await tests({ 'a.test.mjs': NODE }, [process.execPath, '--test', 'a.test.mjs']);
  expect(found.map(({ name }) => name)).toEqual(NAMES);
  expect(found.map(({ command }) => command.slice(1))).toEqual([
    ['--test', '--test-name-pattern=/^adds \\(2\\+2\\)$/', 'a.test.mjs'],
    ['--test', "--test-name-pattern=/^it's listed$/", 'a.test.mjs'],
    ['--test', '--test-name-pattern=/^parent$/', '--test-name-pattern=/^child$/', 'a.test.mjs'],
  ]);
});

test('the script of a package is read, and its filters are quoted', async () => {
  const scripts = { test: 'node --test a.test.mjs' };
  const { found } = await tests({ 'a.test.mjs': NODE, 'package.json': JSON.stringify({ scripts }) }, ['npm', 'test']);
  expect(found.map(({ name }) => name)).toEqual(NAMES);
  expect(found[1]?.command).toEqual([
    'npm',
    'exec',
    '-c',
    "node --test '--test-name-pattern=/^it'\\''s listed$/' a.test.mjs",
  ]);
});

test('tests of vitest', async () => {
  const suite = NODE.replace('node:test', 'vitest').replace(
    "async (t) => { await t.test('child', () => {}); }",
    '() => {}',
  );
  const bin = resolve('node_modules/vitest/vitest.mjs');
  const { found, folder } = await tests({ 'a.test.mjs': suite }, [process.execPath, bin, 'run', '--root', '.']);
  expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES));
  expect(found[1]?.command).toEqual([
    process.execPath,
    bin,
    'run',
    '--root',
    '.',
    '-t',
    "^interns (?:> )?it's listed$",
    join(folder, 'a.test.mjs'),
  ]);
});

test('tests of pytest', needs('pytest'), async () => {
  // A folder in the command would run all of it.
  const suite = 'def test_adds(): pass\nclass TestInterns:\n  def test_lists(self): pass\n';
  const python = findTool('pytest') ?? '';
  const { found } = await tests({ 'test_a.py': suite }, [python, '-m', 'pytest', 'test_a.py', '-q']);
  expect(found.map(({ command }) => command.slice(1))).toEqual([
    ['-m', 'pytest', '-q', 'test_a.py::test_adds'],
    ['-m', 'pytest', '-q', 'test_a.py::TestInterns::test_lists'],
  ]);
});

test.each([
  ['another runner', ['make', 'test'], 'make test is no command of vitest, node --test or pytest'],
  ['a suite without tests', [process.execPath, '--test', 'none.test.mjs'], 'named no test'],
] as const)('%s is one line', async (_, command, message) => {
  await expect(tests({}, command as unknown as CommandWords)).rejects.toThrow(message);
});
