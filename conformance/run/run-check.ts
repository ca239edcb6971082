import type { Driver } from '../drivers/driver.js';
import { brief, Finding, Unmet } from '../framework/assert.js';
import type { Check } from '../framework/check.js';
import { Falsified } from '../framework/property.js';
import { NoAnswer } from '../probe/no-answer.js';
import { type Attempt, attempt } from './attempt.js';
import { type Confirmed, fault, reported } from './finding.js';
import type { CheckResult, Skip, Verdict } from './results.js';
import type { RunContext } from './run-context.js';
import { Stopped } from './stopped.js';

/** What became of one check. */
export interface CheckRun {
  readonly result: CheckResult;
  /** The target gave no answer. */
  readonly lost: boolean;
  /** Why the run is over, where it is. */
  readonly stopped?: string;
  /** Whether all that it began has ended: what it was handed is as it was. */
  readonly clean: boolean;
}

/** What of a result an outcome decides. */
type Outcome = Pick<CheckResult, 'verdict'> & Partial<CheckResult> & { lost?: boolean; stopped?: string };

const skipped = (need: string, why: string, kind: Skip['kind'] = 'need'): Outcome => ({
  verdict: 'skip',
  skip: { need, why, kind },
});

/** Does one check against the target and evaluates what came out of it. Never throws. */
export async function runCheck(run: RunContext, check: Check): Promise<CheckRun> {
  const { host, session } = run;
  const began = host.now();
  const sentBefore = session.client.sent;
  let tried: Attempt | undefined;
  const outcome = lacking(run, check) ?? (await evaluate());

  async function evaluate(): Promise<Outcome> {
    tried = await attempt(run, check);
    return outcomeOf(run, check, tried);
  }

  const { lost = false, stopped, verdict, ...rest } = outcome;
  return {
    result: {
      id: check.id,
      requirement: check.requirement,
      level: check.level,
      title: check.title,
      verdict,
      duration: Math.round(host.now() - began),
      requests: session.client.sent - sentBefore,
      properties: tried?.properties ?? [],
      ...rest,
    },
    lost,
    ...(stopped === undefined ? {} : { stopped }),
    clean: verdict === 'pass' || verdict === 'skip' ? (tried?.cutShort ?? 0) === 0 : false,
  };
}

/** What the target or the run lacks for the check, known without a request. */
function lacking({ driver, settings }: RunContext, check: Check): Outcome | undefined {
  for (const need of check.level === 'C' ? (['control', ...check.needs] as const) : check.needs) {
    const why = driver.lacks(need);
    if (why !== undefined) return skipped(need, why);
  }
  if (settings.runs >= (check.minRuns ?? 0)) return undefined;
  const allow = `--runs ${check.minRuns}`;
  return skipped(allow, `it takes too long for a run of ${settings.runs} per property; allow it with ${allow}`);
}

/** What an attempt means for the target. */
async function outcomeOf(run: RunContext, check: Check, tried: Attempt): Promise<Outcome> {
  const { redactor } = run.session;
  const { error, transcript } = tried;
  if (!('error' in tried)) return { verdict: 'pass' };
  if (error instanceof Stopped || run.signal.aborted) {
    const why = error instanceof Stopped ? error.message : 'interrupted';
    return { ...skipped('time and requests', why, 'stopped'), stopped: why };
  }
  if (error instanceof Unmet) return skipped(error.need, redactor.text(error.why), error.kind);
  if (!(error instanceof Finding)) return { verdict: 'error', error: fault(error, transcript, redactor) };

  const passing = run.driver.control === undefined ? temporary(error) : undefined;
  if (passing !== undefined) return skipped('an intern that takes prompts', redactor.text(passing), 'intern');
  const confirmed = await confirm(run, check, error);
  const finding = reported(run, check, error, tried, confirmed);
  const lost = (error.cause instanceof Finding ? error.cause : error) instanceof NoAnswer;
  if (run.driver.control === undefined && finding.flaky) {
    // Nothing stands still on a live target: what does not come again may have been somebody else's doing.
    const why = `${check.id} found it once and not again when repeated: ${finding.what}`;
    return { ...skipped('a finding that comes again', why, 'race'), note: finding };
  }
  return { verdict: severity(check, run.driver), finding, lost };
}

/**
 * Why a finding on a live target says nothing: a success was expected, and the answer was that the intern could not do it
 * now, or that there were too many requests.
 */
function temporary({ expected, actual }: Finding): string | undefined {
  const status = /^(429|502|503|504)\b/.exec(String(actual))?.[1];
  if (status === undefined) return undefined;
  const success = /^2\d\d$|event stream|success/.test([expected].flat().join(' '));
  return success || status === '429' ? `it could not do it now: ${brief(actual, 200)}` : undefined;
}

/** Repeats a check that found something. What a property found was already repeated, value by value. */
async function confirm(run: RunContext, check: Check, error: Finding): Promise<Confirmed> {
  if (error instanceof Falsified) return error.property.confirmed;
  if (error.confirmed !== undefined) return error.confirmed;
  if (error instanceof NoAnswer && error.kind === 'timeout') return { tries: 0, failures: 0 };
  await run.driver.restore().catch(() => {});
  const again = await attempt(run, check);
  if (again.error instanceof Stopped) return { tries: 0, failures: 0 };
  return { tries: 1, failures: again.error instanceof Finding ? 1 : 0 };
}

/** Whether a breach fails the target or warns it. */
function severity(check: Check, { target }: Driver): Verdict {
  if (check.level === 'P' && !target.profile.published) return 'warn';
  if (check.onLive === 'warn' && target.kind === 'live') return 'warn';
  return 'fail';
}
