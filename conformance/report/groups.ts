import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import { answerOf, type Mistake, missedRefusal, missedSuccess } from '../model/finding.js';
import type { Skip } from '../model/skip.js';
import { behaviourIn, waitIn } from '../model/target.js';
import { bodyOf, operationOf, senderOf } from '../probe/evidence.js';
import { jsonOf } from '../probe/json.js';
import { ANSWER } from '../probe/request.js';
import type { CheckResult, FindingResult } from '../run/results.js';
import { keyOf, sharedTitle } from './title.js';
import { labelOf, nounOf } from './words/legend.js';
import { familyWords, type SkipText, skipWords } from './words/skip.js';

/** A common cause of different findings. */
interface Cause {
  /** Findings with one key have this cause in common. */
  readonly key: string;
  /** The cause in one line, if no finding says it. */
  readonly title?: string;
  /** Whether the finding states the cause itself. Other findings only follow from it. */
  readonly itself: boolean;
}

/** The check that a session's id leads back to it. If it fails, findings in sessions follow from that. */
const SESSIONS = 'chat-sessions/continue';

/** The last exchange of a check: operation, caller and answer, such as `404 not_found`. */
interface LastExchange {
  readonly of: string;
  readonly as: string | undefined;
  readonly status: number;
  readonly with: string;
}

function endingOf(check: CheckResult): LastExchange | undefined {
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
 * The wrong ending of a check, in words that other checks may share: a refusal where a success was due, or a success for a
 * caller who must be refused.
 */
function sameEnding({ finding }: CheckResult, ending: LastExchange | undefined): string | undefined {
  if (finding === undefined || ending === undefined || answerOf(finding)?.status !== ending.status) return undefined;
  const { of, as, status, with: how } = ending;
  const refused = status >= 400 && missedSuccess(finding);
  const taken = status < 300 && missedRefusal(finding) && as !== undefined && as !== 'api_key';
  if (refused) return `${of} is answered ${how}`;
  return taken ? `${of} is taken from ${as}` : undefined;
}

/** A refusal that contradicts what was seen before: `409 busy although no run of the intern streams`. */
function contradiction(found: Mistake): string | undefined {
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
 * The cause of a finding about a client. `torn`: it reads each piece of a body by itself, which shows in many ways. Else the
 * cause is the rule that it breaks.
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
 * The causes that findings share:
 *
 * - An operation that never succeeds, and answers valid requests in the same way, such as `404 not_found`.
 * - A refusal that contradicts earlier exchanges (`409 busy although no run streams`), whatever the request.
 * - Requests that are refused in the same way, or accepted from the same caller.
 * - A session's id that does not lead back to the session.
 */
export function causesOf(checks: readonly CheckResult[]): ReadonlyMap<CheckResult, Cause> {
  const found = checks.filter(({ finding }) => finding !== undefined);
  const succeeded = new Set(
    found.flatMap(({ finding }) =>
      (finding?.transcript ?? []).filter(({ response }) => (response?.status ?? 500) < 300).map(operationOf),
    ),
  );
  // Computed once, because each ending parses a body.
  const endings = new Map(found.map((check) => [check, endingOf(check)]));
  const refusal = (check: CheckResult): LastExchange | undefined => {
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

/** Checks with the same finding, or with findings of one cause. */
export interface FindingGroup {
  /** The mistake in one line: `the second create is answered 200, expected 201`. Of several, their common part. */
  readonly title: string;
  /** The number of checks, by verdict if these differ: `36 checks (12 fail, 24 warn)`. */
  readonly many: string;
  /** The worst first: short reports show it alone. */
  readonly checks: readonly [CheckResult, ...CheckResult[]];
  /** The sentences of the group, each with its checks. The others follow from the first. */
  readonly parts: readonly [SameChecks, ...SameChecks[]];
}

interface SameChecks {
  readonly title: string;
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

const RANK = ['fail', 'error', 'warn', 'new', 'known'] as const;
const rank = (check: CheckResult) => RANK.indexOf(labelOf(check) as (typeof RANK)[number]);

/** 1 if a check broke a requirement other than its own. */
const strays = ({ finding }: CheckResult): number => (finding?.breaks === undefined ? 0 : 1);

/** `36 checks (12 fail, 24 warn)`. */
function count(members: readonly CheckResult[]): string {
  const by = RANK.map((name, at) => ({ name, count: members.filter((check) => rank(check) === at).length }));
  const there = by.filter(({ count: many }) => many > 0);
  const split = there.length > 1 ? ` (${there.map(({ name, count: many }) => `${many} ${name}`).join(', ')})` : '';
  const [first] = members;
  return `${counted(members.length, first === undefined ? 'check' : nounOf(first))}${split}`;
}

/** Causes with different findings. Equal findings are grouped anyway. */
function distinct(causes: ReadonlyMap<CheckResult, Cause>): ReadonlyMap<CheckResult, Cause> {
  const behind = byKey(causes, ([, { key }]) => key);
  const saidBy = ({ key }: Cause) => new Set(behind.get(key)?.map(([check]) => keyOf(check)));
  return new Map([...causes].filter(([, cause]) => saidBy(cause).size > 1));
}

/**
 * Groups findings that are equal or share a cause: failures first, then warnings, then known ones. Among these, the largest
 * group comes first.
 */
export function groups(checks: readonly CheckResult[]): FindingGroup[] {
  const found = checks.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'error');
  const causes = distinct(causesOf(found));
  const follows = (check: CheckResult) => (causes.get(check)?.itself === false ? 1 : 0);
  const whole = (check: CheckResult) =>
    `${check.known === true || check.new === true ? labelOf(check) : ''} ${causes.get(check)?.key ?? keyOf(check)}`;
  const all = [...byKey(found, whole).values()]
    .map((members): FindingGroup => {
      // The title is the cause if one is known, else the sentence of the checks of the broken row.
      members.sort(
        (one, other) => follows(one) - follows(other) || rank(one) - rank(other) || strays(one) - strays(other),
      );
      const parts = [...byKey(members, keyOf).values()].map((part) => ({ title: sharedTitle(part), checks: part }));
      const [first = { title: sharedTitle(members), checks: members }, ...others] = parts;
      const cause = others.length === 0 ? undefined : causes.get(members[0])?.title;
      return { title: cause ?? first.title, many: count(members), checks: members, parts: [first, ...others] };
    })
    .map((group) => ({ group, worst: worst(group) }))
    .sort((one, other) => one.worst - other.worst || other.group.checks.length - one.group.checks.length)
    .map(({ group }) => group);
  const titled = byKey(all, ({ title }) => title);
  // Groups of different rules with equal titles name their rule.
  return all.map((group) => {
    const { clause } = group.checks[0];
    const alone = clause === undefined || titled.get(group.title)?.length === 1;
    return alone ? group : { ...group, title: `${group.title} (${clause.sentence})` };
  });
}

const worst = ({ checks }: FindingGroup): number =>
  checks.reduce<number>((least, check) => Math.min(least, rank(check)), RANK.length);

/** Checks that were skipped for one reason. */
interface SkipGroup extends SkipText {
  readonly kind: Skip['kind'];
  readonly ids: readonly string[];
}

/** The key by which skips are grouped: waits of any length, prompts of any kind, else the same need. */
function familyOf(skip: Skip): string {
  const { because } = skip;
  if (because.kind !== 'lacks') return skipWords(skip).need;
  if (waitIn(because.need) !== undefined) return 'slow';
  return behaviourIn(because.need) === undefined ? because.need : 'behaviour';
}

/** Groups skips by the missing need, or by what the intern did instead. The largest group comes first. */
export function skips(checks: readonly CheckResult[]): SkipGroup[] {
  const skipped = checks.flatMap(({ id, skip }) => (skip === undefined ? [] : [{ id, skip }]));
  return [...byKey(skipped, ({ skip }) => familyOf(skip)).values()]
    .map(([first, ...others]) => ({
      kind: first.skip.kind,
      ...familyWords([first.skip, ...others.map(({ skip }) => skip)]),
      ids: [first, ...others].map(({ id }) => id),
    }))
    .sort((one, other) => other.ids.length - one.ids.length);
}
