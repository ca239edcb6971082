import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

interface Named {
  readonly file: string;
  readonly title: string;
}

/** The tests that a page names: a file, and after it the titles that are in it. */
function namedIn(page: string): Named[] {
  const found: Named[] = [];
  let file = '';
  for (const [, path, title] of page.matchAll(/`([\w./-]+\.test\.ts)`|"([^"]+)"/g)) {
    if (path !== undefined) file = path;
    else if (title !== undefined && file !== '') found.push({ file, title });
  }
  return found;
}

/** Titles as they are written: in quotes, behind `test(`, `describe(` or the table of an `each`. */
function titlesOf(file: string): string[] {
  const source = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
  const written = source.matchAll(/(?:\b(?:test|describe)|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g);
  return [...written].map(([, quoted, template]) => quoted ?? template ?? '');
}

const missing = (named: readonly Named[]) =>
  named.filter(({ file, title }) => !titlesOf(file).some((written) => written.includes(title)));

test('each door of the threat model is held by a test that is there', () => {
  const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
  const named = namedIn(page.slice(page.indexOf('## Threat model')));
  expect(named.length).toBeGreaterThan(30);
  expect(missing(named)).toEqual([]);
});

test('each row of the threat model names a test', () => {
  const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').split('## Threat model')[1] ?? '';
  const rows = page.match(/^\| .*\|$/gm)?.slice(1) ?? [];
  expect(rows.length).toBeGreaterThan(35);
  expect(rows.filter((row) => !/\.test\.ts` "[^"]+"/.test(row))).toEqual([]);
});

test('a test that is gone would be found, and a file that is', () => {
  const page =
    '`test/security.test.ts` "a test that is gone would be found" · "no such title" · `test/none.test.ts` "any"';
  expect(missing(namedIn(page))).toEqual([
    { file: 'test/security.test.ts', title: 'no such title' },
    { file: 'test/none.test.ts', title: 'any' },
  ]);
});
