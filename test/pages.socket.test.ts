import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readBaseline } from '../conformance/cli/files.js';
import { readSettings } from '../conformance/cli/settings.js';
import { createEmulator } from '../emulator/index.js';
import { exchangeSchema } from '../emulator/recording/format.js';
import { shellBeside } from './beside.js';
import { block, blocksOf } from './blocks.js';
import { commandOf } from './built.js';
import { folderOfFile } from './folders.js';
import { needs } from './tools.js';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = ['README.md', 'CONTRIBUTING.md']
  .concat(readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`))
  .filter((name) => name.endsWith('.md'));

/** Languages of blocks that only show something: nothing can run them. */
const SHOWN = ['text'];

const HERE = 'test/pages.socket.test.ts';
const README = 'test/readme.socket.test.ts';
const DOCS = 'test/docs.socket.test.ts';
const AGENTS = 'test/agents.test.ts';
const EXPLORE = 'test/explore-page.live.test.ts';
const JUDGE = 'conformance/cli/judge.socket.test.ts';
const RECIPES = 'scripts/test-recipes.mjs';

/**
 * The trial of a page's blocks, by their language: a test of the suite, or `npm run test:recipes` and `test:pack`,
 * which try the packed package. A block without a row was never tried.
 */
const TRIED_BY: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'README.md': { sh: [README, RECIPES], js: [README], json: [AGENTS], ts: [README, RECIPES] },
  'CONTRIBUTING.md': { console: [HERE], mermaid: ['test/diagrams.ts'] },
  'docs/adding-a-rule.md': { ts: [HERE] },
  'docs/agents.md': {
    json: [AGENTS],
    sh: [], // it needs a model: examples/agents/check.mjs tries the script with a scripted player
    toml: [], // the settings of another program
  },
  'docs/chat-api.md': { sh: [DOCS] },
  'docs/ci.md': { sh: [HERE], json: [HERE], yaml: [HERE] },
  'docs/concepts.md': { mermaid: ['test/diagrams.browser.test.ts'] },
  'docs/control.md': { sh: [HERE], json: [HERE] },
  'docs/mutants.md': { sh: [HERE], ts: [HERE] },
  'docs/explore.md': { bash: [EXPLORE], js: [EXPLORE], ts: [EXPLORE] },
  'docs/explore-apps.md': { sh: [HERE] },
  'docs/first-hour.md': { sh: [RECIPES], js: [RECIPES], yaml: [RECIPES] },
  'docs/judge.md': { js: [RECIPES], sh: [JUDGE], ts: [JUDGE] },
  'docs/lab.md': { sh: [HERE, RECIPES], js: [DOCS, RECIPES], ts: [HERE] },
  'docs/requirements.md': { sh: ['conformance/cli/cli.socket.test.ts'] },
  'docs/lifecycle-api.md': { sh: [DOCS], mermaid: ['test/diagrams.browser.test.ts'] },
  'docs/parallel-tests.md': {
    sh: [RECIPES],
    python: [RECIPES],
    go: [], // these tests run without Go
  },
  'docs/proofs.md': { sh: ['emulator/cli/proofs-page.test.ts'], json: [HERE] },
  'docs/recipes.md': {
    console: [], // needs Docker; the recipe `image` runs the same with podman
    js: [DOCS, RECIPES],
    json: [DOCS, RECIPES],
    python: [DOCS, RECIPES],
    sh: [DOCS, RECIPES],
    yaml: [DOCS, RECIPES],
  },
  'docs/recordings.md': { sh: [RECIPES], json: [HERE] },
  'docs/running.md': { sh: [RECIPES, 'scripts/test-pack.mjs'], js: [RECIPES], json: [RECIPES] },
  'docs/scripts.md': { sh: [HERE], json: ['emulator/scripts/docs.test.ts'], ts: [RECIPES] },
  'docs/sdk-authors.md': {
    sh: [], // an install, which the recipes have done already
    js: [RECIPES],
    ts: [RECIPES],
  },
  'docs/seeds.md': { json: [DOCS], console: [RECIPES] },
};

test('every block of a page that can be tried names what tries it', () => {
  const found = Object.fromEntries(
    PAGES.map((page): [string, string[]] => [
      page,
      [...new Set(blocksOf(page).map(({ language }) => language))].filter((name) => !SHOWN.includes(name)).sort(),
    ]).filter(([, languages]) => languages.length > 0),
  );
  const named = Object.fromEntries(Object.entries(TRIED_BY).map(([page, by]) => [page, Object.keys(by).sort()]));
  expect(named).toEqual(found);
});

test.each(Object.entries(TRIED_BY))('what tries %s reads it', (page, by) => {
  const name = page.replace('docs/', '');
  const files = [...new Set(Object.values(by).flat())].filter((file) => file !== 'scripts/test-pack.mjs');
  expect(files.filter((file) => !readFileSync(join(ROOT, file), 'utf8').includes(name))).toEqual([]);
});

const folder = folderOfFile('pages-');
function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('the commands of docs/control.md do what they say', needs('curl'), async () => {
  const commands = blocksOf('docs/control.md').filter(({ language }) => language === 'sh');
  // Events have no end: curl leaves after a second, with status 28.
  const shell = commands.map(({ text }) => text.replace(/^curl -N .*$/m, '$& --max-time 1 || test $? = 28')).join('\n');
  const { status, output } = await shellBeside({ clock: 'virtual' }, shell);
  expect(output).toContain('"path":"/_emulator/health"');
  expect(output).toContain('"now":"2026-01-01T00:05:00.000Z"');
  expect(output).toMatch(/"operation":"create".*"times":2/);
  expect(output).toMatch(/^: connected|^id: /m);
  expect(status).toBe(0);
});

test('the chaos profile of docs/control.md is one', async () => {
  const emulator = createEmulator({ chaos: written('chaos.json', block('docs/control.md', 'json')) });
  const { data } = (await (await emulator.fetch('/_emulator/faults')).json()) as { data: { operation: string }[] };
  expect(data.map(({ operation }) => operation)).toEqual(['chat', 'list']);
  await emulator.close();
});

test('the matches of docs/scripts.md can be put', needs('curl'), async () => {
  const { status, output } = await shellBeside({}, block('docs/scripts.md', 'sh'));
  expect(output).toContain('{"data":[{"when":{"contains":"deploy","turn":1},"script":"ask-permission"},');
  expect(status).toBe(0);
});

test('the case of docs/lab.md is served by hand', needs('curl'), async () => {
  const { status, output } = await shellBeside({}, block('docs/lab.md', 'sh', 1));
  expect(output).toContain('"base_url"');
  expect(output).toMatch(/^data: /m);
  expect(output).toContain('"taken"');
  expect(status).toBe(0);
});

test('the parser of docs/lab.md is the one of README', () => {
  const lines = (text: string) => text.trim().split('\n').sort();
  expect(lines(block('docs/lab.md', 'ts'))).toEqual(lines(block('README.md', 'ts')));
});

test('the space of docs/parallel-tests.md is made', needs('curl'), async () => {
  const { status, output } = await shellBeside({}, block('docs/parallel-tests.md', 'sh'));
  expect(output).toMatch(/"base_url":"http:[^"]*\/spaces\/[^"]*\/api\/v1".*"clock":"virtual"/);
  expect(status).toBe(0);
});

test('the request of docs/proofs.md is signed', async () => {
  const emulator = createEmulator();
  const { base_url, credentials } = emulator.target;
  const answer = await emulator.fetch(`${base_url}/interns/${credentials.intern?.id}/daemon/sign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.oauth_token}`, 'content-type': 'application/json' },
    body: block('docs/proofs.md', 'json'),
  });
  expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([200, expect.arrayContaining([])]);
  await emulator.close();
});

test('the exchange of docs/recordings.md is one', () => {
  expect(exchangeSchema().parse(JSON.parse(block('docs/recordings.md', 'json')))).toMatchObject({ status: 202 });
});

test('the rule and the mutant of the pages are those of the code', () => {
  const lines = (text: string) => text.split('\n').map((line) => line.trim());
  const areas = join(ROOT, 'conformance/mutants/areas');
  for (const [page, files] of [
    ['docs/adding-a-rule.md', [join(ROOT, 'conformance/rules/lists.ts')]],
    ['docs/mutants.md', readdirSync(areas).map((file) => join(areas, file))],
  ] as const) {
    const code = new Set(files.flatMap((file) => lines(readFileSync(file, 'utf8'))));
    const shown = lines(block(page, 'ts')).map((line) => (line === '}' ? '},' : line));
    expect(shown.filter((line) => !code.has(line))).toEqual([]);
  }
});

test('every script that a page calls by npm run is one', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const called = PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name ?? ''),
  );
  expect(called.length).toBeGreaterThan(10);
  expect(called.filter((name) => !(name in scripts))).toEqual([]);
});

test('the commands of docs/ci.md are understood', async () => {
  const [, steps] = blocksOf('docs/ci.md')
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => parse(text)) as [unknown, { jobs: { check: { steps: { run?: string }[] } } }];
  const sharded = steps.jobs.check.steps
    .flatMap(({ run }) => run ?? [])
    .join(' ')
    .replaceAll(/\$\{\{ matrix\.shard \}\}/g, '1');
  const short = `--only list/bad-cursor --ledger-dir ${folder}`;
  const commands = [
    `${block('docs/ci.md', 'sh').trim()} ${short}`.replace('junit.xml', join(folder, 'junit.xml')),
    // Of a shard only a plan is made, of one check: a missing baseline is refused.
    `${sharded.replace(/--baseline \S+|--report \S+=\S+/g, '').trim()} --only list/bad-cursor --plan`,
  ];
  const shell = commands
    .join('\n')
    .replaceAll('https://staging.example.com', 'http://127.0.0.1:4683')
    .replaceAll('npx intern-conformance', `"${process.execPath}" "${commandOf('intern-conformance')}"`);
  const { status, output } = await shellBeside({ clock: 'auto' }, shell);
  expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining('conforms') });
  expect(output).toMatch(/requests/);
  expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).toContain('<testsuite');
});

test('the settings and the baseline of docs/ci.md are read', () => {
  const config = written('conformance.json', block('docs/ci.md', 'json'));
  expect(readSettings({ config }, {})).toMatchObject({ slow: 360_000 });
  const known = readBaseline(written('baseline.json', block('docs/ci.md', 'json', 1)), false);
  expect(known.map((entry) => (typeof entry === 'string' ? entry : entry.id))).toEqual([
    'create/reads-back',
    'list/cursor-holds-its-place',
    'chat-lock/silent-run',
  ]);
});

test('the step of docs/ci.md gives the action what it takes, and reads what it puts out', () => {
  const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as { inputs: object; outputs: object };
  const text = block('docs/ci.md', 'yaml');
  const { steps } = parse(text) as { steps: { id?: string; with?: object }[] };
  const { with: given = {} } = steps.find(({ id }) => id === 'conformance') ?? {};
  expect(Object.keys(given).length).toBeGreaterThan(2);
  expect(Object.keys(given).filter((name) => !(name in action.inputs))).toEqual([]);
  const read = [...text.matchAll(/steps\.conformance\.outputs\.(\w+)/g)].map(([, name]) => name ?? '');
  expect(read.filter((name) => !(name in action.outputs))).toEqual([]);
});
