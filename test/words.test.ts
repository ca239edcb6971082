import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Words and turns of phrase that are read twice, each with what to say instead: "Plain English" in design.md. */
const SAY_INSTEAD: readonly (readonly [RegExp, string])[] = [
  // EXP-4 names a law so.
  [/\bTold\b|(?<!['`])\btold\b(?!['`:])/, 'reported, said, sent, gets, learns'],
  [/\bwho(m)?ever\b/i, 'the one you mean: the client, the caller, the reader'],
  [/\b(that|which|what|who) (is|are) none\b/i, 'is invalid, or what is wrong with it'],
  [/\b(is|are) none of\b/i, 'is not one of, does not belong to'],
  [/\b(has|have|had) to be\b/i, 'must be'],
  [/\b(is|are) to be\b/i, 'must be'],
  [/\bthere (is|are) not\b/i, 'does not exist, is unknown'],
  [/\bin company\b/i, 'beside others, concurrently'],
  [/\bfor want of\b/i, 'because it is missing'],
  [/\botherwise than\b/i, 'differently from'],
  [/\bnothing but\b/i, 'only'],
  [/\blet(s|ting)? go of\b/i, 'release, drop'],
  [/\bwhat becomes of\b/i, 'the outcome of'],
];

/** The files that have been read for words. Further ones are added here, until all are. */
const PASSED = [
  ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs'],
  ['emulator', 'scripts', 'test', 'bench', 'bin', 'clients', 'examples'],
  [
    'arbitraries',
    'scenarios',
    'mutants',
    'run',
    'requirements',
    'cli',
    'clients',
    'drift',
    'drivers',
    'explore',
    'habits',
    'model',
    'probe',
    'report',
    'rules',
    'judge',
    'requests',
    'index.ts',
    'options.ts',
    'vitest.ts',
  ].map((folder) => `conformance/${folder}`),
].flat();

/** Pages that are written from other texts, the cases of the lab, whose texts are published, and this table itself. */
const LEFT_OUT = ['docs/requirements.md', 'docs/clients.md', 'docs/api', 'scripts/client-cases', 'test/words.test.ts'];

function filesIn(path: string): string[] {
  if (LEFT_OUT.includes(path) || path.endsWith('node_modules')) return [];
  if (!statSync(join(ROOT, path)).isDirectory()) return /\.(md|tsx?|mjs)$/.test(path) ? [path] : [];
  return readdirSync(join(ROOT, path)).flatMap((name) => filesIn(`${path}/${name}`));
}

/** The places of a text that are to be said in another way, and in which. Code blocks of pages are not looked at. */
function wordsOf(text: string, name: string): string[] {
  const prose = name.endsWith('.md') ? text.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, '')) : text;
  return prose.split('\n').flatMap((line, at) =>
    SAY_INSTEAD.flatMap(([words, better]) => {
      const [found] = words.exec(line) ?? [];
      return found === undefined ? [] : [`${name}:${at + 1}: "${found}": say ${better}`];
    }),
  );
}

test.each(PASSED)('%s is in plain English', (path) => {
  expect(filesIn(path).flatMap((file) => wordsOf(readFileSync(join(ROOT, file), 'utf8'), file))).toEqual([]);
});

test('a planted sentence is found, with its place and what to say instead', () => {
  expect(wordsOf('// Fine.\n// A name that is none is told.\n', 'planted.ts')).toEqual([
    'planted.ts:2: "told": say reported, said, sent, gets, learns',
    'planted.ts:2: "that is none": say is invalid, or what is wrong with it',
  ]);
  expect(wordsOf('```sh\necho told\n```\nWhoever reads.\n', 'page.md')).toEqual([
    'page.md:4: "Whoever": say the one you mean: the client, the caller, the reader',
  ]);
});
