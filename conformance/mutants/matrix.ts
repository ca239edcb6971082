import { findingText } from '../report/words/finding.js';
import { skipWords } from '../report/words/skip.js';
import { type Check, ruleOf } from '../run/check.js';
import type { CheckResult } from '../run/results.js';
import type { Killers } from './killers.js';
import type { Mutant } from './mutant.js';
import { type Tried, type TryOptions, tryChecks } from './try.js';

/** The outcome of one mutant. */
export interface MutantResult {
  readonly name: string;
  /** The checks that were seen to see it before, and fail. */
  readonly caught: readonly string[];
  /** Those that do not any more, and what they came to instead. */
  readonly missed: readonly { readonly id: string; readonly verdict: string; readonly why?: string | undefined }[];
  /** Where every check was run: the others that fail. */
  readonly others: readonly string[];
  /** The emulator's log of its own mistakes. A mutant that crashes proves nothing. */
  readonly crashes: readonly string[];
  /** ms of real time. */
  readonly duration: number;
}

/** Checks that fail although nothing is wrong, or that cannot be done. */
export interface Baseline {
  readonly failing: readonly { readonly id: string; readonly verdict: string; readonly why: string }[];
}

export interface Matrix {
  readonly mutants: readonly MutantResult[];
  readonly baseline: Baseline;
  /** Ids of checks that see no mutant. */
  readonly idle: readonly string[];
  readonly checks: number;
}

const why = (result: CheckResult): string | undefined =>
  result.error?.message ??
  (result.skip && skipWords(result.skip).why) ??
  (result.finding && findingText(result.finding).what);

/** Whether a check found something. */
export const broke = ({ verdict }: CheckResult): boolean => verdict === 'fail' || verdict === 'warn';

/** Whether it is a rule, or what sends for rules to judge. */
export const isJudging = (check: Check): boolean => ruleOf(check) !== undefined || check.sweeps === true;

/** The checks of these ids. Rules judge what others send: with them come the rows. */
export function killing(ids: readonly string[], checks: readonly Check[]): readonly Check[] {
  const named = checks.filter(({ id }) => ids.includes(id));
  const rows = named.some((check) => ruleOf(check) !== undefined) ? checks.filter(({ sweeps }) => sweeps === true) : [];
  return [...new Set([...rows, ...named])];
}

/** Runs one mutant against the checks that were seen to see it, or against all of them. */
export async function tryMutant(
  mutant: Mutant,
  killers: readonly string[],
  checks: readonly Check[],
  options: TryOptions & { readonly all?: boolean; readonly now: () => number },
): Promise<MutantResult> {
  const began = options.now();
  const wanted = options.all === true ? checks : killing(killers, checks);
  // A rule does not report again what a check of the same run reports: each kind runs alone.
  const halves = [wanted.filter(isJudging), wanted.filter((check) => !isJudging(check))];
  const tried: Tried[] = [];
  for (const half of halves) if (half.length > 0) tried.push(await tryChecks(half, mutant.mutation, options));
  const results = tried.flatMap(({ checks: rows }) => rows);
  const crashes = tried.flatMap((one) => one.crashes);
  const unknown = killers.filter((id) => !checks.some((check) => check.id === id));
  const result = resultOf(mutant, killers, results, options.now() - began);
  const missed = [
    ...unknown.map((id) => ({ id, verdict: 'unknown', why: 'there is no such check' })),
    ...result.missed,
  ];
  return { ...result, missed, crashes };
}

/** The verdicts of checks on a mutant. */
export function resultOf(
  mutant: Mutant,
  killers: readonly string[],
  results: readonly CheckResult[],
  duration: number,
): MutantResult {
  const named = new Set(killers);
  return {
    name: mutant.name,
    caught: results.filter((one) => named.has(one.id) && broke(one)).map((one) => one.id),
    missed: results
      .filter((one) => named.has(one.id) && !broke(one))
      .map((one) => ({ id: one.id, verdict: one.verdict, why: why(one) })),
    others: results.filter((one) => !named.has(one.id) && broke(one)).map((one) => one.id),
    crashes: [],
    duration: Math.round(duration),
  };
}

/** Runs checks against an emulator with nothing exchanged. */
export async function tryBaseline(checks: readonly Check[], options: TryOptions): Promise<Baseline> {
  const { checks: results } = await tryChecks(checks, {}, options);
  const rules = new Set(checks.filter((check) => ruleOf(check) !== undefined).map(({ id }) => id));
  return {
    failing: results
      // A rule that no right exchange of the rows is about is skipped.
      .filter(({ id, verdict }) => verdict !== 'pass' && !(verdict === 'skip' && rules.has(id)))
      .map((one) => ({ id: one.id, verdict: one.verdict, why: why(one) ?? '' })),
  };
}

/** Whether a mutant was caught by every check that saw it before. */
export const isCaught = (result: MutantResult): boolean =>
  result.caught.length + result.others.length > 0 && result.missed.length === 0 && result.crashes.length === 0;

/** Ids of checks that see no mutant. */
export const idleChecks = (killers: Killers, checks: readonly Check[]): string[] => {
  const kill = new Set(Object.values(killers).flat());
  return checks
    .filter((check) => ruleOf(check) === undefined && check.sweeps !== true && !kill.has(check.id))
    .map(({ id }) => id);
};

/** How sharp the kit is, as README and reports show it. */
export interface Score {
  readonly mutants: { readonly caught: number; readonly of: number };
  readonly checks: { readonly proven: number; readonly of: number };
}

export function score(matrix: Matrix): Score {
  const caught = matrix.mutants.filter(isCaught);
  const proven = new Set(matrix.mutants.flatMap((one) => (one.crashes.length > 0 ? [] : one.caught)));
  return {
    mutants: { caught: caught.length, of: matrix.mutants.length },
    checks: { proven: proven.size, of: matrix.checks },
  };
}

/** The mistakes to mend, one line each. An empty list is a pass. */
export function faults(matrix: Matrix): string[] {
  return [
    ...matrix.baseline.failing.map((one) => `${one.id}: ${one.verdict} although nothing deviates: ${one.why}`),
    ...matrix.mutants.flatMap((one) => [
      ...one.missed.map(
        (miss) => `${one.name}: survives ${miss.id} (${miss.verdict}${miss.why === undefined ? '' : `: ${miss.why}`})`,
      ),
      ...(one.crashes.length > 0 ? [`${one.name}: crashes the emulator: ${one.crashes[0]}`] : []),
      ...(one.caught.length + one.missed.length + one.others.length === 0 ? [`${one.name}: no check sees it`] : []),
    ]),
    ...(matrix.idle.length > 0 ? [`${matrix.idle.length} checks catch no mutant: ${matrix.idle.join(' ')}`] : []),
  ];
}
