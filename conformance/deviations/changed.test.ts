import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { SCIM } from '../checks/scim.js';
import { choose, SAMPLE } from './changed.js';
import { type Modules, readModules } from './graph.js';
import { AREAS, deviations } from './index.js';

let modules: Modules;
beforeAll(async () => {
  modules = await readModules(join(import.meta.dirname, '../..'));
});
const chosen = (...files: string[]) => choose({ commit: 'abc', files }, modules);

test.each([
  ['the emulator', 'emulator/domain/runs.ts'],
  ['a script that it ships', 'fixtures/scripts/slow.json'],
  ['what runs the checks', 'conformance/engine/runner.ts'],
  ['what every check is made with', 'conformance/framework/check.ts'],
  ['the dependencies', 'package-lock.json'],
])('a change of %s draws a sample', (_, file) => {
  const { deviations: sample, sample: drawn } = chosen('README.md', file);
  expect(sample).toHaveLength(SAMPLE);
  expect(drawn).toEqual({ commit: 'abc', why: `${deviations.length} of ${deviations.length} rest on ${file}` });
});

test('nothing that changed, and nothing that is known, draw one too; another commit draws another', () => {
  const one = choose({ commit: 'one', files: [] }, modules);
  const other = choose({ commit: 'other', files: [] }, modules);
  expect(one.sample).toEqual({ commit: 'one', why: 'nothing differs from main' });
  expect(other.deviations).toHaveLength(SAMPLE);
  expect(other.deviations).not.toEqual(one.deviations);
  expect(choose({ commit: 'one', files: [] }, modules)).toEqual(one);
  expect(choose(undefined, modules)).toMatchObject({ sample: { why: 'git does not say what changed' } });
});

test.each([
  'README.md',
  'emulator/cli/start.ts',
  'emulator/http/sign.test.ts',
  'conformance/reporters/html.ts',
  'conformance/drift/play.ts',
])('%s touches none', (file) => {
  expect(chosen(file)).toEqual({ deviations: [] });
});

test('a file of deviations touches its own', () => {
  expect(chosen('conformance/deviations/areas/scim.ts')).toEqual({ deviations: AREAS.scim });
});

test('a file of checks touches the deviations that they have to catch', () => {
  const found = chosen('conformance/checks/scim.ts').deviations;
  const ids = new Set<string>(SCIM.map(({ id }) => id));
  expect(found).toEqual(deviations.filter(({ caughtBy }) => caughtBy.some((id) => ids.has(id))));
  expect(found.length).toBeGreaterThan(3);
});

test('a sample never takes the place of what a change touches', () => {
  const found = chosen('conformance/deviations/areas/scim.ts', 'emulator/domain/runs.ts').deviations;
  expect(found).toEqual(expect.arrayContaining([...(AREAS.scim ?? [])]));
  expect(found.length).toBeGreaterThan(SAMPLE);
});
