import { behaviourIn, type Need, waitIn } from '../framework/needs.js';
import type { Unit } from './units.js';

/** Whether streams arrive decides what all that waits on one can tell. */
const BEFORE_ALL = 'chat-stream/as-it-is-said';

/** Rows are cheap, and rules judge all of them: they find most. */
const FIRST_ROWS = 'rows/first';
const ROWS = 'rows/interface';
export const isRows = (id: string): boolean => id === FIRST_ROWS || id === ROWS;

/** Need a caller over the limit of turns: they go before all others once one is, and after them where none was. */
const OVER_LIMIT = ['limiter/signing-as-met', 'limiter/invoke-as-met'];

/** Chooses the next of the waiting units: while turns have to wait, one that needs that, else one that takes none. */
export function nextOf(waiting: readonly Pick<Unit, 'id' | 'needs'>[], isLimited: () => boolean): number {
  if (!isLimited()) return 0;
  const at = waiting.findIndex(({ id }) => OVER_LIMIT.includes(id));
  return Math.max(0, at >= 0 ? at : waiting.findIndex((unit) => !prompts(unit)));
}

/** Rest on what the intern did for others: they come after them. */
const AFTER_OTHERS = ['invoke-sessions/steered-live', ...OVER_LIMIT];

/** The units as they stand, but for the one that tells the others whether streams arrive. */
export const asTheyStand = <One extends Pick<Unit, 'id'>>(units: readonly One[]): readonly One[] =>
  units.toSorted((a, b) => Number(b.id === BEFORE_ALL) - Number(a.id === BEFORE_ALL));

/** Checks that no other is done beside. */
export const ALONE: ReadonlySet<string> = new Set([BEFORE_ALL, FIRST_ROWS]);

type Ordered = Pick<Unit, 'id' | 'requirement' | 'level' | 'needs' | 'watches'>;

/** The behaviour that a unit leads an intern to. */
export const prompts = ({ needs }: Pick<Unit, 'needs'>): boolean =>
  needs.some((need) => behaviourIn(need as Need) !== undefined);

/** How dear a unit is: it reads, writes, boots an intern, prompts one, waits. */
function dearness(unit: Ordered): number {
  const { needs } = unit;
  if (needs.some((need) => waitIn(need as Need) !== undefined)) return 4;
  if (prompts(unit)) return 3;
  if (needs.includes('running')) return 2;
  return needs.includes('write') ? 1 : 0;
}

/** Units of one kind together. */
function byKind<One>(units: readonly One[], kindOf: (unit: One) => string): readonly (readonly One[])[] {
  const kinds = new Map<string, One[]>();
  for (const one of units) {
    const kind = kinds.get(kindOf(one)) ?? [];
    kinds.set(kindOf(one), [...kind, one]);
  }
  return [...kinds.values()];
}

/**
 * The units in their order at a deployment, so that a limit cuts the tail. Stated requirements come before published ones,
 * one check of each requirement before the second of any, and of one requirement the cheap before the dear. Checks that no
 * rule stands for come before those that rules judge in any answer. Equal ones take turns: reads, writes, boots, prompts. A
 * check whose need the target lacks stands in nobody's way.
 */
export function inOrder<One extends Ordered>(units: readonly One[], lacks: (need: string) => boolean): readonly One[] {
  const possible = units.filter(({ needs, watches }) => watches !== true && !needs.some(lacks));
  const rounds = new Map<One, number>();
  for (const same of byKind(possible, ({ requirement, level }) => `${requirement} ${level}`))
    for (const [round, one] of same.toSorted((a, b) => dearness(a) - dearness(b)).entries()) rounds.set(one, round);
  /** Merges reads and prompts by their share: a third of the reads goes beside a third of the prompts. */
  const share = new Map<One, number>();
  for (const kind of byKind(possible, (one) => `${one.level} ${rounds.get(one)} ${dearness(one)}`))
    for (const [at, one] of kind.entries()) share.set(one, at / kind.length);
  const ruled = new Set(
    units.flatMap(({ requirement, level, watches }) => (watches === true ? `${requirement} ${level}` : [])),
  );
  const place = (one: One) => {
    if (one.watches === true) return 4;
    if (AFTER_OTHERS.includes(one.id)) return 3;
    if (!rounds.has(one)) return 2;
    return one.id === BEFORE_ALL || one.id === FIRST_ROWS ? 0 : 1;
  };
  const keys = (one: One) => [
    place(one),
    one.id === BEFORE_ALL ? 1 : 0,
    'SPC'.indexOf(one.level),
    one.id === ROWS ? 0 : (rounds.get(one) ?? 0),
    // Rows go on beside all checks of what rules judge too.
    one.id === ROWS ? 1 : ruled.has(`${one.requirement} ${one.level}`) ? 2 : 0,
    share.get(one) ?? 0,
    dearness(one),
  ];
  const ranked = units.map((one) => ({ one, keys: keys(one) }));
  const before = (a: readonly number[], b: readonly number[]) =>
    a.map((key, at) => key - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return ranked.sort((a, b) => before(a.keys, b.keys)).map(({ one }) => one);
}
