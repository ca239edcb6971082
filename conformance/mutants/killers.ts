import { readFileSync, writeFileSync } from 'node:fs';

/** The checks that see each mutant, as a command computes them. */
export type Killers = Readonly<Record<string, readonly string[]>>;

/** How many mutants some check sees, and how many checks see one. */
export interface Killed {
  readonly mutants: number;
  readonly checks: number;
}

interface Kept {
  /** The score at the last landing: numbers that may only rise. */
  readonly atLeast: Killed;
  readonly killers: Killers;
}

const FILE = new URL('matrix.json', import.meta.url);

/** The last result of `npm run mutants -- --all`. */
export const readKillers = (): Kept => JSON.parse(readFileSync(FILE, 'utf8')) as Kept;

export const countKilled = (killers: Killers): Killed => ({
  mutants: Object.values(killers).filter(({ length }) => length > 0).length,
  checks: new Set(Object.values(killers).flat()).size,
});

const kept = readKillers();

/** The checks that see a mutant, as far as they were computed. */
export const killersOf = ({ name }: { readonly name: string }): readonly string[] => kept.killers[name] ?? [];

/** Keeps what was computed of some mutants, in the order of all. Fewer than before stay in want of what there was. */
export function writeKillers(computed: Killers, names: readonly string[]): void {
  const killers = Object.fromEntries(names.map((name) => [name, computed[name] ?? kept.killers[name] ?? []]));
  const now = countKilled(killers);
  const atLeast = {
    mutants: Math.max(now.mutants, kept.atLeast.mutants),
    checks: Math.max(now.checks, kept.atLeast.checks),
  };
  writeRows(FILE, atLeast, 'killers', killers);
}

/** Writes a file of results: the least that there may be from now on, and a line for each mutant. */
export function writeRows(file: URL, atLeast: object, name: string, rows: Readonly<Record<string, unknown>>): void {
  const lines = Object.entries(rows).map(([key, row]) => `    ${JSON.stringify(key)}: ${JSON.stringify(row)}`);
  writeFileSync(file, `{\n  "atLeast": ${JSON.stringify(atLeast)},\n  "${name}": {\n${lines.join(',\n')}\n  }\n}\n`);
}
