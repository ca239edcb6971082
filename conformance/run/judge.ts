import type { Driver } from '../drivers/driver.js';
import type { Check } from '../framework/check.js';
import {
  answerOf,
  Finding,
  type Found,
  isProven,
  missedSuccess,
  noAnswerOf,
  type Remark,
} from '../framework/finding.js';
import { lacking, raced, type Skip, type SkipKind, Skipped, stoppedBy } from '../framework/skip.js';
import type { Obstacle, ObstacleSeen } from '../framework/stop.js';
import { Cancelled, type Stop, Stopped } from '../framework/stop.js';
import { type Explanation, LATER } from '../habits/visit.js';
import { ANSWER } from '../probe/request.js';
import { type Attempt, attempt } from './attempt.js';
import { explain, mayBeTaken, notTaken, visitOf } from './explain.js';
import { foundIn, isSame, recorded, reported, skipIn } from './finding.js';
import type { Obstacles } from './obstacles.js';
import type { CheckResult, FindingResult, Verdict } from './results.js';
import type { RunContext } from './session.js';
import { type Done, faultOf, type UnitContext } from './units.js';

/** Tries of a check alone. */
const TRIES = 3;

/** Who else is at work. */
type Company = Pick<UnitContext, 'alone' | 'together'>;

/** Why a check comes to no verdict, where others at work cannot have caused it. */
const SETTLED: ReadonlySet<SkipKind> = new Set(['need', 'intern', 'blocked', 'stopped']);

/** The part of a result that an outcome decides. */
type Decided = Pick<CheckResult, 'verdict'> & Partial<CheckResult> & { lost?: boolean; stopped?: Stop };

const skipped = (skip: Skip): Decided => ({ verdict: 'skip', skip });
const ended = (stop: Stop): Decided => ({
  ...skipped(stoppedBy(stop)),
  stopped: stop,
});

/** Whether seeing it once is enough: it harms others, or it ended the run. */
const provesItself = (error: unknown): boolean =>
  error instanceof Finding ? isProven(error.found) : error instanceof Stopped && error.finding !== undefined;

/** One look at what a check is about: the check done once, or what broke a rule asked for again. */
export interface Look {
  readonly tried: Attempt;
  /** When it was found, where that was before. */
  readonly at?: number;
  /** Nothing can be looked at once more. */
  readonly once?: boolean;
  /** The outcome rests on it. */
  counts?(): void;
}

/** A finding, and the attempt that came to it. */
interface Sighted {
  readonly error: Finding;
  readonly tried: Attempt;
}

/** The look that an outcome rests on. */
interface Looked {
  readonly tried: Attempt;
  /** The outcome, where it is another than that of the look. */
  readonly decided?: Decided | undefined;
  /** A finding of an earlier look that it did not come to. */
  readonly other?: Sighted | undefined;
}

/**
 * Looks until it is sure what there is: at a target that is not the run's own a finding counts when one look finds what
 * another found before it, and no habit of the target explains it. Never throws.
 *
 * @param look is given the finding that it is to look at again
 * @param before what was found before
 */
export async function lookTwice(
  run: RunContext,
  check: Check,
  look: (again: Finding | undefined) => Promise<Look>,
  before?: Finding,
): Promise<Looked> {
  const { driver, host, session } = run;
  const explained: Finding[] = [];
  const sighted: Sighted[] = [];
  let excuse: Skip | undefined;
  for (let tries = 1; ; ) {
    const began = host.now();
    const other = sighted.at(-1);
    const { tried, at = host.now(), once = false, counts } = await look(other?.error ?? before);
    const { error } = tried;
    const { again, skip, learnt } = (await explanation(run, check, tried, { began, at, tries })) ?? {};
    const refused = session.unusable('api_key');
    if (refused !== undefined)
      return { tried, decided: ended({ kind: 'unusable', credential: 'api_key', how: refused }) };
    excuse = skip ?? excuse;
    const last = once || tries === TRIES;
    if (again === undefined || last) {
      const why = again === undefined ? skip : excuse;
      if (why !== undefined) return { tried, decided: { ...skipped(why), lost: isLost(error) } };
      const others = again === undefined ? [before ?? [], sighted.map((one) => one.error)].flat() : explained;
      const same = ({ found }: Finding) => error instanceof Finding && isSame(found, error.found);
      const cameAgain = again === undefined ? others.some(same) : !once && others.every(same);
      if (!(error instanceof Finding) && other !== undefined) return { tried, other, decided: gone(run, tried, other) };
      const isOne = !(error instanceof Finding) || driver.control !== undefined || isProven(error.found) || cameAgain;
      if (isOne || (again === undefined && other !== undefined)) {
        counts?.();
        return { tried, other: isOne ? undefined : other };
      }
      // A defect shows again with the same request. Findings that differ each time say nothing.
      const found = [...others, error].map((one) => one.found);
      if (last) return { tried, decided: skipped(raced({ kind: 'never-the-same', found }).skip) };
    }
    if (error instanceof Finding && again === undefined) {
      sighted.push({ error, tried });
      // An earlier check may have left the shared intern in a state that makes this one fail.
      run.pool.drop(run.lane, { foreign: false });
      session.model.dealings.doubt();
    } else if (error instanceof Finding) explained.push(error);
    await host.sleep((again ?? 0) * tries, run.signal).catch(() => {});
    if (learnt !== true) tries++;
  }
}

/** Nothing stands still on a live target: what does not come again may have been somebody else's doing. */
function gone({ signal }: RunContext, { error }: Attempt, { error: { found } }: Sighted): Decided {
  if (error instanceof Stopped || signal.aborted)
    return ended(error instanceof Stopped ? error.stop : { kind: 'interrupted' });
  // A limit leaves no room for a second look.
  if (error instanceof Skipped && error.skip.kind === 'stopped') return skipped(error.skip);
  return skipped(raced({ kind: 'not-again', found }).skip);
}

/**
 * Does one check. Beside others a pass counts, and a skip that the others cannot have caused. Anything else is done again alone.
 *
 * @throws Stopped where the run is over before it is alone
 */
export async function judgeCheck(run: RunContext, check: Check, { alone, together }: Company): Promise<Done> {
  const { pool, lane, session, settings } = run;
  const { minRuns: least = 0 } = check;
  const { runs } = settings;
  if (runs < least) return concluding(run, check)(skipped(lacking({ kind: 'runs', least, runs }).skip));
  let before: Finding | undefined;
  if (together) {
    const conclude = concluding(run, check);
    const { tried, counts } = await tryOnce(run, check, { beside: true });
    const { error } = tried;
    const proven = provesItself(error);
    if (proven) counts();
    const settled = error instanceof Skipped && SETTLED.has(error.skip.kind) && !mayBeTaken(run, error);
    if (!('error' in tried) || proven || settled) return conclude(await outcomeOf(run, check, tried), tried);
    before = error instanceof Finding ? error : undefined;
    if (before !== undefined) session.suspected.add(check.id);
    // They may be what went wrong.
    pool.drop(lane);
    await alone(before !== undefined);
    if (before !== undefined) session.model.dealings.doubt();
  }
  const conclude = concluding(run, check);
  const look = async (again?: Finding): Promise<Look> => {
    for (const habit of session.habits) await habit.prepare?.(visitOf(run)).catch(() => {});
    return tryOnce(run, check, { again: again?.property });
  };
  const { tried, decided, other } = await lookTwice(run, check, look, before);
  session.suspected.delete(check.id);
  const outcome = decided ?? (await outcomeOf(run, check, tried));
  if (other === undefined) return conclude(outcome, tried);
  const { finding } = outcome;
  const others = [foundIn(other.error.found, session.redactor)];
  const note = reported(run, check, other.error, other.tried);
  return conclude({ ...outcome, ...(finding && { finding: { ...finding, others } }), note }, tried);
}

/** One try, in each wording that is left. A blocker that it found stops no other check until it `counts`. */
async function tryOnce(run: RunContext, check: Check, how: Parameters<typeof attempt>[2]) {
  const met = new Map<Obstacle, ObstacleSeen | undefined>();
  const obstacles: Obstacles = {
    ...run.obstacles,
    met: (obstacle, _, seen) => void met.set(obstacle, seen),
    gone(obstacle) {
      met.delete(obstacle);
      run.obstacles.gone(obstacle);
    },
  };
  const counts = () => {
    for (const [obstacle, seen] of met) run.obstacles.met(obstacle, check.id, seen);
  };
  for (;;) {
    const tried = await attempt({ ...run, obstacles }, check, how);
    if (!reworded(run, tried)) return { tried, counts };
    met.clear();
  }
}

/** Whether the intern did something else, never did that in the run, and another wording is left to try. */
function reworded({ driver, session }: RunContext, { error, led }: Attempt): boolean {
  if (!(error instanceof Skipped) || error.skip.kind !== 'intern') return false;
  return [...led].some(
    (behaviour) => (session.learnt.led.get(behaviour)?.did ?? 0) === 0 && driver.reword?.(behaviour) === true,
  );
}

/**
 * Finds a habit of the target that explains the outcome of a check. Looked at over the network: where that fails nobody knows yet, and the
 * check is tried again.
 */
async function explanation(
  run: RunContext,
  check: Check,
  tried: Attempt,
  { tries, ...when }: { readonly began: number; readonly at: number; readonly tries: number },
): Promise<Explanation | undefined> {
  const { error } = tried;
  if (run.driver.control !== undefined) return undefined;
  if (!(error instanceof Finding)) return notTaken(run, tried, tries);
  if (isProven(error.found)) return undefined;
  return explain(run, check, tried, error, when).catch((reason: unknown) => ({
    again: LATER,
    ...(reason instanceof Stopped ? { skip: stoppedBy(reason.stop) } : {}),
  }));
}

/** Whether the target gave no answer. */
const isLost = (error: unknown): boolean => error instanceof Finding && noAnswerOf(error.found) !== undefined;

/** The row of a check before it runs. */
export const headOf = ({ id, requirement, level, title }: Check) => ({ id, requirement, level, title });

/** Puts an outcome together with what the check took, from now on. */
export function concluding({ host, lane, session }: RunContext, check: Check) {
  const began = host.now();
  const sentBefore = lane.sent;
  return ({ lost = false, stopped, verdict, skip, ...rest }: Decided, tried?: Attempt): Done => ({
    rows: [
      {
        ...headOf(check),
        verdict,
        duration: Math.round(host.now() - began),
        requests: lane.sent - sentBefore,
        properties: tried?.properties ?? [],
        ...(skip === undefined ? {} : { skip: skipIn(skip, session.redactor) }),
        ...rest,
      },
    ],
    lost,
    ...(stopped === undefined ? {} : { stopped }),
  });
}

/** The verdict of an attempt that counts. */
export async function outcomeOf(run: RunContext, check: Check, tried: Attempt): Promise<Decided> {
  const { error, transcript } = tried;
  const found = (error: Finding): { verdict: Verdict; finding: FindingResult } => ({
    verdict: severity(check, run.driver, error.found),
    finding: reported(run, check, error, tried),
  });
  if (!('error' in tried)) return { verdict: 'pass' };
  if (error instanceof Stopped && error.finding !== undefined) return { ...found(error.finding), stopped: error.stop };
  if (error instanceof Stopped || run.signal.aborted)
    return ended(error instanceof Stopped ? error.stop : { kind: 'interrupted' });
  if (error instanceof Skipped) return skipped(error.skip);
  if (error instanceof Cancelled && run.session.slow)
    return skipped(lacking({ kind: 'too-slow', ms: run.settings.checkTimeout }).skip);
  if (!(error instanceof Finding))
    return { verdict: 'error', error: { ...recorded(faultOf(error), run.session.redactor), transcript } };
  if (error.found.of === ANSWER && missedSuccess(error.found)) run.obstacles.met('answers', check.id);
  const { verdict, finding } = found(error);
  const because = check.requirement === 'CHAT-10' ? undefined : outstays(run, error, tried);
  return { verdict, finding: because === undefined ? finding : { ...finding, because }, lost: isLost(error) };
}

/** Another cause of a finding: a run goes on although its client left longer ago than CHAT-10 allows. */
function outstays({ driver }: RunContext, { found }: Finding, { leftAgo }: Attempt): Remark | undefined {
  const busy = answerOf(found)?.reason === 'busy';
  const [ago] = driver.control === undefined && busy ? leftAgo.values() : [];
  return ago === undefined ? undefined : { kind: 'left', ago };
}

/**
 * Whether a breach fails the target or warns it. A broken stated sentence fails any target, whichever check sees it, and so does
 * what shows a secret.
 */
export function severity({ level }: Check, { target }: Driver, { breaks, leak }: Found): Verdict {
  const published = leak !== true && (breaks?.level ?? level) === 'P';
  return published && !target.profile.published ? 'warn' : 'fail';
}
