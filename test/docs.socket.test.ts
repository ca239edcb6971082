import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { REQUIREMENTS } from '../conformance/requirements/index.js';
import { loadSeed } from '../emulator/options/options.js';
import { withFiles } from '../scripts/embed-files.js';
import { shellBeside } from './beside.js';
import { findTool, needs } from './tools.js';

const ROOT = resolve(import.meta.dirname, '..');
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
  .concat(readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`))
  .concat(
    existsSync(join(ROOT, 'docs/api')) ? readdirSync(join(ROOT, 'docs/api')).map((name) => `docs/api/${name}`) : [],
  )
  .filter((name) => name.endsWith('.md'));

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

/** The anchors that GitHub gives the headings of a page, and those that it names itself. */
function anchorsOf(page: string): Set<string> {
  const text = textOf(page).replace(/```[\s\S]*?```/g, '');
  const anchors = new Set<string>([...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id));
  const seen = new Map<string, number>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/** Links of a page that lead nowhere in this repository. */
function broken(page: string): string[] {
  const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), decodeURIComponent(path)));
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
  });
}

test.each(pages)('every link and anchor of %s leads somewhere', (page) => {
  expect(broken(page)).toEqual([]);
});

test('a page that no other leads to is a page that nobody finds', () => {
  const linked = new Set(
    pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, link = '']) =>
        relative(ROOT, resolve(ROOT, dirname(page), link)),
      ),
    ),
  );
  expect(
    pages.filter((page) => page.startsWith('docs/') && !page.startsWith('docs/api/') && !linked.has(page)),
  ).toEqual([]);
});

const FEATURES = [...textOf('docs/features.md').matchAll(/^\| ([A-Z]+-\d+) \|/gm)].map(([, id = '']) => id);
const IDS = new Set<string>([...REQUIREMENTS.map(({ id }) => id), ...FEATURES]);

/** Texts that look like an id of a requirement or a feature, and are not listed on any page. */
const unknownIds = (file: string): string[] => {
  const areas = [...new Set([...IDS].map((id) => id.slice(0, id.indexOf('-'))))].join('|');
  const named = new RegExp(`\\b(?:${areas})-\\d+\\b`, 'g');
  return [...textOf(file).matchAll(named)].filter(([id]) => !IDS.has(id)).map(([id]) => `${file}: ${id}`);
};

test('every id that a page or a source names is in docs/requirements.md or docs/features.md', () => {
  const sources = ['emulator', 'conformance'].flatMap((half) =>
    readdirSync(join(ROOT, half), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(half, file)),
  );
  expect(sources.length).toBeGreaterThan(300);
  expect([...pages, ...sources].flatMap(unknownIds)).toEqual([]);
  expect(new Set(FEATURES).size).toBe(FEATURES.length);
});

test.each(['docs/lab.md', 'docs/recipes.md'])(
  '%s shows the files of examples as they are; else: npm run docs',
  (name) => {
    const page = textOf(name);
    expect(page).toBe(withFiles(page));
  },
);

test('the seed of docs/seeds.md is one', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(textOf('docs/seeds.md')) ?? [];
  expect(loadSeed(JSON.parse(json)).interns[0]?.name).toBe('analyst');
});

const shellOf = (page: string): string =>
  [...textOf(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text).join('\n');

test('the strict verifier in Python judges every signing vector right', needs('python'), () => {
  const args = ['examples/python/intern_emulator_pytest/ed25519.py', 'fixtures/vectors/ed25519.json'];
  expect(execFileSync(findTool('python') ?? '', args, { encoding: 'utf8' })).toBe('37 of 37 right\n');
});

test('the commands of docs/chat-api.md do what they say', needs('curl'), async () => {
  const { status, output } = await shellBeside({ clock: 'auto' }, shellOf('docs/chat-api.md'));
  expect(output).toContain('"content":"Hello"');
  expect(output.match(/"finish_reason":"stop"/g)).toHaveLength(2);
  expect(output).toContain('"status":"started"');
  expect(status).toBe(0);
});

test('the commands of docs/lifecycle-api.md do what they say', needs('curl'), async () => {
  const { status, output } = await shellBeside({ clock: 'auto' }, shellOf('docs/lifecycle-api.md'));
  for (const answer of [
    '"Helps"',
    '"provisioning":true',
    '"suspended":true',
    '"has_more"',
    '"deleting":true',
    '"role"',
  ])
    expect(output).toContain(answer);
  expect(status).toBe(0);
});

/** Names that an entry exports, read from its text. */
function exportsOf(entry: string): string[] {
  const text = textOf(entry);
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','));
  const own = [...text.matchAll(/^export (?:async )?(?:function|interface|type|const|class) (\w+)/gm)].map(
    ([, name]) => name,
  );
  return [...lists.map((name) => name.trim().replace(/^type |^\w+ as /, '')), ...own].filter(
    (name): name is string => name !== undefined && name !== '',
  );
}

/** The pages of docs/api, with the entry that each is made of. */
const ENTRIES = [
  ['emulator/index.ts', 'docs/api/emulator.md'],
  ['conformance/index.ts', 'docs/api/conformance.md'],
  ['conformance/vitest.ts', 'docs/api/conformance.vitest.md'],
  ['conformance/explore/index.ts', 'docs/api/conformance.explore.md'],
  ['conformance/explore/vitest.ts', 'docs/api/conformance.explore.vitest.md'],
  ['conformance/clients/index.ts', 'docs/api/conformance.clients.md'],
  ['conformance/clients/vitest.ts', 'docs/api/conformance.clients.vitest.md'],
] as const;

test.each(ENTRIES)('every export of %s stands in %s; else: npm run docs:api', (entry, page) => {
  const headings = new Set(
    [...textOf(page).matchAll(/^### ([\w\\]+)/gm)].map(([, name = '']) => name.replaceAll('\\', '')),
  );
  expect(exportsOf(entry).length).toBeGreaterThan(0);
  expect(exportsOf(entry).filter((name) => !headings.has(name))).toEqual([]);
});

/** The file that an import name of the package stands for. */
const { exports: EXPORTS } = JSON.parse(textOf('package.json')) as { exports: Record<string, { types?: string }> };
const entryOf = (name: string): string =>
  (EXPORTS[name.replace('intern-emulator', '.')]?.types ?? '').replace('./dist/', '').replace('.d.ts', '.ts');

test.each(ENTRIES)(
  'the one example of %s names what is exported, and runs',
  { timeout: 60_000 },
  async (entry, page) => {
    const [example = '', ...more] = [...textOf(page).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    expect(more).toEqual([]);
    const [, names = '', from = ''] = /import \{ (.*) \} from '(intern-emulator[^']*)'/.exec(example) ?? [];
    expect(entryOf(from)).toBe(entry);
    expect(exportsOf(entry)).toEqual(expect.arrayContaining(names.split(', ')));
    // Examples with vitest register tests, so only their names are checked.
    if (entry.endsWith('vitest.ts')) return;
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, '.tmp', 'api-'));
    const said = vi.spyOn(console, 'log').mockImplementation(() => {});
    const { exitCode } = process;
    try {
      const file = join(folder, 'example.ts');
      writeFileSync(file, example.replace(from, join(ROOT, entry)));
      await import(file);
      expect(said).toHaveBeenCalled();
      expect(process.exitCode ?? 0).toBe(0);
    } finally {
      process.exitCode = exitCode;
      said.mockRestore();
      rmSync(folder, { recursive: true });
    }
  },
);

test('docs/api/index.md names what to begin with, and it is there', () => {
  const rows = [...textOf('docs/api/index.md').matchAll(/^\| \[`[^`]+`\]\(([^)]+)\) \| (.*?)[.:]/gm)];
  expect(rows).toHaveLength(7);
  const missing = rows.flatMap(([, page = '', first = '']) =>
    [...first.matchAll(/`(\w+)`/g)].filter(([, name]) => !textOf(`docs/api/${page}`).includes(`### ${name}`)),
  );
  expect(missing).toEqual([]);
});
