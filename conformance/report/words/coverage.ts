import { byKey } from '../../../emulator/contract/by-key.js';
import { counted } from '../../../emulator/contract/counted.js';
import { behaviourIn, type Need, waitIn } from '../../framework/needs.js';
import type { Skip } from '../../framework/skip.js';
import type { CheckResult, Coverage, Results } from '../../run/results.js';
import { isOfEmulators } from '../../run/verdict.js';
import { failsRun, type Label, labels, VERDICTS } from './legend.js';
import { skipWords } from './skip.js';
import { FACTS, incompleteText, stopText } from './stop.js';

/** The words for needs in a headline. Others stand as they are. */
function lacking(need: Need): string {
  if (need === 'control' || need === 'clock') return 'need a control interface';
  if (behaviourIn(need) !== undefined) return 'need a prompt for what the intern is to do';
  if (waitIn(need) !== undefined) return 'need --slow';
  if (need in FACTS) return 'need facts of the target';
  return need.endsWith('_key') || need.endsWith('_token') ? 'need credentials' : `need ${need}`;
}

/** Why a check was not done, in a few words. */
export function keptFrom(skip: Skip): string {
  const { need, why } = skipWords(skip);
  switch (skip.kind) {
    case 'intern':
      return 'wait for what the intern did not do';
    case 'race':
      return 'met a target that changed in between';
    case 'blocked':
      return `${need}: ${why}`;
    case 'stopped':
      return skip.because.kind === 'over' ? stopText(skip.because.stop) : `need ${need}`;
    case 'need': {
      const { because } = skip;
      if (because.kind === 'lacks') return lacking(because.need);
      if (because.kind === 'runs') return 'need more runs';
      if (because.kind === 'budget') return 'beyond the budget';
      return because.kind === 'unusable' || because.kind === 'may-not-create' ? 'need credentials' : `need ${need}`;
    }
  }
}

/** A reason that kept checks from a verdict, and how many. */
export interface NotChecked {
  readonly why: string;
  readonly count: number;
}

/** The reasons why checks have no verdict, the largest group first. */
export function notChecked(checks: readonly CheckResult[]): NotChecked[] {
  const skips = checks.flatMap(({ skip }) => skip ?? []);
  return [...byKey(skips, keptFrom)]
    .map(([why, { length: count }]) => ({ why, count }))
    .sort((one, other) => other.count - one.count);
}

/** The checks that a headline counts: of a deployment, those that can be asked of one at all. */
export const headCounts = ({ checked, of, fromOutside }: Coverage): Pick<Coverage, 'checked' | 'of'> =>
  fromOutside ?? { checked, of };

/** Percent of what can be asked that a run has looked at before it says that its target conforms. */
const EARNED = 80;

/** The headline of a run. `conforms` is earned by coverage. */
export function verdictText({ coverage, target, verdict }: Pick<Results, 'coverage' | 'target' | 'verdict'>): string {
  const { checked, of } = coverage.askable ?? headCounts(coverage);
  if (verdict !== 'pass' || target.kind === 'client' || checked * 100 >= EARNED * of) return VERDICTS[verdict];
  return `nothing wrong found, ${Math.floor((checked * 100) / of)} % looked at`;
}

/** The same of a run with its checks: where nothing fails but a baseline that is out of date, that is what it comes to. */
export function comesTo(
  results: Pick<Results, 'checks' | 'coverage' | 'incomplete' | 'options' | 'target' | 'verdict'>,
): string {
  const stale = results.incomplete.find(({ kind }) => kind === 'baseline');
  const fails = results.checks.some((check) => failsRun(check, results));
  if (results.verdict !== 'fail' || fails || stale === undefined) return verdictText(results);
  return `the baseline is out of date, ${incompleteText(stale)}`;
}

/** The rows that a report counts: a deployment is held against what can be asked of a deployment at all. */
export const shownOf = ({ checks, coverage }: Pick<Results, 'checks' | 'coverage'>): readonly CheckResult[] =>
  coverage.fromOutside === undefined ? checks : checks.filter((check) => !isOfEmulators(check));

/** The ids of requirements that never came up, though such a target can be asked for them. */
export function neverCameUp(results: Pick<Results, 'checks' | 'coverage' | 'requirements'>): readonly string[] {
  const never = results.requirements.filter(({ verdict }) => verdict === 'none' || verdict === 'skip');
  const possible = new Set<string>(shownOf(results).map(({ requirement }) => requirement));
  const all = results.coverage.fromOutside === undefined;
  return never.flatMap(({ id }) => (all || possible.has(id) ? id : []));
}

/** How much was looked at, as every report says it first. */
export interface Headline {
  /** `conforms`, or what else the run comes to. */
  readonly verdict: string;
  /** How many of what was looked at, or left out, have each label. */
  readonly counts: Readonly<Record<Label, number>>;
  readonly checked: number;
  readonly of: number;
  /** The reasons why the others of these have no verdict, the largest group first. */
  readonly not: readonly NotChecked[];
  /** How many of the requirements that show from outside were looked at, in a sentence. */
  readonly requirements?: string;
  /** How many more checks only an emulator can be asked for, in a sentence. */
  readonly emulatorsOnly?: string;
}

/** The headline of a run, for reports of every kind. */
export function headlineOf(results: Results): Headline {
  const { fromOutside, of } = results.coverage;
  const { checked, of: possible } = headCounts(results.coverage);
  const shown = shownOf(results);
  const same = { verdict: comesTo(results), counts: labels(shown), checked, of: possible, not: notChecked(shown) };
  if (fromOutside === undefined) return same;
  const { requirements } = fromOutside;
  return {
    ...same,
    requirements: `${requirements.checked} of ${requirements.of} requirements that show from outside were looked at`,
    emulatorsOnly: `${counted(of - possible, 'more check')} can be asked of an emulator only`,
  };
}
