import type { CheckResult, Coverage, Results } from '../../engine/results.js';
import { isOfEmulators } from '../../engine/verdict.js';
import { behaviourIn, type Need, waitIn } from '../../framework/needs.js';
import type { Skip } from '../../framework/skip.js';
import { counted } from '../counted.js';
import { FACTS } from './need.js';
import { skipWords } from './skip.js';
import { stopText } from './stop.js';

/** What the needs of a check are called in a headline. Others stand as they are. */
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

/** What kept checks from a verdict, the largest group first. */
export function notChecked(checks: readonly CheckResult[]): NotChecked[] {
  const groups = new Map<string, number>();
  for (const { skip } of checks) {
    if (skip === undefined) continue;
    const why = keptFrom(skip);
    groups.set(why, (groups.get(why) ?? 0) + 1);
  }
  return [...groups].map(([why, count]) => ({ why, count })).sort((one, other) => other.count - one.count);
}

/** What a headline counts: a deployment is held against what can be asked of a deployment at all. */
export const headCounts = ({ checked, of, fromOutside }: Coverage): Pick<Coverage, 'checked' | 'of'> =>
  fromOutside ?? { checked, of };

/** How much was looked at, as every report says it first. */
export interface Headline {
  readonly checked: number;
  readonly of: number;
  /** What kept the others of these from a verdict, the largest group first. */
  readonly not: readonly NotChecked[];
  /** How many of the requirements that show from outside were looked at, in a sentence. */
  readonly requirements?: string;
  /** How many more checks only an emulator can be asked for, in a sentence. */
  readonly emulatorsOnly?: string;
}

/** The headline of a run, for reports of every kind. */
export function headlineOf({ checks, coverage }: Pick<Results, 'checks' | 'coverage'>): Headline {
  const { fromOutside, of } = coverage;
  const { checked, of: possible } = headCounts(coverage);
  const not = notChecked(fromOutside === undefined ? checks : checks.filter((check) => !isOfEmulators(check)));
  if (fromOutside === undefined) return { checked, of: possible, not };
  const { requirements } = fromOutside;
  return {
    checked,
    of: possible,
    not,
    requirements: `${requirements.checked} of ${requirements.of} requirements that show from outside were looked at`,
    emulatorsOnly: `${counted(of - possible, 'more check')} can be asked of an emulator only`,
  };
}
