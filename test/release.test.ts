import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sampleReport } from '../conformance/explore/report/sample.harness.js';
// @ts-expect-error a script without types
import { dated, notesOf } from '../scripts/release.mjs';

const ROOT = resolve(import.meta.dirname, '..');

describe('the changelog of a release', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n### Fixed\n\n- A thing.\n\n## 0.1.0\n\nFirst.\n';

  test('has what was unreleased under the version and its date, and place for what comes', () => {
    expect(dated(changelog, '0.2.0', '2026-02-03')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Fixed\n\n- A thing.\n\n## 0.1.0\n\nFirst.\n',
    );
  });

  test('has the notes of a version, which are the message of its tag', () => {
    const text = dated(changelog, '0.2.0', '2026-02-03');
    expect(notesOf(text, '0.2.0')).toBe('0.2.0 - 2026-02-03\n\n### Fixed\n\n- A thing.\n');
    expect(notesOf(text, '0.1.0')).toBe('0.1.0\n\nFirst.\n');
    expect(() => notesOf(text, '0.3.0')).toThrow('no section for 0.3.0');
  });

  test('is refused where nothing is unreleased', () => {
    const empty = changelog.replace('### Fixed\n\n- A thing.\n\n', '');
    expect(() => dated(empty, '0.2.0', '2026-02-03')).toThrow('says nothing');
    expect(() => dated('# Changelog\n', '0.2.0', '2026-02-03')).toThrow('no section');
  });
});

test.each([
  [[], 'which version?'],
  [['0.0.1', '--dry-run'], '0.0.1 is not later than'],
  [['next', '--dry-run'], 'next is not a version'],
])('a release of %j is refused before anything is done', (args, why) => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/release.mjs'), ...args], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
});

test('the changelog is in its form: what is unreleased stands under its kind', () => {
  const [, unreleased = ''] =
    /^## Unreleased\n([\s\S]*?)(?=^## )/m.exec(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')) ?? [];
  expect(unreleased).toMatch(/^\n(### |$)/);
  const kinds = [...unreleased.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind);
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  expect(kinds).toEqual(known.filter((kind) => kinds.includes(kind)));
});

test('the changelog names the formats of both reports, as they are written', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const explored = sampleReport();
  const kit = readFileSync(join(ROOT, 'conformance/report/report-form.ts'), 'utf8');
  expect(kit).toMatch(/format: z\.literal\('intern-conformance'.*\n.*version: z\.literal\(1,/);
  expect(changelog).toContain('`intern-conformance` version 1');
  expect(changelog).toContain(`\`${explored.format}\` version ${explored.version}`);
});
