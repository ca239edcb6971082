import { answerOf, type Found, missedRefusal, missedSuccess } from '../framework/finding.js';
import { bodyOf, operationOf, senderOf } from '../probe/evidence.js';
import { jsonOf } from '../probe/json.js';
import { ANSWER } from '../probe/request.js';
import type { CheckResult, FindingResult } from '../run/results.js';

/** One cause of findings that say different things. */
export interface Cause {
  /** The same for all that it is behind. */
  readonly key: string;
  /** The cause in one line, where no finding says it. */
  readonly title?: string;
  /** Whether the finding says it itself, and is not one of those that follow from it. */
  readonly itself: boolean;
}

/** Whether the id of a session leads to it. Where it does not, requests in a session say nothing else. */
const SESSIONS = 'chat-sessions/continue';

/** The last exchange of a check: operation, caller and answer, such as `404 not_found`. */
interface Ending {
  readonly of: string;
  readonly as: string | undefined;
  readonly status: number;
  readonly with: string;
}

function endingOf(check: CheckResult): Ending | undefined {
  const last = check.finding?.transcript.at(-1);
  const status = last?.response?.status;
  if (last === undefined || status === undefined) return undefined;
  const { error } = (jsonOf(bodyOf(last)) ?? {}) as { error?: { metadata?: { reason?: unknown } } };
  const reason = error?.metadata?.reason;
  return {
    of: operationOf(last),
    as: senderOf(last),
    status,
    with: typeof reason === 'string' ? `${status} ${reason}` : `${status}`,
  };
}

/**
 * That the same request was answered in the same way that none of them should be: refused where a success was due, or taken
 * from who may not send it.
 */
function sameEnding({ finding }: CheckResult, ending: Ending | undefined): string | undefined {
  if (finding === undefined || ending === undefined || answerOf(finding)?.status !== ending.status) return undefined;
  const { of, as, status, with: how } = ending;
  const refused = status >= 400 && missedSuccess(finding);
  const taken = status < 300 && missedRefusal(finding) && as !== undefined && as !== 'api_key';
  if (refused) return `${of} is answered ${how}`;
  return taken ? `${of} is taken from ${as}` : undefined;
}

/** A refusal that contradicts what was seen before: `409 busy although no run of the intern streams`. */
function contradiction(found: Omit<Found, 'breaks'>): string | undefined {
  const { because } = found;
  if (because?.kind !== 'no-run-streams' && because?.kind !== 'names-the-question') return undefined;
  const { status, reason } = answerOf(found) ?? {};
  return `${status} ${reason} ${because.kind}`;
}

/** Whether the last request of a check was sent in a session. */
const inSession = ({ finding }: CheckResult): boolean =>
  typeof (jsonOf(finding?.transcript.at(-1)?.request.body ?? '') as { session_id?: unknown } | undefined)
    ?.session_id === 'string';

/**
 * The cause of a finding of a client: that it reads each piece of a body for itself, whatever that does to the result; else
 * the rule that it does not keep, in whatever way that shows.
 */
function mistakeBehind(
  { rule, sentence }: NonNullable<CheckResult['clause']>,
  { because, change }: FindingResult,
  torn: boolean,
): Cause | undefined {
  if (torn && (change?.kind === 'undecoded' || because?.kind === 'cut'))
    return { key: 'torn', itself: change?.kind === 'undecoded' };
  if (because?.kind === 'cut' || rule === undefined) return undefined;
  return { key: rule, itself: true, title: `a rule is not kept: ${sentence}` };
}

/**
 * The cause of each finding that shares it with others:
 *
 * - A request is refused whatever it says. Where a valid one was answered `404 not_found`, and none of its kind succeeded,
 *   that another is answered the same says no more.
 * - A refusal that contradicts what was seen (`409 busy although no run streams`), whatever it was the answer to.
 * - A request that is refused in the same way, or taken from the same caller, in checks that say so in words of their own.
 * - A session's id that does not lead back to the session: whatever was sent in one went elsewhere.
 */
export function causesOf(checks: readonly CheckResult[]): ReadonlyMap<CheckResult, Cause> {
  const found = checks.filter(({ finding }) => finding !== undefined);
  const succeeded = new Set(
    found.flatMap(({ finding }) =>
      (finding?.transcript ?? []).filter(({ response }) => (response?.status ?? 500) < 300).map(operationOf),
    ),
  );
  // Each reads two bodies.
  const endings = new Map(found.map((check) => [check, endingOf(check)]));
  const refusal = (check: CheckResult): Ending | undefined => {
    const ending = endings.get(check);
    return ending !== undefined && ending.status >= 400 ? ending : undefined;
  };
  const refused = new Map<string, string>();
  for (const check of found) {
    const { of, with: how } = refusal(check) ?? {};
    if (of === undefined || succeeded.has(of) || check.finding === undefined || !missedSuccess(check.finding)) continue;
    const key = `${of} is answered ${how}`;
    refused.set(key, contradiction(check.finding) ?? refused.get(key) ?? key);
  }
  const sessions = found.some(
    ({ id, finding }) => id === SESSIONS && finding?.wanted.kind === 'value' && finding.wanted.path === 'session_id',
  );

  const torn = found.some(({ finding }) => finding?.change?.kind === 'undecoded');

  const causeOf = (check: CheckResult): Cause | undefined => {
    const { finding } = check;
    if (finding === undefined) return undefined;
    if (check.clause !== undefined) return mistakeBehind(check.clause, finding, torn);
    if (sessions && (check.id === SESSIONS || inSession(check)))
      return { key: SESSIONS, itself: check.id === SESSIONS };
    const although = contradiction(finding);
    if (although !== undefined) return { key: although, itself: true };
    const { of, with: how } = refusal(check) ?? {};
    const answered = `${of} is answered ${how}`;
    const key = refused.get(answered);
    if (key === undefined) {
      const same = sameEnding(check, endings.get(check));
      return same === undefined ? undefined : { key: same, itself: true };
    }
    const itself = missedSuccess(finding);
    return of === ANSWER ? { key, itself } : { key, itself, title: `${answered}, whatever is sent` };
  };
  return new Map(
    found.flatMap((check) => {
      const cause = causeOf(check);
      return cause === undefined ? [] : [[check, cause] as const];
    }),
  );
}
