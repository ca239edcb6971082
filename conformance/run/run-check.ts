import type { Driver } from '../drivers/driver.js';
import type { Check } from '../framework/check.js';
import { answerOf, type Confirmed, Finding, missedSuccess, noAnswerOf } from '../framework/finding.js';
import { LONG } from '../framework/property.js';
import { lacking, raced, type Skip, type SkipKind, Skipped } from '../framework/skip.js';
import { Cancelled, type Stop, Stopped } from '../framework/stop.js';
import { ANSWER, type CredentialName, internPath } from '../probe/request.js';
import { type Attempt, attempt } from './attempt.js';
import { type Circumstance, circumstance, deleted, type Found, mayBeTaken, notTaken } from './circumstances.js';
import { fault, recorded, reported } from './finding.js';
import { likeness, placeOf } from './likeness.js';
import type { CheckResult, Verdict } from './results.js';
import { makeRoom, mayLackRoom } from './room.js';
import type { RunContext } from './run-context.js';
import { NOTICED } from './session.js';

/** What became of one check. */
export interface CheckRun {
  readonly result: CheckResult;
  /** The target gave no answer. */
  readonly lost: boolean;
  /** Why the run is over, where it is. */
  readonly stopped?: Stop;
}

/** What a check found while others were at work. */
export interface Suspected {
  readonly error: Finding;
  readonly tried: Attempt;
  /** Whether it took longer than is done a third time. */
  readonly long: boolean;
  readonly met: readonly Met[];
}

/** What a check found to be in the way of others. */
type Met = Parameters<RunContext['obstacles']['met']>;

/** What is to be looked at alone: what a check found while others were at work, where it found anything. */
export interface Suspicion {
  readonly result?: never;
  readonly suspicion?: Suspected;
}

/** How often a check is tried where what it found may come from elsewhere. */
const TRIES = 3;

/** Why a check came to no verdict that has nothing to do with what others were doing. */
const BELIEVED: ReadonlySet<SkipKind> = new Set(['need', 'intern', 'blocked']);

/** What of a result an outcome decides. */
type Outcome = Pick<CheckResult, 'verdict'> & Partial<CheckResult> & { lost?: boolean; stopped?: Stop };

const skipped = (skip: Skip): Outcome => ({ verdict: 'skip', skip });
const ended = (stop: Stop): Outcome => ({
  ...skipped({ kind: 'stopped', because: { kind: 'over', stop } }),
  stopped: stop,
});

/** How often a finding of a check came again, where that is known. */
const confirmedOf = ({ more }: Finding): Confirmed | undefined => {
  if (more.certain === true) return TWICE;
  return more.property === undefined ? more.confirmed : undefined;
};

/**
 * What stands behind a finding on a deployment: nothing, where the check itself has seen it more than once. Looked at over
 * the network: what it meets there is not the check's.
 */
async function behind(
  run: RunContext,
  check: Check,
  tried: Attempt,
  { tries, ...more }: Pick<Found, 'began' | 'inCompany'> & { readonly tries: number },
): Promise<Circumstance | undefined> {
  const { error } = tried;
  if (run.driver.control !== undefined) return undefined;
  if (!(error instanceof Finding)) return notTaken(run, tried, tries);
  // That two interns looked at beside each other are gone, others may have done; how a reply arrives, they have not.
  const gone = answerOf(error.found)?.status === 404;
  if (confirmedOf(error) !== undefined && !gone) return undefined;
  const look = confirmedOf(error) === undefined ? circumstance : deleted;
  return look({ run, check, tried, error, ...more }).catch(() => undefined);
}

/**
 * Does one check against the target and evaluates what came out of it. `suspicion` is what it found while others were at
 * work. Never throws.
 */
export async function runCheck(run: RunContext, check: Check, suspicion?: Suspected): Promise<CheckRun> {
  const { host, pool, session } = run;
  const told = telling(run, check);
  const lacks = unmet(run, check);
  if (lacks !== undefined) return told(lacks);
  // Another has found the same since, which took as long.
  if (suspicion?.long === true && pool.told.has(likeness(suspicion.error.found)))
    return told(
      await sure(run, check, suspicion, () => outcomeOf(run, check, suspicion.tried, TWICE)),
      suspicion.tried,
    );

  let excuse: Skip | undefined;
  const found: Finding[] = [];
  for (let tries = 1; ; ) {
    if (session.full !== undefined) await makeRoom(run).catch(() => {});
    const began = host.now();
    const tried = await attempt(run, check);
    const { error } = tried;
    // What takes long, or was found alone of others, and came in company and alone, came twice.
    const twice =
      suspicion !== undefined && error instanceof Finding && likeness(suspicion.error.found) === likeness(error.found);
    const enough = twice && (host.now() - began > LONG || pool.told.has(likeness(error.found)));
    const confirmed = enough && !wasRepeated(error) ? TWICE : undefined;
    const { again, skip, learnt } = (await behind(run, check, tried, { began, tries })) ?? {};
    const refused = session.unusable('api_key');
    if (refused !== undefined) return told(ended({ kind: 'unusable', credential: 'api_key', how: refused }), tried);
    if (again !== undefined && error instanceof Finding) found.push(error);
    excuse = skip ?? excuse;
    if (again === undefined || tries === TRIES) {
      const why = again === undefined ? skip : (excuse ?? neverTheSame(found));
      return told(
        why === undefined ? await outcomeOf(run, check, tried, confirmed) : { ...skipped(why), lost: isLost(error) },
        tried,
      );
    }
    await host.sleep(again * tries, run.signal).catch(() => {});
    if (learnt !== true) tries++;
  }
}

/** Whether the target gave no answer. */
const isLost = (error: unknown): boolean => error instanceof Finding && noAnswerOf(error.found) !== undefined;

/**
 * Why findings that may each come from elsewhere say nothing: they came at another request each time. What a service does
 * wrong with one request, it does again.
 */
function neverTheSame(findings: readonly Finding[]): Skip | undefined {
  const last = findings.at(-1);
  if (last === undefined || findings.every(sameAs(last))) return undefined;
  return raced({ kind: 'never-the-same', found: findings.map(({ found }) => found) }).skip;
}

/** Whether two findings are of the same request, and neither is one of a property that did not come again. */
const sameAs = (error: Finding) => (other: Finding) => {
  const { tries = 0, failures = 0 } = other.more.property === undefined ? {} : (other.more.confirmed ?? {});
  return placeOf(other.found) === placeOf(error.found) && failures >= tries;
};

/** Whether a property has repeated what it found, value by value. */
const wasRepeated = (error: unknown): error is Finding =>
  error instanceof Finding && error.more.property !== undefined && (error.more.confirmed?.tries ?? 0) > 0;

/** A finding that came again. */
const TWICE: Confirmed = { tries: 1, failures: 1 };
/** Whether it need not be looked at alone, whatever others were doing. */
const isCertain = (error: unknown): boolean =>
  (error instanceof Finding && error.more.certain === true) ||
  (error instanceof Stopped && error.finding !== undefined);
/** What another check may cause that is done at the same time: it says nothing that it was found of another alone. */
function isByOthers({ found }: Finding): boolean {
  const status = answerOf(found)?.status ?? 0;
  return status === 409 || status === 429 || status >= 500;
}

/**
 * Whether what a check found in company is what others found alone, twice over, and it finds it again: then it has not to be
 * looked at alone.
 */
async function known(run: RunContext, check: Check, tried: Attempt, began: number): Promise<Outcome | undefined> {
  const { error } = tried;
  if (!(error instanceof Finding) || isLost(error) || run.driver.control !== undefined) return undefined;
  const like = likeness(error.found);
  if (!run.pool.told.has(like) || isByOthers(error)) return undefined;
  // Room is made by taking interns away, and others are at work with theirs.
  if (mayLackRoom(run, tried)) return undefined;
  if ((await behind(run, check, tried, { began, tries: 1, inCompany: true })) !== undefined) return undefined;
  if (wasRepeated(error)) return outcomeOf(run, check, tried);
  const again = await attempt(run, check);
  const same = again.error instanceof Finding && likeness(again.error.found) === like;
  return same ? outcomeOf(run, check, tried, TWICE) : undefined;
}

/**
 * Whether what a check found in company is sure although it was not looked at alone: where it took long, and came twice, of
 * two checks or of two interns of one, each with interns of its own, and is nothing that the others can cause.
 */
async function cameTwice(run: RunContext, check: Check, tried: Attempt, began: number): Promise<Outcome | undefined> {
  const { host, pool } = run;
  const { error } = tried;
  if (!(error instanceof Finding) || isLost(error) || run.driver.control !== undefined) return undefined;
  if (host.now() - began <= LONG || mayLackRoom(run, tried)) return undefined;
  const itself = (confirmedOf(error)?.failures ?? 0) > 0;
  const like = likeness(error.found);
  if (!itself && (!pool.suspected.has(like) || isByOthers(error))) {
    pool.suspected.add(like);
    return undefined;
  }
  if ((await behind(run, check, tried, { began, tries: 1, inCompany: true })) !== undefined) return undefined;
  return outcomeOf(run, check, tried, TWICE);
}

/** What becomes of a check that was in company: where what it met is told by others, it is blocked, else it tells of it. */
async function sure<Some extends Outcome | undefined>(
  { obstacles }: RunContext,
  check: Check,
  { met }: Pick<Suspected, 'met'>,
  decide: () => Promise<Some>,
): Promise<Some | Outcome> {
  const outcome = await decide();
  if (outcome?.finding === undefined) return outcome;
  try {
    for (const [obstacle] of met) obstacles.pass(obstacle, check.id);
  } catch (error) {
    if (error instanceof Skipped) return skipped(error.skip);
    throw error;
  }
  for (const it of met) obstacles.met(...it);
  return outcome;
}

/**
 * Does one check while other lanes do theirs, and believes only what those cannot have caused: that it passes, that the
 * target lacks something, that the intern did something else than it was asked for, that it finds again what was found of
 * others alone. The rest has to be looked at alone. Never throws.
 */
export async function runInCompany(run: RunContext, check: Check): Promise<CheckRun | Suspicion> {
  const told = telling(run, check);
  const lacks = unmet(run, check);
  if (lacks !== undefined) return told(lacks);
  const { host } = run;
  const began = host.now();
  // What is in the way it tells when it is sure.
  const met: Met[] = [];
  const beside = { ...run, obstacles: { ...run.obstacles, met: (...it: Met) => void met.push(it) } };
  const tried = await attempt(beside, check);
  const { error } = tried;
  const why = error instanceof Skipped && !mayBeTaken(run, error) ? error.skip.kind : undefined;
  const believed = !('error' in tried) || isCertain(error) || (why !== undefined && BELIEVED.has(why));
  const long = host.now() - began > LONG;
  const outcome = believed
    ? await outcomeOf(run, check, tried)
    : await sure(
        run,
        check,
        { met },
        async () => (await cameTwice(beside, check, tried, began)) ?? (await known(beside, check, tried, began)),
      );
  if (outcome !== undefined && outcome.skip?.kind !== 'race') return told(outcome, tried);
  return error instanceof Finding ? { suspicion: { error, tried, long, met } } : {};
}

/** Puts an outcome together with what the check took, from now on. */
function telling({ host, lane, session }: RunContext, check: Check) {
  const began = host.now();
  const sentBefore = lane.sent;
  return ({ lost = false, stopped, verdict, skip, ...rest }: Outcome, tried?: Attempt): CheckRun => ({
    result: {
      id: check.id,
      requirement: check.requirement,
      level: check.level,
      title: check.title,
      verdict,
      duration: Math.round(host.now() - began),
      requests: lane.sent - sentBefore,
      properties: tried?.properties ?? [],
      ...(skip === undefined ? {} : { skip: recorded(skip, session.redactor) }),
      ...rest,
    },
    lost,
    ...(stopped === undefined ? {} : { stopped }),
  });
}

/** What the target or the run lacks for the check, known without a request. */
function unmet({ driver, session, settings }: RunContext, check: Check): Outcome | undefined {
  for (const need of check.level === 'C' ? (['control', ...check.needs] as const) : check.needs) {
    const lack = driver.lacks(need);
    if (lack !== undefined) return skipped({ kind: 'need', because: lack });
    const how = session.unusable(need);
    if (how !== undefined) return skipped(lacking({ kind: 'unusable', credential: need as CredentialName, how }).skip);
  }
  const { minRuns: least = 0 } = check;
  return settings.runs >= least ? undefined : skipped(lacking({ kind: 'runs', least, runs: settings.runs }).skip);
}

/** What an attempt means for the target. */
async function outcomeOf(run: RunContext, check: Check, tried: Attempt, known?: Confirmed): Promise<Outcome> {
  const { redactor } = run.session;
  const { error, transcript } = tried;
  if (!('error' in tried)) return { verdict: 'pass' };
  if (error instanceof Stopped && error.finding !== undefined)
    return { ...found(run, check, error.finding, tried, TWICE), stopped: error.stop };
  if (error instanceof Stopped || run.signal.aborted)
    return ended(error instanceof Stopped ? error.stop : { kind: 'interrupted' });
  if (error instanceof Skipped) return skipped(error.skip);
  if (error instanceof Cancelled && run.session.slow)
    return skipped(lacking({ kind: 'too-slow', ms: run.settings.checkTimeout }).skip);
  if (!(error instanceof Finding)) return { verdict: 'error', error: fault(error, transcript, redactor) };

  if (run.driver.control === undefined && confirmedOf(error) === undefined) {
    const moved = stillStreams(error, tried) ?? (await moves(run));
    if (moved !== undefined) return skipped(moved);
  }
  const ago = check.requirement === 'CHAT-10' ? undefined : outstays(run, error, tried);
  const confirmed = known ?? (await confirm(run, check, error));
  const { finding, verdict } = found(run, check, error, tried, confirmed);
  const because = ago === undefined ? {} : { because: { kind: 'left', ago } as const };
  const lost = isLost(error);
  if (run.driver.control === undefined && finding.flaky) {
    // Nothing stands still on a live target: what does not come again may have been somebody else's doing.
    return { ...skipped(raced({ kind: 'not-again', found: error.found }).skip), note: finding };
  }
  if (confirmed.tries > 0) run.pool.told.add(likeness(error.found));
  if (error.found.of === ANSWER && missedSuccess(error.found)) run.obstacles.met('answers', check.id);
  return { verdict, finding: { ...finding, ...because }, lost };
}

const found = (run: RunContext, check: Check, error: Finding, tried: Attempt, confirmed: Confirmed) => ({
  verdict: severity(check, run.driver),
  finding: reported(run, check, error, tried, confirmed),
});

/** Whether an intern was busy. */
const isBusy = ({ found }: Finding): boolean => {
  const { status, reason } = answerOf(found) ?? {};
  return status === 409 && reason === 'busy';
};

/**
 * Why a finding says nothing: the intern was busy, and a client of the run has left a stream of it so short a time ago that
 * its run may still be going (CHAT-10).
 */
function stillStreams(error: Finding, { leftAgo }: Attempt): Skip | undefined {
  const lately = isBusy(error) && [...leftAgo.values()].some((ago) => ago < NOTICED);
  return lately ? raced({ kind: 'still-streams' }).skip : undefined;
}

/** What else a finding may come from: a run goes on although its client has left longer ago (ms) than CHAT-10 allows. */
function outstays({ driver }: RunContext, error: Finding, { leftAgo }: Attempt): number | undefined {
  return driver.control === undefined && isBusy(error) ? [...leftAgo.values()][0] : undefined;
}

/** Why a finding says nothing: an intern that the check uses runs no more, and nobody here stopped it. */
async function moves({ lane, pool, session }: RunContext): Promise<Skip | undefined> {
  const { conditions, running } = session;
  for (const id of [...lane.made, pool.shared.get(lane)?.id ?? []].flat()) {
    if (conditions.runs(id)) await running.send({ path: internPath(id) }).catch(() => undefined);
    const status = conditions.went(id);
    if (status !== undefined) return raced({ kind: 'went', status }).skip;
  }
  return undefined;
}

/** How often a check is repeated where its repetitions find something that may come from elsewhere. */
const REPEATS = 3;

/** Repeats a check that found something. What a property found was already repeated, value by value. */
async function confirm(run: RunContext, check: Check, error: Finding): Promise<Confirmed> {
  if (wasRepeated(error) && error.more.confirmed !== undefined) return error.more.confirmed;
  const known = confirmedOf(error);
  if (known !== undefined) return known;
  if (noAnswerOf(error.found)?.kind === 'timeout') return { tries: 0, failures: 0 };
  for (let repeats = 1; ; repeats++) {
    await run.driver.restore().catch(() => {});
    const began = run.host.now();
    const again = await attempt(run, check);
    if (again.error instanceof Stopped) return { tries: 0, failures: 0 };
    if (!(again.error instanceof Finding)) return { tries: 1, failures: 0 };
    // The same again; or another, that comes from nowhere else.
    const same = placeOf(again.error.found) === placeOf(error.found);
    if (same || (await behind(run, check, again, { began, tries: 1 })) === undefined) return TWICE;
    if (repeats === REPEATS) return { tries: 1, failures: 0 };
  }
}

/** Whether a breach fails the target or warns it. */
function severity(check: Check, { target }: Driver): Verdict {
  if (check.level === 'P' && !target.profile.published) return 'warn';
  if (check.onLive === 'warn' && target.kind === 'live') return 'warn';
  return 'fail';
}
