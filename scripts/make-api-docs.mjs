// Writes docs/api from the docstrings, by typedoc: `npm run docs:api`, before a release and whenever an export changes.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const TOOL = resolve(import.meta.dirname, 'api-docs');
const OUT = resolve(import.meta.dirname, '..', 'docs', 'api');
const LONGEST = 400;

/** typedoc's name of each entry, and its import name. */
const IMPORTED_AS = {
  'conformance/clients/vitest': 'intern-emulator/lab/vitest',
  'conformance/clients': 'intern-emulator/lab',
  'conformance/explore/vitest': 'intern-emulator/explore/vitest',
  'conformance/explore': 'intern-emulator/explore',
  'conformance/vitest': 'intern-emulator/vitest',
  conformance: 'intern-emulator/conformance',
  emulator: 'intern-emulator',
};
const named = (line) =>
  line.replace(/^(# |- \[)([\w/]+)(?=$|\])/, (_, start, name) => start + (IMPORTED_AS[name] ?? name));

/**
 * Types that are tables of data, or inferred from a schema, are pages long: their rows below the first are left out.
 */
const readable = (line) => {
  if (line.length <= LONGEST) return [line];
  if (!line.startsWith('|')) return [`${line.slice(0, line.indexOf(':') + 1)} …`];
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  if (/`[\w?]+\./.test(cells[0])) return [];
  return [`|${cells.map((cell) => (cell.length > LONGEST / 2 ? ' … ' : cell)).join('|')}|`];
};

execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], {
  cwd: TOOL,
  stdio: ['ignore', 'ignore', 'inherit'],
});
rmSync(OUT, { recursive: true, force: true });
execFileSync(join(TOOL, 'node_modules', '.bin', 'typedoc'), ['--options', 'typedoc.json', '--logLevel', 'Warn'], {
  cwd: TOOL,
  stdio: 'inherit',
});
for (const name of readdirSync(OUT)) {
  const path = join(OUT, name);
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').flatMap(readable).map(named).join('\n'));
  console.log(`docs/api/${name}`);
}
