import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORT = /from\s+'(\.[^']+)'|import\(['"](\.[^'"]+)['"]\)|import\s+'(\.[^']+)'/g;

/**
 * Deletes the declarations that no entry leads to: they belong to inner parts, and may refer to packages that users of
 * this one do not have.
 */
export function pruneTypes(folder, entries) {
  const kept = new Set();
  const follow = (file) => {
    if (kept.has(file) || !existsSync(join(folder, file))) return;
    kept.add(file);
    for (const [, from, dynamic, bare] of readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)) {
      follow(normalize(join(dirname(file), (from ?? dynamic ?? bare).replace(/\.js$/, '.d.ts'))));
    }
  };
  for (const entry of entries) follow(entry);
  for (const file of readdirSync(folder, { recursive: true })) {
    if (file.endsWith('.d.ts') && !kept.has(file)) rmSync(join(folder, file));
  }
}
