import type { Check } from '../framework/check.js';
import { answerOf, Finding, isProven, missedSuccess, noAnswerOf } from '../framework/finding.js';
import { Skipped, stoppedBy } from '../framework/skip.js';
import { Stopped } from '../framework/stop.js';
import { type Explanation, LATER, type Sighting, type Tried, type Visit } from '../habits/visit.js';
import { bodyOf, type ShownExchange, senderOf } from '../probe/evidence.js';
import { type CredentialName, internIn, internPath, type Send } from '../probe/request.js';
import type { Attempt } from './attempt.js';
import { look, removeInterns } from './cleanup.js';
import type { RunContext } from './session.js';

/** A run, as habits see it. */
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
      if (own.unanswered()) await look({ own, send: running.send }, 'api_key');
    },
    gone: (id) => own.note({ event: 'gone', id }),
    inHand: lane.made,
    shared: () => pool.of('shared', lane).at(-1)?.id,
    kept: pool.kept,
    keep: (most) => pool.keepFewer(most),
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
    path: url.replace(/^.*?\/api\/v\d+(?=\/)/, '').replace(/[?#].*$/s, ''),
    id: internIn(url),
    sent: body,
    bytes: bytes ?? body?.length ?? 0,
    as: senderOf(exchange) as CredentialName | undefined,
    status: exchange.response?.status,
    text: bodyOf(exchange),
  };
};

/**
 * Explains a finding by the habits of the target: the principle is that a finding rests on what the interface states, and
 * that whatever else it needs is observed. Undefined where none explains it.
 */
async function explain(
  run: RunContext,
  check: Check,
  { leftAgo, transcript }: Pick<Attempt, 'leftAgo' | 'transcript'>,
  { found }: Finding,
  { began, at }: Pick<Sighting, 'began' | 'at'>,
): Promise<Explanation | undefined> {
  const silence = noAnswerOf(found);
  const sighting: Sighting = {
    found,
    got: answerOf(found),
    silence,
    missedSuccess: missedSuccess(found),
    check,
    seen: transcript.map(seenIn),
    began,
    at,
    leftAgo,
  };
  const visit = visitOf(run);
  let perhaps: Explanation | undefined;
  for (const habit of run.session.habits) {
    // An intern that does not answer is not asked whether it is late.
    if (silence !== undefined && habit.silent !== true) continue;
    const explanation = await habit.explains?.(sighting, visit);
    if (explanation?.perhaps !== true && explanation !== undefined) return explanation;
    perhaps ??= explanation;
  }
  return perhaps;
}

/** How many checks are tried again whose prompt was not taken: where that does not help, it will not help the others. */
const ENOUGH = 3;

/** Whether a prompt that was not taken (502, 503, 504), by the intern or by what stands before it, may be taken the next time. */
export const mayBeTaken = ({ session }: RunContext, error: unknown): boolean =>
  error instanceof Skipped && error.skip.because.kind === 'prompt-not-taken' && session.learnt.notTaken < ENOUGH;

/** Such a check is done once more, from its beginning and on another intern: the run may have begun all the same. */
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
 * Finds a habit of the target that explains the outcome of a check. Looked at over the network: where that fails nobody knows yet, and the
 * check is tried again.
 */
export async function explanation(
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
