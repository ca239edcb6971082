import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DOCS = resolve(import.meta.dirname, '../docs');

/** Every diagram of a page, and its name. */
export const diagrams = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(join(DOCS, name), 'utf8').matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, source = ''], at) => ({
      name: `docs/${name}, diagram ${at + 1}`,
      source,
    })),
  );
