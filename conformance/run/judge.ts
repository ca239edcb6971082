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
import { dropShared } from './pool.js';
import type { CheckResult, FindingResult, Verdict } from './results.js';
import type { RunContext } from './session.js';
import { type Done, faultOf, type Pending } from './unit.js';

/** Tries of a check alone. */
const TRIES = 3;

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

/**
 * Does one check beside others. A pass counts, and a skip that the others cannot have caused. Anything else is judged by
 * {@link runAlone}. Never throws.
 */
export async function runBeside(run: RunContext, check: Check): Promise<Done | Pending> {
  const conclude = concluding(run, check);
  const lacks = unmet(run, check);
  if (lacks !== undefined) return conclude(lacks);
  const { tried, counts } = await tryOnce(run, check, { beside: true });
  const { error } = tried;
  if (reworded(run, tried)) return {};
  const proven = provesItself(error);
  if (proven) counts();
  const settled = error instanceof Skipped && SETTLED.has(error.skip.kind) && !mayBeTaken(run, error);
  if (!('error' in tried) || proven || settled) return conclude(await outcomeOf(run, check, tried), tried);
  return { found: error instanceof Finding ? error : undefined };
}

/** One try. A blocker that it found stops no other check until it `counts`. */
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
  const tried = await attempt({ ...run, obstacles }, check, how);
  const counts = () => {
    for (const [obstacle, seen] of met) run.obstacles.met(obstacle, check.id, seen);
  };
  return { tried, counts };
}

/** A finding, and the attempt that came to it. */
interface Candidate {
  readonly error: Finding;
  readonly tried: Attempt;
}

/**
 * Does one check alone, and again where it finds something at a target that is not the run's own. The finding counts when
 * one run alone finds what a run before it found, and no habit of the target explains it. Never throws.
 *
 * @param before what the check found beside others
 */
export async function runAlone(run: RunContext, check: Check, before?: Finding): Promise<Done> {
  const { driver, host, session } = run;
  const conclude = concluding(run, check);
  const lacks = unmet(run, check);
  if (lacks !== undefined) return conclude(lacks);

  const ours = driver.control !== undefined;
  let excuse: Skip | undefined;
  const candidates: Candidate[] = [];
  const explained: Finding[] = [];
  if (before !== undefined) session.model.dealings.doubt();
  for (let tries = 1; ; ) {
    for (const habit of session.habits) await habit.prepare?.(visitOf(run)).catch(() => {});
    const began = host.now();
    const { tried, counts } = await tryOnce(run, check, {
      again: (candidates.at(-1)?.error ?? before)?.property,
    });
    const { error } = tried;
    if (reworded(run, tried)) continue;
    const concluded = async () => {
      counts();
      return conclude(await outcomeOf(run, check, tried), tried);
    };
    const { again, skip, learnt } = (await explanation(run, check, tried, { began, tries })) ?? {};
    const refused = session.unusable('api_key');
    if (refused !== undefined) return conclude(ended({ kind: 'unusable', credential: 'api_key', how: refused }), tried);
    excuse = skip ?? excuse;
    const last = tries === TRIES;
    if (again === undefined || last) {
      const why = again === undefined ? skip : excuse;
      if (why !== undefined) return conclude({ ...skipped(why), lost: isLost(error) }, tried);
      if (!(error instanceof Finding)) {
        const gone = notAgain(run, check, tried, candidates.at(-1));
        return gone === undefined ? concluded() : conclude(gone, tried);
      }
      const others = again === undefined ? [before ?? [], candidates.map((one) => one.error)].flat() : explained;
      const same = ({ found }: Finding) => isSame(found, error.found);
      const cameAgain = again === undefined ? others.some(same) : others.every(same);
      if (ours || isProven(error.found) || cameAgain) return concluded();
      const another = candidates.at(-1);
      if (again === undefined && another !== undefined) {
        counts();
        return conclude(wrongTwice(run, check, await outcomeOf(run, check, tried), another), tried);
      }
      if (last) return conclude(neverTheSame([...others, error]), tried);
    }
    if (error instanceof Finding && again === undefined) {
      candidates.push({ error, tried });
      // An earlier check may have left the shared intern in a state that makes this one fail.
      dropShared(run.pool, run.lane);
      session.model.dealings.doubt();
    } else if (error instanceof Finding) explained.push(error);
    await host.sleep((again ?? 0) * tries, run.signal).catch(() => {});
    if (learnt !== true) tries++;
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
  { began, tries }: { readonly began: number; readonly tries: number },
) {
  const { error } = tried;
  if (run.driver.control !== undefined) return undefined;
  if (!(error instanceof Finding)) return notTaken(run, tried, tries);
  if (isProven(error.found)) return undefined;
  return explain(run, check, tried, error, { began, at: run.host.now() }).catch((): Explanation => ({ again: LATER }));
}

/** Whether the target gave no answer. */
const isLost = (error: unknown): boolean => error instanceof Finding && noAnswerOf(error.found) !== undefined;

/** A defect shows again with the same request. Findings that differ each time say nothing. */
const neverTheSame = (findings: readonly Finding[]): Decided =>
  skipped(raced({ kind: 'never-the-same', found: findings.map(({ found }) => found) }).skip);

/** Two tries that both fail, each in its own way, are both reported. */
function wrongTwice(run: RunContext, check: Check, outcome: Decided, { error, tried }: Candidate): Decided {
  if (outcome.finding === undefined) return outcome;
  const others = [foundIn(error.found, run.session.redactor)];
  return { ...outcome, finding: { ...outcome.finding, others }, note: reported(run, check, error, tried) };
}

/** Nothing stands still on a live target: what does not come again may have been somebody else's doing. */
function notAgain(run: RunContext, check: Check, { error }: Attempt, seen: Candidate | undefined): Decided | undefined {
  if (seen === undefined) return undefined;
  const note = reported(run, check, seen.error, seen.tried);
  if (error instanceof Stopped || run.signal.aborted)
    return { ...ended(error instanceof Stopped ? error.stop : { kind: 'interrupted' }), note };
  // A limit leaves no room for a second look.
  if (error instanceof Skipped && error.skip.kind === 'stopped') return { ...skipped(error.skip), note };
  return { ...skipped(raced({ kind: 'not-again', found: seen.error.found }).skip), note };
}

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

/** The needs of a check that the run lacks, known without a request. */
function unmet({ settings: { runs } }: RunContext, { minRuns: least = 0 }: Check): Decided | undefined {
  return runs >= least ? undefined : skipped(lacking({ kind: 'runs', least, runs }).skip);
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
