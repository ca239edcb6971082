import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DOORS } from './doors.js';

const ROOT = resolve(import.meta.dirname, '..');

/** Titles as they are written: in quotes, behind `test(`, `describe(` or the table of an `each`. */
function titlesOf(file: string): string[] {
  const source = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
  const written = source.matchAll(/(?:\b(?:test|describe)|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g);
  return [...written].map(([, quoted, template]) => quoted ?? template ?? '');
}

/** Named tests that are not there: a door without any is missing as a whole. */
const missing = (doors: typeof DOORS) =>
  Object.entries(doors).flatMap(([door, held]) => {
    const tests = Object.entries(held).flatMap(([file, titles]) => titles.map((title) => ({ file, title })));
    if (tests.length === 0) return [door];
    return tests
      .filter(({ file, title }) => !titlesOf(file).some((written) => written.includes(title)))
      .map(({ file, title }) => `${file}: ${title}`);
  });

test('each door of the threat model is held by tests that are there', () => {
  const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').split('## Threat model')[1] ?? '';
  const doors = [...page.matchAll(/^\| .*\| (.*) \|$/gm)].slice(1).map(([, cannot = '']) => cannot);
  expect(doors.length).toBeGreaterThan(35);
  expect(doors).toEqual(Object.keys(DOORS));
  expect(missing(DOORS)).toEqual([]);
});

test('a test that is gone would be found, a file that is, and a door without a test', () => {
  expect(
    missing({
      there: { 'test/security.test.ts': ['a test that is gone would be found', 'no such title'] },
      gone: { 'test/none.test.ts': ['any'] },
      open: {},
    }),
  ).toEqual(['test/security.test.ts: no such title', 'test/none.test.ts: any', 'open']);
});
