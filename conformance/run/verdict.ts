import { byKey } from '../../emulator/contract/by-key.js';
import pkg from '../../package.json' with { type: 'json' };
import type { Learnt } from '../habits/visit.js';
import { type Because, type Incomplete, isOfBudget, type Stop } from '../model/skip.js';
import { behaviourIn, ONLY_EMULATORS, waitIn } from '../model/target.js';
import { REQUIREMENTS } from '../requirements/index.js';
import { decidedBy } from '../requirements/views.js';
import type { CleanupResult } from './cleanup.js';
import type {
  CheckResult,
  Coverage,
  FailOn,
  KnownAs,
  KnownFailure,
  RequirementResult,
  Results,
  Verdict,
} from './results.js';
import type { Exchanges } from './tally.js';

/** Whether a result is a failure, known or not. */
export const isFailure = ({ verdict, once }: Pick<CheckResult, 'verdict' | 'once'>, failOn: FailOn = 'fail'): boolean =>
  verdict === 'fail' || (verdict === 'warn' && (failOn === 'once' || (failOn === 'warn' && once !== true)));

/** Whether a result counts against the target: a failure that is neither known nor of a later set of checks. */
export const countsAgainst = (
  row: Pick<CheckResult, 'verdict' | 'known' | 'new' | 'once'>,
  failOn: FailOn = 'fail',
): boolean => isFailure(row, failOn) && row.known !== true && row.new !== true;

const DAY = 86_400_000;
const hasExpired = ({ expires }: KnownFailure, now: number): boolean =>
  expires !== undefined && now >= Date.parse(expires) + DAY;

/** A baseline. An entry may be just an id. */
export type Baseline = readonly (string | KnownFailure)[];

const entriesOf = (baseline: Baseline): KnownFailure[] =>
  baseline.map((one) => (typeof one === 'string' ? { id: one } : one));

/** A result, marked by its entry in a baseline. `now`, in ms since the epoch, decides which entries have expired. */
export function asKnown(row: CheckResult, baseline: Baseline | undefined, now: number, failOn?: FailOn): CheckResult {
  const entry = entriesOf(baseline ?? []).find(({ id }) => decidedBy(id).includes(row.id));
  if (entry === undefined) return row;
  const { id: _, flaky, ...words } = entry;
  const failed = isFailure(row, failOn);
  if (!failed && flaky !== true) return row;
  const expired = hasExpired(entry, now);
  const decided = row.verdict !== 'skip' && row.verdict !== 'error';
  const knownAs: KnownAs = {
    ...words,
    ...(flaky === true ? { flaky: { failed: failed ? 1 : 0, of: decided ? 1 : 0 } } : {}),
    ...(expired ? { expired } : {}),
  };
  return { ...row, knownAs, ...(failed && !expired ? { known: true } : {}) };
}

/** A result, marked as new if its check is not in the set that counts. */
export const asNew = (row: CheckResult, set: ReadonlySet<string> | undefined): CheckResult =>
  set === undefined || set.has(row.id) ? row : { ...row, new: true };

/**
 * The state of a baseline after a run. An entry is stale if its unit does not exist, or ran and did not fail. An entry that may
 * pass, or whose last day is over, is stale only if its unit does not exist.
 */
export function evaluateBaseline(
  baseline: Baseline,
  rows: readonly CheckResult[],
  options: { readonly now: number; readonly failOn?: FailOn | undefined; exists(id: string): boolean },
): NonNullable<Results['baseline']> {
  const { exists, failOn, now } = options;
  const held = entriesOf(baseline).filter((entry) => !hasExpired(entry, now) || !exists(entry.id));
  const rowsOf = (id: string) => rows.filter((row) => decidedBy(id).includes(row.id));
  const known = held.filter(({ id }) => rowsOf(id).length > 0 || !exists(id));
  const passes = (id: string) => {
    const decided = rowsOf(id).filter(({ verdict }) => ['pass', 'pass-alternative', 'warn', 'fail'].includes(verdict));
    // These rules replace a check that judged the whole answer.
    const situations = new Set(decided.flatMap((row) => (row.id === id ? [] : (row.situations ?? []))));
    return (
      decided.length > 0 &&
      !decided.some((row) => isFailure(row, failOn)) &&
      !rows.some((row) => isFailure(row, failOn) && row.brokenIn?.some((one) => situations.has(one)) === true)
    );
  };
  const stale = known.filter(({ id, flaky }) => !exists(id) || (flaky !== true && passes(id)));
  return { known: known.map(({ id }) => id), stale: stale.map(({ id }) => id) };
}

export const KIT_VERSION: string = pkg.version;

const WORST: readonly Verdict[] = ['fail', 'error', 'warn', 'pass-alternative', 'pass', 'skip'];

/** A row per requirement of the ledger, with the worst verdict of its checks and of findings that break it. */
export function matrix(checks: readonly CheckResult[], exchanges?: Exchanges): RequirementResult[] {
  const verdicts = checks.flatMap((check): { of: string; check: CheckResult }[] => {
    const { finding, requirement } = check;
    if (finding?.breaks === undefined) return [{ of: requirement, check }];
    // The check found another requirement broken: its own stays undecided.
    return [
      { of: finding.breaks, check },
      { of: requirement, check: { ...check, verdict: 'skip', known: false } },
    ];
  });
  const byRequirement = byKey(verdicts, ({ of }) => of);
  return REQUIREMENTS.map((row) => {
    const mine = (byRequirement.get(row.id) ?? []).map(({ check }) => check);
    const worst = WORST.find((verdict) =>
      mine.some(
        (check) => check.verdict === verdict && check.known !== true && (check.new !== true || !isFailure(check)),
      ),
    );
    const excluded = 'excluded' in row ? row.excluded : undefined;
    return {
      id: row.id,
      level: row.level,
      sentence: row.sentence,
      where: row.where,
      ...(excluded === undefined ? {} : { excluded }),
      verdict: worst ?? (mine.length > 0 ? 'warn' : excluded === undefined ? 'none' : 'excluded'),
      checks: mine.map((check) => check.id),
      judged: mine.reduce((sum, { judged = 0 }) => sum + judged, 0),
      ...(exchanges === undefined ? {} : { exchanges: exchanges.of(row.id) }),
      situations: [...new Set(mine.flatMap(({ situations = [] }) => situations))].toSorted(),
    };
  });
}

export function count(checks: readonly CheckResult[]): Results['counts'] {
  const counts = { pass: 0, 'pass-alternative': 0, fail: 0, warn: 0, skip: 0, error: 0 };
  for (const check of checks) counts[check.verdict]++;
  return counts;
}

/** Whether a skip means that the check waited for a question of the intern. */
const awaitsQuestion = (because: Because<'intern'>): boolean =>
  because.kind === 'asked-nothing' ||
  (because.kind === 'finished-otherwise' && because.wanted === 'tool_calls') ||
  (because.kind === 'did-otherwise' && because.question === true);

/** The coverage of a run. `asked`: the kinds of questions that streams asked. */
export function coverage(
  checks: readonly CheckResult[],
  asked: Learnt['asked'] = { question: false, permission: false },
): Coverage {
  const waiting = checks.some(({ skip }) => skip?.kind === 'intern' && awaitsQuestion(skip.because));
  const answered = checks.some(({ id, verdict }) => verdict !== 'skip' && id.startsWith('chat-answers/'));
  return {
    ...shareOf(checks),
    noQuestionSeen: waiting && !answered && !asked.question,
    noPermissionSeen: waiting && !answered && !asked.permission,
    askable: shareOf(checks.filter((check) => !lacksWhatIsGiven(check))),
    ...fromOutside(checks),
  };
}

/** Whether a check was skipped because only an emulator can be asked for it. */
export const isOfEmulators = ({ skip }: CheckResult): boolean =>
  skip?.kind === 'need' && skip.because.kind === 'lacks' && ONLY_EMULATORS.has(skip.because.need);

/** Whether a check was skipped for a missing setting: a credential, a fact, a control interface. */
function lacksWhatIsGiven({ skip }: CheckResult): boolean {
  if (skip?.kind !== 'need') return false;
  const { because } = skip;
  if (because.kind === 'unusable' || because.kind === 'may-not-create') return true;
  if (because.kind !== 'lacks' || because.need === 'write' || because.need === 'running') return false;
  return behaviourIn(because.need) === undefined && waitIn(because.need) === undefined;
}

const decided = (checks: readonly CheckResult[]) => checks.filter(({ verdict }) => verdict !== 'skip');
const shareOf = (checks: readonly CheckResult[]) => ({ checked: decided(checks).length, of: checks.length });

function fromOutside(checks: readonly CheckResult[]): Pick<Coverage, 'fromOutside'> {
  const possible = checks.filter((check) => !isOfEmulators(check));
  if (possible.length === checks.length) return {};
  const requirements = (of: readonly CheckResult[]) => new Set(of.map(({ requirement }) => requirement)).size;
  const share = { checked: requirements(decided(possible)), of: requirements(possible) };
  return { fromOutside: { ...shareOf(possible), requirements: share } };
}

/** The blockers that kept checks from a verdict. */
function blockers(checks: readonly CheckResult[]): Incomplete[] {
  const found = new Map<string, { checks: number; because: Because<'blocked'> }>();
  for (const { skip } of checks) {
    if (skip?.kind !== 'blocked') continue;
    const { because } = skip;
    const key = `${because.by} ${because.obstacle}`;
    const before = found.get(key) ?? { checks: 0, because };
    found.set(key, { ...before, checks: before.checks + 1 });
  }
  return [...found.values()].map(({ because, checks: many }) => ({ ...because, checks: many }));
}

/** If teardowns end at all, one of this many deleted interns is gone by the end of a run. */
const SOME = 3;

/**
 * The verdict of a run. A breach counts however little ran. Without a breach: nothing selected, nothing run, less than was
 * demanded, an error of the kit, a run that was ended early, a stale baseline entry or a failed clean-up each keep it from
 * being a pass. The exit status is 70 where the kit itself made a mistake and no breach counts.
 */
export function evaluate(
  checks: readonly CheckResult[],
  more: {
    readonly stopped?: Stop | undefined;
    readonly cleanup: CleanupResult;
    readonly stale?: readonly string[] | undefined;
    /** Further reasons why the run is incomplete. */
    readonly others?: readonly Incomplete[];
    /** Percent. */
    readonly minCoverage?: number | undefined;
    readonly failOn?: FailOn | undefined;
  },
): Pick<Results, 'verdict' | 'incomplete' | 'exit'> {
  const { stopped, stale = [], others = [], minCoverage: least } = more;
  const failed = checks.some((check) => countsAgainst(check, more.failOn));
  const ran = checks.some((check) => ['pass', 'pass-alternative', 'fail', 'warn'].includes(check.verdict));
  // A check outside of the chosen set changes no exit status.
  const held = checks.filter((check) => check.new !== true);
  const { checked, of } = coverage(held);
  const unreached = held.filter(({ skip }) => skip?.because.kind === 'unreached').length;
  const errors = held.filter((check) => check.verdict === 'error').map(({ id }) => id);
  // Unfinished teardowns are no failure if some have ended. A small run deletes its few interns only at its end.
  const { created, deleted, failed: left } = more.cleanup;
  const noneEnds = created >= SOME && deleted === 0;
  const interns = left.filter(({ leaving }) => leaving !== true || noneEnds).length;
  const incomplete: Incomplete[] = [
    ...(stale.length > 0 ? [{ kind: 'baseline' as const, ids: stale }] : []),
    ...(ran ? [] : [{ kind: checks.length === 0 ? ('none-selected' as const) : ('none-ran' as const) }]),
    ...(stopped === undefined || isOfBudget(stopped) ? [] : [stopped]),
    ...(least !== undefined && checked * 100 < least * of ? [{ kind: 'coverage' as const, checked, of, least }] : []),
    ...blockers(held),
    ...(unreached > 0 ? [{ kind: 'unreached' as const, checks: unreached }] : []),
    ...others,
    ...(errors.length > 0 ? [{ kind: 'errors' as const, ids: errors }] : []),
    ...(interns > 0 ? [{ kind: 'left-behind' as const, interns }] : []),
  ];
  if (failed || stale.length > 0) return { verdict: 'fail', incomplete, exit: 1 };
  const isOwn = ({ verdict, error }: CheckResult) => verdict === 'error' && error?.whose === undefined;
  const faulty = held.some(isOwn) || others.some(({ kind }) => kind === 'fault');
  if (incomplete.length > 0) return { verdict: 'incomplete', incomplete, exit: faulty ? 70 : 3 };
  return { verdict: 'pass', incomplete, exit: 0 };
}

/** The part of the results that is not its rows. */
export interface Assembled {
  readonly tag: string;
  /** The beginning of the run, and the present, in ms. */
  readonly began: number;
  readonly now: number;
  readonly target: Results['target'];
  readonly options: Pick<Results['options'], 'seed'> & Partial<Results['options']>;
  readonly requests: number;
  readonly exchanges?: Exchanges;
  readonly cleanup?: CleanupResult;
  readonly stopped?: Stop | undefined;
  readonly others?: readonly Incomplete[];
  readonly minCoverage?: number | undefined;
  readonly asked?: Learnt['asked'];
  /** Whether the units are checks of the ledger of requirements. */
  readonly ledger?: boolean;
  readonly failOn?: FailOn | undefined;
  /** The baseline, and whether an id has a unit. */
  readonly baseline?: Baseline | undefined;
  exists(id: string): boolean;
  /** Removes secrets. */
  clean?<Data>(data: Data): Data;
}

/** Makes the results of a run from its rows: verdict, exit status, counts, and stale entries of the baseline. */
export function assemble(rows: readonly CheckResult[], run: Assembled): Results {
  const { clean = (data) => data, cleanup = { created: 0, deleted: 0, failed: [] } } = run;
  const { failOn, minCoverage, now, others, stopped } = run;
  const baseline = run.baseline && evaluateBaseline(run.baseline, rows, { now, failOn, exists: run.exists });
  const stale = baseline?.stale;
  return {
    format: 'intern-conformance',
    version: 1,
    kit: KIT_VERSION,
    run: run.tag,
    started: new Date(run.began).toISOString(),
    duration: Math.round(now - run.began),
    target: run.target,
    options: {
      runs: 1,
      only: [],
      skip: [],
      levels: [],
      readOnly: false,
      slow: 0,
      ...(failOn === undefined ? {} : { failOn }),
      ...run.options,
    },
    ...clean(
      evaluate(rows, { cleanup, stopped, stale, ...(others === undefined ? {} : { others }), minCoverage, failOn }),
    ),
    counts: count(rows),
    coverage: coverage(rows, run.asked),
    requests: run.requests,
    ...(run.exchanges === undefined ? {} : { exchanges: run.exchanges.all }),
    checks: rows,
    requirements: run.ledger === true ? matrix(rows, run.exchanges) : [],
    cleanup,
    ...(baseline === undefined ? {} : { baseline }),
  };
}
