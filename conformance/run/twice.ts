import { type Explanation, LATER, type Sighting, type Tried, type Visit } from '../habits/visit.js';
import {
  answerOf,
  type Constraint,
  Finding,
  type Found,
  isProven,
  missedSuccess,
  noAnswerOf,
} from '../model/finding.js';
import { raced, type Skip, Skipped, type Stop, Stopped, stoppedBy } from '../model/skip.js';
import { bodyOf, type ShownExchange, senderOf } from '../probe/evidence.js';
import { isOfGateway } from '../probe/gateway.js';
import { type CredentialName, internIn, internPath, pathIn, type Send } from '../probe/request.js';
import type { Attempt } from './attempt.js';
import type { Check } from './check.js';
import { look, removeInterns } from './cleanup.js';
import type { CheckResult } from './results.js';
import type { RunContext } from './session.js';

/** The view of a run that habits get. */
export function visitOf(run: RunContext): Visit {
  const { driver, host, lane, pool, session, settings, signal } = run;
  const { own, running } = session;
  const { target } = driver;
  return {
    target,
    readOnly: settings.readOnly,
    ...session.known,
    sleep: (ms) => host.sleep(ms, signal),
    send: (send: Send) => session.running.send(send),
    pathOf: internPath,
    creating(more = {}) {
      const renew = () => ({
        name: session.newName(),
        workspace_id: target.workspaceId,
        ...more,
      });
      return { method: 'POST', path: '/interns', json: renew(), renew };
    },
    created: own.count,
    made: own.open,
    async findLost() {
      if (own.hasUnanswered()) await look({ own, send: running.send }, 'api_key');
    },
    gone: (id) => own.note({ event: 'gone', id }),
    inHand: lane.made,
    shared: () => pool.of('shared', lane).at(-1)?.id,
    kept: pool.kept,
    keep: (most) => pool.keepFewer(most),
    doubtsReads: () => session.model.doubtsReads(host.now()),
    forget: () => pool.withhold(() => true),
    async takeAway(interns) {
      await removeInterns({ own, send: running.send }, interns);
      pool.idle.clear();
    },
    nobody(id) {
      session.own.madeUp(id);
      return id;
    },
    spoilt: (name, how) => session.spoilt(name, how),
  };
}

const seenIn = (exchange: ShownExchange): Tried => {
  const { method, url, body, bytes } = exchange.request;
  return {
    number: exchange.number,
    method,
    url,
    path: pathIn(url),
    id: internIn(url),
    sent: body,
    bytes: bytes ?? body?.length ?? 0,
    as: senderOf(exchange) as CredentialName | undefined,
    status: exchange.response?.status,
    text: bodyOf(exchange),
  };
};

/**
 * Explains a finding by the habits of the target. A finding rests only on what the interface states, and
 * on what was observed. Undefined where no habit explains it.
 */
async function explain(
  run: RunContext,
  check: Check,
  { about, leftAgo, transcript }: Look,
  { found }: Finding,
  when: Pick<Sighting, 'began' | 'at'>,
): Promise<Explanation | undefined> {
  const silence = noAnswerOf(found);
  const seen = transcript.map(seenIn);
  const shown = seen.find(({ number }) => number === found.exchange) ?? seen.at(-1);
  const sighting: Sighting = {
    found,
    got: answerOf(found),
    silence,
    missedSuccess: missedSuccess(found),
    check,
    seen,
    about: about ?? [shown?.id ?? []].flat(),
    ...when,
    leftAgo,
  };
  const usual = visitOf(run);
  let isHeard = true;
  const visit: Visit = {
    ...usual,
    async send(send) {
      const answer = await usual.send(send);
      if (isOfGateway(answer)) isHeard = false;
      return answer;
    },
  };
  let perhaps: Explanation | undefined;
  for (const habit of run.session.habits) {
    // Most habits cannot be confirmed at a target that does not answer.
    if (silence !== undefined && habit.silent !== true) continue;
    const explanation = await habit.explains?.(sighting, visit);
    if (explanation?.perhaps !== true && explanation !== undefined) return explanation;
    perhaps ??= explanation;
  }
  // A gateway that answered for the service leaves the question open.
  return perhaps ?? (isHeard ? undefined : { again: LATER });
}

/** After this many checks whose repeated prompt was refused, too, no more are repeated for that. */
const ENOUGH = 3;

/** Whether a prompt that was not taken (502, 503, 504) may be taken the next time. */
export const mayBeTaken = ({ session }: RunContext, error: unknown): boolean =>
  error instanceof Skipped && error.skip.because.kind === 'prompt-not-taken' && session.learnt.notTaken < ENOUGH;

/** Repeats such a check on another intern: the first may have begun a run nevertheless. */
function notTaken(run: RunContext, { error, transcript }: Attempt, tries: number): Explanation | undefined {
  if (!mayBeTaken(run, error)) return undefined;
  const { lane, pool, session } = run;
  if (tries > 1) {
    session.learnt.notTaken++;
    return undefined;
  }
  const [shared] = pool.of('shared', lane);
  if (transcript.some(({ request }) => internIn(request.url) === shared?.id)) pool.drop(lane, { foreign: false });
  return { again: LATER };
}

/**
 * Finds a habit of the target that explains the outcome of a check. It sends requests. If these fail, the check is tried again.
 */
async function explanation(
  run: RunContext,
  check: Check,
  look: Look,
  { tries, ...when }: Pick<Sighting, 'began' | 'at'> & { readonly tries: number },
): Promise<Explanation | undefined> {
  const { error } = look;
  if (run.driver.control !== undefined) return undefined;
  if (!(error instanceof Finding)) return notTaken(run, look, tries);
  if (isProven(error.found)) return undefined;
  return explain(run, check, look, error, when).catch((reason: unknown) => ({
    again: LATER,
    ...(reason instanceof Stopped ? { skip: stoppedBy(reason.stop) } : {}),
  }));
}

/** Most attempts at a check alone. */
const TRIES = 3;

/** The part of a result that an outcome decides. */
export type Decided = Pick<CheckResult, 'verdict'> & Partial<CheckResult> & { lost?: boolean; stopped?: Stop };

export const skipped = (skip: Skip): Decided => ({ verdict: 'skip', skip });
export const ended = (stop: Stop): Decided => ({
  ...skipped(stoppedBy(stop)),
  stopped: stop,
});

/** Whether the target gave no answer. */
export const isLost = (error: unknown): boolean => error instanceof Finding && noAnswerOf(error.found) !== undefined;

/** Values that differ between two looks at the same thing: ids, the kit's names, times, long numbers. */
const VALUE =
  /\/interns\/[^/?\s]+|[0-9a-f]{8}-[0-9a-f-]{27}|\bk[a-z0-9]{4}-[a-z0-9]+|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{5,}\b/gi;
const masked = (text: string): string => text.replace(VALUE, '…');

/** A rule without its values, which may be drawn anew. */
const fixed = (rule: Constraint): string => {
  if (rule.kind === 'form') return rule.form;
  return rule.kind === 'holds' ? rule.words : rule.kind;
};

/** A text that is equal for two findings of the same thing. */
function likeness({ wanted, of }: Found): string {
  switch (wanted.kind) {
    case 'status':
      return JSON.stringify([wanted, masked(of)]);
    case 'value':
      return masked(JSON.stringify(['value', fixed(wanted.rule), of]));
    default:
      return masked(JSON.stringify([wanted, of]));
  }
}

/** Whether two findings are about the same thing and expectation. Their values may differ. */
const isSame = (one: Found, other: Found): boolean => likeness(one) === likeness(other);

/** One look at the subject of a check: an attempt at the check, or a repeated request that broke a rule. */
export interface Look extends Attempt {
  /** The time of the finding, if an earlier exchange showed it. */
  readonly at?: number;
  /** Ids of the interns that the finding is about. Default: that of the path of its exchange. */
  readonly about?: readonly string[] | undefined;
  /** Whether no further look is possible. */
  readonly once?: boolean;
  /** Called when the outcome rests on this look. */
  counts?(): void;
}

/** A look that found something. */
type Sighted = Look & { readonly error: Finding };
const isSighted = (look: Look): look is Sighted => look.error instanceof Finding;

/**
 * Looks until the outcome is certain. At a deployment a finding counts when one look finds what
 * another found before it, and no habit of the target explains it. Never throws.
 *
 * @param look gets the finding to look at again
 * @param before earlier findings
 * @returns the look that the outcome rests on. `decided`: the outcome, if it differs from that of the look. `other`: an earlier
 *   look with a finding that this one lacks
 */
export async function lookTwice(
  run: RunContext,
  check: Check,
  look: (again: Finding | undefined) => Promise<Look>,
  before?: Finding,
): Promise<{ readonly tried: Look; readonly decided?: Decided; readonly other?: Sighted | undefined }> {
  const { driver, host, session } = run;
  const explained: Finding[] = [];
  const sighted: Sighted[] = [];
  let excuse: Skip | undefined;
  let waits: Look | undefined;
  for (let tries = 1; ; ) {
    const began = host.now();
    const other = sighted.at(-1);
    const tried: Look = waits ?? (await look(other?.error ?? before));
    const { at = host.now(), counts, error, once = false } = tried;
    const { again, skip, learnt } = (await explanation(run, check, tried, { began, at, tries })) ?? {};
    const refused = session.unusable('api_key');
    if (refused !== undefined)
      return { tried, decided: ended({ kind: 'unusable', credential: 'api_key', how: refused }) };
    excuse = skip ?? excuse;
    // A habit that needs time is asked again, with the same look if no further one is possible.
    waits = once && again !== undefined ? tried : undefined;
    const last = tries === TRIES || (once && again === undefined);
    if (again === undefined || last) {
      const why = again === undefined ? skip : excuse;
      if (why !== undefined) return { tried, decided: { ...skipped(why), lost: isLost(error) } };
      const others = again === undefined ? [before ?? [], sighted.map((one) => one.error)].flat() : explained;
      const same = ({ found }: Finding) => error instanceof Finding && isSame(found, error.found);
      // The same finding does not count as another.
      const cameAgain = again === undefined ? others.some(same) : others.every((one) => one !== error && same(one));
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
    if (isSighted(tried) && again === undefined) {
      sighted.push(tried);
      // An earlier check may have left the shared intern in a state that makes this one fail.
      run.pool.drop(run.lane, { foreign: false });
      session.model.dealings.doubt();
    } else if (error instanceof Finding) explained.push(error);
    await host.sleep((again ?? 0) * tries, run.signal).catch(() => {});
    if (learnt !== true) tries++;
  }
}

/** A finding that did not come again: somebody else may have caused it at a live target. */
function gone({ signal }: RunContext, { error }: Attempt, { error: { found } }: Sighted): Decided {
  if (error instanceof Stopped || signal.aborted)
    return ended(error instanceof Stopped ? error.stop : { kind: 'interrupted' });
  // A limit leaves no room for a second look.
  if (error instanceof Skipped && error.skip.kind === 'stopped') return skipped(error.skip);
  return skipped(raced({ kind: 'not-again', found }).skip);
}
