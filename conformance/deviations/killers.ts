import { readFileSync, writeFileSync } from 'node:fs';

/** The checks that see each deviation, as a command computes them. */
export type Killers = Readonly<Record<string, readonly string[]>>;

/** How many deviations some check sees, and how many checks see one. */
export interface Killed {
  readonly deviations: number;
  readonly checks: number;
}

interface Kept {
  /** The score at the last landing: numbers that may only rise. */
  readonly atLeast: Killed;
  readonly killers: Killers;
}

const FILE = new URL('matrix.json', import.meta.url);

/** The last result of `npm run deviations -- --all`. */
export const readKillers = (): Kept => JSON.parse(readFileSync(FILE, 'utf8')) as Kept;

export const countKilled = (killers: Killers): Killed => ({
  deviations: Object.values(killers).filter(({ length }) => length > 0).length,
  checks: new Set(Object.values(killers).flat()).size,
});

const kept = readKillers();

/** The checks that see a deviation, as far as they were computed. */
export const killersOf = ({ name }: { readonly name: string }): readonly string[] => kept.killers[name] ?? [];

/** Keeps what was computed of some deviations, in the order of all. Fewer than before stay in want of what there was. */
export function writeKillers(computed: Killers, names: readonly string[]): void {
  const killers = Object.fromEntries(names.map((name) => [name, computed[name] ?? kept.killers[name] ?? []]));
  const now = countKilled(killers);
  const atLeast = {
    deviations: Math.max(now.deviations, kept.atLeast.deviations),
    checks: Math.max(now.checks, kept.atLeast.checks),
  };
  writeRows(FILE, atLeast, 'killers', killers);
}

/** Writes a file of results: the least that there may be from now on, and a line for each deviation. */
export function writeRows(file: URL, atLeast: object, name: string, rows: Readonly<Record<string, unknown>>): void {
  const lines = Object.entries(rows).map(([key, row]) => `    ${JSON.stringify(key)}: ${JSON.stringify(row)}`);
  writeFileSync(file, `{\n  "atLeast": ${JSON.stringify(atLeast)},\n  "${name}": {\n${lines.join(',\n')}\n  }\n}\n`);
}
