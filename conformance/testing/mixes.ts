import { createRandom, hash } from '../framework/random.js';
import type { CheckResult } from '../run/results.js';
import {
  BUFFERING,
  EXPIRING,
  GUISES,
  type Guise,
  OTHER_REASONS,
  OTHER_STATUSES,
  OTHER_SUCCESSES,
  UNPUBLISHED,
} from './guises.js';

/** A guise, and what may be held against it: requirements that are published, or the one that it breaks. */
export interface Ingredient extends Guise {
  readonly differs?: readonly string[];
  /** A run may end with 3: what it is given is good for a part of it only. */
  readonly incomplete?: true;
}

/** What a mix is made of: real deployments have several habits at once. */
export const INGREDIENTS: readonly Ingredient[] = [
  ...GUISES,
  ...UNPUBLISHED,
  { ...BUFFERING, differs: ['CHAT-1'] },
  { ...EXPIRING, incomplete: true },
  { ...OTHER_REASONS, differs: ['reason'] },
  { ...OTHER_SUCCESSES, differs: ['CREATE-4', 'PROV-1', 'SUSP-1'] },
  { ...OTHER_STATUSES, differs: ['GET-1', 'LIST-2'] },
];

/** Those that can't be had at once: two clocks, two ways to ask. */
const SINGLE = ['clockOff', 'asks', 'perSecond', 'delay'] as const satisfies readonly (keyof Guise)[];

export function canGoTogether(one: Guise, other: Guise): boolean {
  if (SINGLE.some((key) => one[key] !== undefined && other[key] !== undefined)) return false;
  return !(one.manners ?? []).some((manner) => other.manners?.includes(manner));
}

/** One server that has all these habits. */
export function mixed(parts: readonly Ingredient[]): Ingredient {
  const [first] = parts;
  if (first === undefined) throw new RangeError('mixed: expected guises, got none');
  // What is true of one in any way is true of the whole.
  const whole = Object.assign({}, ...parts) as Ingredient;
  const most = (key: 'slow' | 'delay') => Math.max(...parts.map((part) => part[key] ?? 0));
  return {
    ...whole,
    name: parts.map(({ name }) => name).join(' + '),
    obeys: Math.min(...parts.map(({ obeys }) => obeys)),
    ...(most('slow') > 0 ? { slow: most('slow') } : {}),
    manners: parts.flatMap(({ manners = [] }) => manners),
    differs: parts.flatMap(({ differs = [] }) => differs),
  };
}

/** `n` guises by a seed, that can go together. */
export function mixOf(seed: string, n: number, from: readonly Ingredient[] = INGREDIENTS): Ingredient {
  const random = createRandom(hash(`${seed} mix`));
  const parts: Ingredient[] = [];
  while (parts.length < n) {
    const left = from.filter((one) => !parts.includes(one) && parts.every((part) => canGoTogether(part, one)));
    const next = left[Math.floor(random() * left.length)];
    if (next === undefined) break;
    parts.push(next);
  }
  // What stands first is nearest to the server.
  return mixed(parts.sort((one, other) => INGREDIENTS.indexOf(one) - INGREDIENTS.indexOf(other)));
}

/** What is held against a mix that nothing it is made of deserves. */
export function undeserved(
  { differs = [] }: Pick<Ingredient, 'differs'>,
  checks: readonly CheckResult[],
): CheckResult[] {
  return checks.filter(({ verdict, requirement, finding }) => {
    if (verdict === 'pass' || verdict === 'skip') return false;
    const told = differs.includes(requirement) || (differs.includes('reason') && /reason/.test(finding?.what ?? ''));
    return !(told && (verdict === 'warn' || requirement === 'CHAT-1'));
  });
}
