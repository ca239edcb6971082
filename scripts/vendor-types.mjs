import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const FROM = /(\bfrom\s*|\bimport\(\s*|\bimport\s+)(['"])(\.[^'"]+)\2/g;

/**
 * Copies the declarations of a bundled package next to ours, and lets ours refer to the copy, so that users need not
 * install it. The copy is a tenth of zod.
 */
export function vendorTypes(folder, name) {
  const root = join('node_modules', name);
  const copy = join(folder, 'vendor', name);
  // As it is imported, or as tsc writes the type of something that is not imported: `import("zod/v4/core").$strict`.
  const named = new RegExp(`(\\bfrom |\\bimport\\()(['"])${name}(?:/([^'"]*))?\\2`, 'g');
  const kept = new Set();
  const follow = (file) => {
    if (kept.has(file) || !existsSync(join(root, file))) return;
    kept.add(file);
    const source = readFileSync(join(root, file), 'utf8');
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), source.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
    for (const [, , , path] of source.matchAll(FROM)) follow(join(dirname(file), path.replace(/\.js$/, '.d.ts')));
  };
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!file.endsWith('.d.ts') || file.startsWith('vendor')) continue;
    const source = readFileSync(join(folder, file), 'utf8');
    const own = source.replaceAll(named, (_, before, quote, part = '') => {
      follow(join(part, 'index.d.ts'));
      const place = relative(dirname(join(folder, file)), join(copy, part, 'index.js'));
      return `${before}${quote}${place.startsWith('.') ? place : `./${place}`}${quote}`;
    });
    if (own === source) continue;
    writeFileSync(join(folder, file), own);
  }
  return kept.size;
}
