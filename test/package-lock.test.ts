import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

interface Entry {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** Whether a package finds another the way Node looks for it: in its own folder, then in each one above. */
function found(packages: Record<string, Entry>, from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
  }
}

// `npm ci` refuses a lock file that leaves out the builds for other platforms. `npm install` writes such a file if a
// registry does not have them, and then nobody can start from a fresh clone.
test.each([
  'package-lock.json',
  'bench/package-lock.json',
  'examples/package-lock.json',
  'scripts/api-docs/package-lock.json',
])('%s locks all that its packages name', (file) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { packages: Record<string, Entry> };
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((name) => !found(packages, path, name))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});
