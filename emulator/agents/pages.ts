import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root of the package, above the sources and above the compiled files alike: it has the pages. */
function root(from: string): string {
  if (existsSync(join(from, 'docs', 'index.md'))) return from;
  if (from === dirname(from)) throw new Error(`no folder docs above ${import.meta.dirname}`);
  return root(dirname(from));
}

export interface Page {
  readonly name: string;
  readonly title: string;
}

export function pages(): Page[] {
  const folder = join(root(import.meta.dirname), 'docs');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => {
      const [first = ''] = readFileSync(join(folder, file), 'utf8').split('\n', 1);
      return { name: file.replace(/\.md$/, ''), title: first.replace(/^# /, '') };
    });
}

export const pageText = (name: string): string | undefined =>
  pages().some((page) => page.name === name)
    ? readFileSync(join(root(import.meta.dirname), 'docs', `${name}.md`), 'utf8')
    : undefined;

export const llmsText = (): string => readFileSync(join(root(import.meta.dirname), 'llms.txt'), 'utf8');
