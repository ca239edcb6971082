import { byKey } from '../../../emulator/contract/by-key.js';
import { counted } from '../../../emulator/contract/counted.js';
import type { Skip } from '../../model/skip.js';
import { behaviourIn, type Need, waitIn } from '../../model/target.js';
import type { CheckResult, Coverage, KnownAs, Results } from '../../run/results.js';
import { isFailure, isOfEmulators } from '../../run/verdict.js';
import { failsRun, type Label, labels, VERDICTS } from './legend.js';
import { skipWords } from './skip.js';
import { FACTS, incompleteText, stopText } from './stop.js';

/** The words for a need in a headline. */
function lacking(need: Need): string {
  if (need === 'control' || need === 'clock') return 'need a control interface';
  if (behaviourIn(need) !== undefined) return 'need a prompt for what the intern is to do';
  if (waitIn(need) !== undefined) return 'need --slow';
  if (need in FACTS) return 'need facts of the target';
  return need.endsWith('_key') || need.endsWith('_token') ? 'need credentials' : `need ${need}`;
}

/** Why a check has no verdict, in a few words. */
export function keptFrom(skip: Skip): string {
  const { need, why } = skipWords(skip);
  switch (skip.kind) {
    case 'intern':
      return 'wait for something that the intern did not do';
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

/** A reason why checks have no verdict, and their number. */
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

/** The checks that a headline counts. For a deployment they exclude those for emulators only. */
export const headCounts = ({ checked, of, fromOutside }: Coverage): Pick<Coverage, 'checked' | 'of'> =>
  fromOutside ?? { checked, of };

/** Least percent of the possible checks with a verdict for the headline `conforms`. */
const EARNED = 80;

/** The headline of a run. `conforms` is earned by coverage. */
export function verdictText({ coverage, target, verdict }: Pick<Results, 'coverage' | 'target' | 'verdict'>): string {
  const { checked, of } = coverage.askable ?? headCounts(coverage);
  if (verdict !== 'pass' || target.kind === 'client' || checked * 100 >= EARNED * of) return VERDICTS[verdict];
  return `nothing wrong found, ${Math.floor((checked * 100) / of)} % looked at`;
}

/** The verdict for a headline. A run that fails only for an outdated baseline says so. */
export function headVerdict(
  results: Pick<Results, 'checks' | 'coverage' | 'incomplete' | 'options' | 'target' | 'verdict'>,
): string {
  const stale = results.incomplete.find(({ kind }) => kind === 'baseline');
  const fails = results.checks.some((check) => failsRun(check, results));
  if (results.verdict !== 'fail' || fails || stale === undefined) return verdictText(results);
  return `the baseline is out of date, ${incompleteText(stale)}`;
}

/** The rows that a report counts. For a deployment they exclude those for emulators only. */
export const shownOf = ({ checks, coverage }: Pick<Results, 'checks' | 'coverage'>): readonly CheckResult[] =>
  coverage.fromOutside === undefined ? checks : checks.filter((check) => !isOfEmulators(check));

/** The ids of requirements whose checks all came to no verdict, although the target allows it. */
export function neverCameUp(results: Pick<Results, 'checks' | 'coverage' | 'requirements'>): readonly string[] {
  const possible = new Set<string>(shownOf(results).map(({ requirement }) => requirement));
  return results.requirements.flatMap(({ id, verdict }) => (verdict === 'skip' && possible.has(id) ? id : []));
}

/** The beginning of every report: the verdict and the coverage. */
export interface Headline {
  /** `conforms`, or another verdict in words. */
  readonly verdict: string;
  /** The number of rows with each label. */
  readonly counts: Readonly<Record<Label, number>>;
  readonly checked: number;
  readonly of: number;
  /** The reasons why rows have no verdict, the largest group first. */
  readonly not: readonly NotChecked[];
  /** A sentence: the number of evaluated requirements among those that a deployment can show. */
  readonly requirements?: string;
  /** A sentence: the number of checks for emulators only. */
  readonly emulatorsOnly?: string;
}

/** The headline of a run, for reports of every kind. */
export function headlineOf(results: Results): Headline {
  const { fromOutside, of } = results.coverage;
  const { checked, of: possible } = headCounts(results.coverage);
  const shown = shownOf(results);
  const same = { verdict: headVerdict(results), counts: labels(shown), checked, of: possible, not: notChecked(shown) };
  if (fromOutside === undefined) return same;
  const { requirements } = fromOutside;
  return {
    ...same,
    requirements: `${requirements.checked} of ${requirements.of} requirements that a deployment can show were checked`,
    emulatorsOnly: `${counted(of - possible, 'more check')} for emulators only`,
  };
}

/** The line above findings that probably follow from the first one. */
export const LIKELY = 'likely the same cause';

/** The ids of checks in one line. */
export const idsOf = (checks: readonly CheckResult[]): string => checks.map(({ id }) => id).join(', ');

/** A note on a run in which the intern asked nothing, or no permission; undefined if it asked both. */
export function unseen({ coverage }: Results): string | undefined {
  const own = 'A prompt of your own may lead it there: prompts in a config file.';
  if (coverage.noQuestionSeen)
    return `The intern asked nothing in this run: how questions are asked and answered was not seen, nor whether approval_mode manual makes it ask (CHAT-8). ${own}`;
  if (coverage.noPermissionSeen === true)
    return `The intern asked for no permission in this run, although prompts under approval_mode manual named its shell: whether manual makes it ask (CHAT-8) was not judged. ${own}`;
  return undefined;
}

/** The inputs of a run, if they decide anything: recordings have neither seed nor properties. */
export function choices({ options, target }: Results): string {
  if (options.seed === '') return '';
  return `, seed ${options.seed}${target.kind === 'client' ? '' : `, ${counted(options.runs, 'run')} per property`}`;
}

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

/** The name of the target. An emulator in this process has no address that others can reach. */
export const addressText = ({ url, inProcess }: Results['target']): string =>
  inProcess === true ? 'an emulator in this process' : url;

export const targetText = (target: Results['target']): string => {
  const { kind, profile } = target;
  return `${addressText(target)} (${kind}${kind === 'client' ? '' : `, profile ${profile}`})`;
};

/** The counts of a run, and its target, in one line. */
export function sumText(results: Results): string {
  const { checked, counts, of, not } = headlineOf(results);
  const { pass, fail, warn, skip, error, known, 'pass-alternative': alternative } = counts;
  const reasons = not.map(({ count, why }) => `${count} ${why}`).join(', ');
  const covered =
    checked === of ? `all ${of} checked` : `${checked} of ${of} checked, ${of - checked} not (${reasons})`;
  const parts = [`${pass} pass`];
  if (alternative > 0) parts.push(`${alternative} pass-alternative`);
  parts.push(`${fail} fail`, `${warn} warn`, `${skip} skip`, `${error} error`);
  if (known > 0) parts.push(`${known} known`);
  const flaky = results.checks.flatMap(({ knownAs }) => knownAs?.flaky ?? []);
  if (flaky.length > 0)
    parts.push(`flaky: failed ${sum(flaky, ({ failed }) => failed)} of ${sum(flaky, ({ of: tried }) => tried)}`);
  const fresh = results.checks.filter((check) => check.new === true);
  const failing = fresh.filter((check) => isFailure(check, results.options.failOn)).length;
  if (fresh.length > 0) parts.push(`${fresh.length} new${failing === 0 ? '' : ` (${failing} failing)`}`);
  return `${covered}  ${parts.join(', ')}  ${targetText(results.target)}`;
}

/** One line: the verdict and the counts. */
export const summary = (results: Results): string => `${headlineOf(results).verdict}: ${sumText(results)}`;

/** The entry of a baseline for a result: `flaky, failed 1 of 1, fixed in 2.4 (https://…), until 2026-12-31`. */
export function knownText({ expired, expires, flaky, link, reason }: KnownAs): string {
  const until = expires === undefined ? [] : [expired === true ? `expired on ${expires}` : `until ${expires}`];
  const why = [reason, link === undefined ? undefined : reason === undefined ? link : `(${link})`]
    .filter((part) => part !== undefined)
    .join(' ');
  const parts = [
    ...(flaky === undefined ? [] : [`flaky, failed ${flaky.failed} of ${flaky.of}`]),
    ...(why === '' ? [] : [why]),
    ...until,
  ];
  return parts.length === 0 ? 'in the baseline' : parts.join(', ');
}
