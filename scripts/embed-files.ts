import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const EMBEDDED = /<!-- ([\w./-]+) -->\n```(\w+)\n[\s\S]*?```/g;

/** A page with the present text of each file in the block below the comment that names it: `<!-- examples/fetch.mjs -->`. */
export const withFiles = (page: string): string =>
  page.replace(EMBEDDED, (_, path: string, language: string) => {
    const text = readFileSync(join(ROOT, path), 'utf8').trimEnd();
    return `<!-- ${path} -->\n\`\`\`${language}\n${text}\n\`\`\``;
  });
