import { readFileSync, writeFileSync } from 'node:fs';
import { TABLES } from './tables.harness.js';

/** Which table tells each deviation apart from the right emulator; null where none does. */
export type Found = Readonly<Record<string, string | null>>;

interface Kept {
  /** How many were found different at the last landing: a number that may only rise. */
  readonly atLeast: number;
  readonly found: Found;
}

const FILE = new URL('found.json', import.meta.url);

/** What `npm run deviations -- --net` measured last. */
export const readFound = (): Kept => JSON.parse(readFileSync(FILE, 'utf8')) as Kept;

export const countFound = (found: Found): number => Object.values(found).filter((table) => table !== null).length;

/** Keeps what was measured. Fewer than before stay in want of what there was. */
export function writeFound(found: Found, before: number): void {
  const atLeast = Math.max(before, countFound(found));
  writeFileSync(FILE, `${JSON.stringify({ atLeast, found }, null, 2)}\n`);
}

/** What was measured, in a line for each table, and the names of those that none tells apart. */
export function foundText(found: Found): string {
  const by = (table: string | null) => Object.keys(found).filter((name) => found[name] === table);
  const all = Object.keys(found).length;
  const lines = Object.keys(TABLES).map((table) => `${String(by(table).length).padStart(4)}  ${table}`);
  const count = `${countFound(found)} of ${all} deviations found different (${((100 * countFound(found)) / Math.max(1, all)).toFixed(1)} %)`;
  return `${lines.join('\n')}\n${count}; not found:\n${by(null)
    .map((name) => `  ${name}`)
    .join('\n')}\n`;
}
