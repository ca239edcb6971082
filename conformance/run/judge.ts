import type { Driver } from '../drivers/driver.js';
import { answerOf, Finding, type Found, isProven, missedSuccess, type Remark } from '../model/finding.js';
import {
  Cancelled,
  lacking,
  type Obstacle,
  type ObstacleSeen,
  type SkipKind,
  Skipped,
  Stopped,
} from '../model/skip.js';
import { ANSWER } from '../probe/request.js';
import { type Attempt, attempt } from './attempt.js';
import type { Check } from './check.js';
import { foundIn, recorded, reported, skipIn } from './finding.js';
import type { Obstacles } from './pool.js';
import type { FindingResult, Verdict } from './results.js';
import type { RunContext } from './session.js';
import { type Decided, ended, isLost, type Look, lookTwice, mayBeTaken, skipped, visitOf } from './twice.js';
import { type Done, faultOf, type UnitContext } from './units.js';

/** Kinds of skips that concurrent checks cannot cause. */
const SETTLED: ReadonlySet<SkipKind> = new Set(['need', 'intern', 'blocked', 'stopped']);

/** Whether one occurrence counts: the finding harms others, or it ended the run. */
const provesItself = (error: unknown): boolean =>
  error instanceof Finding ? isProven(error.found) : error instanceof Stopped && error.finding !== undefined;

/**
 * Does one check. Beside others only a pass counts, and a skip that the others cannot cause. Otherwise the check is done again alone.
 *
 * @throws Stopped where the run is over before the check is alone
 */
export async function judgeCheck(
  run: RunContext,
  check: Check,
  { alone, together }: Pick<UnitContext, 'alone' | 'together'>,
): Promise<Done> {
  const { pool, lane, session, settings } = run;
  const { minRuns: least = 0 } = check;
  const { runs } = settings;
  if (runs < least) return concluding(run, check)(skipped(lacking({ kind: 'runs', least, runs }).skip));
  let before: Finding | undefined;
  if (together) {
    const conclude = concluding(run, check);
    const tried = await tryOnce(run, check, { beside: true });
    const { counts, error } = tried;
    const proven = provesItself(error);
    if (proven) counts?.();
    const settled = error instanceof Skipped && SETTLED.has(error.skip.kind) && !mayBeTaken(run, error);
    if (!('error' in tried) || proven || settled) return conclude(await outcomeOf(run, check, tried), tried);
    before = error instanceof Finding ? error : undefined;
    if (before !== undefined) session.suspected.add(check.id);
    // The shared interns may be the cause.
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
  const note = reported(run, check, other.error, other);
  return conclude({ ...outcome, ...(finding && { finding: { ...finding, others } }), note }, tried);
}

/** One attempt, in each wording that is left. A blocker stops other checks only once the attempt `counts`. */
async function tryOnce(run: RunContext, check: Check, how: Parameters<typeof attempt>[2]): Promise<Look> {
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
    if (!reworded(run, tried)) return { ...tried, counts };
    met.clear();
  }
}

/** Whether the intern never followed the prompt in this run, and another wording is left to try. */
function reworded({ driver, session }: RunContext, { error, led }: Attempt): boolean {
  if (!(error instanceof Skipped) || error.skip.kind !== 'intern') return false;
  return [...led].some(
    (behaviour) => (session.learnt.led.get(behaviour)?.did ?? 0) === 0 && driver.reword?.(behaviour) === true,
  );
}

/** The row of a check before it runs. */
export const headOf = ({ id, requirement, level, title }: Check) => ({ id, requirement, level, title });

/** Makes results of a check from outcomes. Its requests and time count from now on. */
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

/** A remark that another run may have caused a finding: its client left longer ago than CHAT-10 allows, and it still goes on. */
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
