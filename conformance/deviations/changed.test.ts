import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { touchedBy } from './changed.js';
import { AREAS, deviations } from './index.js';

const ROOT = join(import.meta.dirname, '../..');
const touched = (...files: string[]) => touchedBy(files, (file) => readFileSync(join(ROOT, file), 'utf8'));

test.each([
  ['the domain', ['emulator/domain/runs.ts']],
  ['a file that nobody knows', ['docs/ci.md', 'somewhere/else.ts']],
  ['a file of checks that is gone', ['conformance/checks/no-such.ts']],
  ['what runs them', ['conformance/deviations/try.ts']],
  ['nothing', []],
])('%s touches all', (_, files) => {
  expect(touched(...files)).toBe(deviations);
});

test('texts and the command line touch none', () => {
  expect(touched('README.md', 'docs/ci.md', 'emulator/cli/start.ts', 'emulator/http/sign.test.ts')).toEqual([]);
});

test('a file of deviations touches its own', () => {
  expect(touched('conformance/deviations/areas/scim.ts')).toEqual(AREAS.scim);
});

test('a file of checks touches the deviations that they have to catch', () => {
  const found = touched('conformance/checks/keepalive.ts');
  expect(found).toEqual(deviations.filter(({ caughtBy }) => caughtBy.some((id) => id.startsWith('keepalive/'))));
  expect(found.length).toBeGreaterThan(3);
});

test('a part of the emulator touches the areas that meet it', () => {
  const found = touched('emulator/daemon/daemon.ts');
  expect(found).toEqual(expect.arrayContaining([...(AREAS.proof ?? [])]));
  expect(found).not.toEqual(expect.arrayContaining([...(AREAS.list ?? [])]));
});
