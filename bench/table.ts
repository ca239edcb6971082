// Writes figures into docs/benchmarks.md, between the markers of a table. `npx tsx bench/table.ts ROWS` takes the lines that
// `report` left in a file, and replaces the rows of those scripts; the rows of scripts that did not run stay.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { withPart } from '../scripts/page-parts.js';
import type { Row } from './lib.js';

const PAGE = new URL('../docs/benchmarks.md', import.meta.url);

/** Replaces a part of docs/benchmarks.md. */
const replaceIn = (name: string, change: (before: string) => string): void =>
  writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), name, change));

/** The measured commit, and the machine. */
const where = (): string => {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', 'emulator', 'conformance') === '' ? '' : ' and changes';
  return `${git('rev-parse', '--short', 'HEAD')}${changed}, ${availableParallelism()} cores, Node ${process.versions.node}`;
};

const HEAD = '| what | target | measured | beside | script, commit |\n|---|---|---|---|---|';
const cell = (text: string) => text.replaceAll('|', '\\|');
const scriptOf = (line: string) => /\| `([^`]+)`[^|]*\|$/.exec(line)?.[1] ?? '';

function write(file: string): void {
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Row => JSON.parse(line));
  const at = where();
  const fresh = new Map<string, string[]>();
  for (const { script, what, target, figure, met, beside } of rows) {
    const cells = [what, target, met ? figure : `${figure} (**missed**)`, beside].map(cell);
    const line = `| ${cells.join(' | ')} | \`${script}\` ${at.slice(0, at.indexOf(','))} |`;
    fresh.set(script, [...(fresh.get(script) ?? []), line]);
  }
  replaceIn('figures', (before) => {
    const placed = before.split('\n').flatMap((line) => {
      const script = scriptOf(line);
      if (!rows.some((row) => row.script === script)) return script === '' ? [] : [line];
      // All rows of a script stand where its first one stood.
      const own = fresh.get(script) ?? [];
      fresh.delete(script);
      return own;
    });
    return `The last run: ${at}.\n\n${HEAD}\n${[...placed, ...[...fresh.values()].flat()].join('\n')}`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) write(process.argv[2] ?? '');
