import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const KIT = resolve(import.meta.dirname, '..');
/** The places that make sentences. All other code reads the data of a finding, a skip or a reason. */
const MAKES_SENTENCES = /^(reporters|cli)\//;

const TEXTS = 'what|expected|actual|why|title|reason|sentence';
const METHODS = 'match|matchAll|split|startsWith|endsWith|includes|indexOf|replace|replaceAll|search';
/** Ways to take a text apart: by a method of it, or by an expression that is held against it. */
const READ = [
  new RegExp(`\\.(?:${TEXTS})\\b[)!?]*\\.(?:${METHODS})\\(`),
  new RegExp(`\\.(?:test|exec)\\((?:String\\()?[\\w.?]*\\.(?:${TEXTS})\\b`),
];

const readsText = (source: string): string | undefined =>
  source.split('\n').find((line) => READ.some((pattern) => pattern.test(line)));

test('no code reads back what is said of a finding, a skip or a reason', () => {
  const files = readdirSync(KIT, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.(test|harness)\.ts$/.test(file) && !MAKES_SENTENCES.test(file),
  );
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) => {
    const line = readsText(readFileSync(join(KIT, file), 'utf8'));
    return line === undefined ? [] : [`${file}: ${line.trim()}`];
  });
  expect(found).toEqual([]);
});

test.each([
  "if (result.why?.endsWith('twice')) return;",
  "need: result.why.split(':')[0],",
  'if (!/^403\\b/.test(String(error.actual))) return undefined;',
  'const said = /although/.exec(finding.what);',
  "finding?.what.startsWith('session_id')",
])('%s would be found', (line) => {
  expect(readsText(line)).toBe(line);
});
