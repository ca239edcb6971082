import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const pages = ['CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];

/** Every diagram of a page, and its name. */
export const diagrams = pages
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, source = ''], at) => ({
      name: `${name}, diagram ${at + 1}`,
      source,
    })),
  );
