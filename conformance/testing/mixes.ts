import { createRandom, hash } from '../framework/random.js';
import type { Incomplete } from '../framework/stop.js';
import { findingText } from '../reporters/words/finding.js';
import { skipWords } from '../reporters/words/skip.js';
import { incompleteText } from '../reporters/words/stop.js';
import type { CheckResult, FindingResult, Results } from '../run/results.js';
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

/** A guise, and what a run may make of it. */
export interface Ingredient extends Guise {
  /** What may be held against it: requirements that are published. */
  readonly differs?: readonly string[];
  /** Checks that have to find something: it breaks what they look at. */
  readonly shows?: readonly string[];
  /** Why a run may be incomplete: what it is given is good for a part of it only. */
  readonly incomplete?: readonly ((reason: Incomplete) => boolean)[];
}

const expires = (reason: Incomplete): boolean =>
  reason.kind === 'unusable' && /oauth/.test(reason.credential) && reason.how !== 'sees-no-intern';

/** What a mix is made of: real deployments have several habits at once. */
export const INGREDIENTS: readonly Ingredient[] = [
  ...GUISES,
  ...UNPUBLISHED,
  { ...BUFFERING, shows: ['chat-stream/as-it-is-said'] },
  { ...EXPIRING, incomplete: [expires] },
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
    shows: parts.flatMap(({ shows = [] }) => shows),
    incomplete: parts.flatMap(({ incomplete = [] }) => incomplete),
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

/** Whether a finding is of the reason of an error. */
const isReason = (finding: FindingResult | undefined): boolean =>
  finding?.wanted.kind === 'value' && /reason/.test(finding.wanted.path);

/** What is held against a mix that nothing it is made of deserves. */
function undeserved(
  { differs = [], shows = [] }: Pick<Ingredient, 'differs' | 'shows'>,
  checks: readonly CheckResult[],
): CheckResult[] {
  return checks.filter(({ id, verdict, requirement, finding }) => {
    if (verdict === 'pass' || verdict === 'skip' || shows.includes(id)) return false;
    const told = differs.includes(requirement) || (differs.includes('reason') && isReason(finding));
    return !(told && verdict === 'warn');
  });
}

/** What a run told of a mix, or did not, that is to be looked at. */
export interface Told {
  readonly id: string;
  readonly what: string;
  readonly actual?: unknown;
  /** It is as it may be: the mix is such that the run could not do better, and it said so. */
  readonly expected?: true;
}

/** All that is to be looked at in the results of a run against a mix: nothing where it judged as it should. */
export function toldOf(
  mix: Pick<Ingredient, 'differs' | 'shows' | 'incomplete'>,
  { checks, exit, incomplete: reasons }: Pick<Results, 'checks' | 'exit' | 'incomplete'>,
): Told[] {
  const { shows = [], incomplete = [] } = mix;
  const wrong = undeserved(mix, checks).map(({ id, verdict, finding, error }) => {
    const { what, actual } = finding === undefined ? {} : findingText(finding);
    return { id: `${verdict} ${id}`, what: what ?? error?.message ?? '', actual };
  });
  const found: string[] = [];
  const missed = shows.flatMap((id): Told[] => {
    const { verdict, skip } = checks.find((check) => check.id === id) ?? {};
    if (verdict === 'fail') found.push(id);
    if (verdict === 'fail') return [];
    // What an intern did is no reason: these do what it takes.
    const said = skip !== undefined && skip.kind !== 'intern';
    const { need, why } = skip === undefined ? { need: 'the verdict', why: String(verdict) } : skipWords(skip);
    const what = `${need}: ${why}`;
    return [{ id: `missed ${id}`, what, ...(said ? { expected: true } : {}) }];
  });
  const ended: Told[] = [];
  if (wrong.length === 0 && exit !== (found.length > 0 ? 1 : 0)) {
    const may = exit === 3 && reasons.every((reason) => incomplete.some((one) => one(reason)));
    ended.push({
      id: `exit ${exit}`,
      what: reasons.map(incompleteText).join('; '),
      ...(may ? { expected: true } : {}),
    });
  }
  return [...wrong, ...missed, ...ended];
}
