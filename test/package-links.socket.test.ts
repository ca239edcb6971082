import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('every link between files of the package leads to a file of the package', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(listed) as [{ files: readonly { path: string }[] }];
  const paths = files.map(({ path }) => path);
  const leads = (target: string) => paths.some((path) => path === target || path.startsWith(`${target}/`));
  const pages = paths.filter((path) => /\.(?:md|txt)$/.test(path));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'llms.txt', 'docs/index.md']));
  const dead = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/```.*?```/gs, '');
    return [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)|src="([^"#]+)"/g)].flatMap(([, link, source]) => {
      const to = link ?? source ?? '';
      if (/^[a-z]+:/.test(to)) return [];
      const target = normalize(join(dirname(page), to)).replace(/\/$/, '');
      return leads(target) ? [] : [`${page}: ${to}`];
    });
  });
  expect(dead).toEqual([]);
});
