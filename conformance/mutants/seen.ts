import { readFileSync } from 'node:fs';
import { writeRows } from './killers.js';

/** The credentials of a run: all of them, or an API key and its workspace alone. */
export const GIVEN = ['all', 'key'] as const;
export type GivenCredentials = (typeof GIVEN)[number];

/** Why a mutant that shows from outside was not seen. */
export const MISSED = {
  credential: 'no credential',
  agent: 'the agent decides',
  time: 'it takes longer than a run',
  dear: 'too dear for a default run',
  sample: 'one sample was not enough',
  habit: "a habit's tolerance hides it",
  control: 'only an emulator can be asked',
  unasked: 'no check asks',
} as const;
export type Missed = keyof typeof MISSED;

/** A mutant that no check saw, and what the nearest of them said. */
export interface Unseen {
  readonly because: Missed;
  readonly why: string;
}

/** The check by which a default run sees a mutant, or why none does. */
export type Sight = { readonly seen: string } | Unseen;

export const isSeen = (outcome: Sight): outcome is { readonly seen: string } => 'seen' in outcome;

/** The measurements of every mutant that shows from outside. */
export interface Measured {
  /** How many were seen at the last landing: a number that may only rise. */
  readonly atLeast: Readonly<Record<GivenCredentials, number>>;
  readonly mutants: Readonly<Record<string, Readonly<Record<GivenCredentials, Sight>>>>;
}

const FILE = new URL('seen.json', import.meta.url);

/** The last result of `npm run mutants -- --live`. */
export const readMeasured = (): Measured => JSON.parse(readFileSync(FILE, 'utf8')) as Measured;

/** How many of the mutants are seen. */
export const countSeen = ({ mutants }: Pick<Measured, 'mutants'>, given: GivenCredentials): number =>
  Object.values(mutants).filter((row) => isSeen(row[given])).length;

/** Keeps what was measured, a line for each mutant. Fewer than before stay in want of what there was. */
export function writeMeasured(mutants: Measured['mutants'], before?: Measured): Measured {
  const most = (given: GivenCredentials) => Math.max(before?.atLeast[given] ?? 0, countSeen({ mutants }, given));
  const atLeast = { all: most('all'), key: most('key') };
  writeRows(FILE, atLeast, 'mutants', mutants);
  return { atLeast, mutants };
}
