import { REQUIREMENTS } from '../requirements/index.js';
import type { CleanupResult } from '../safety/cleanup.js';
import { REACHED } from './circumstances.js';
import type { Pool } from './pool.js';
import type { CheckResult, Coverage, RequirementResult, Results, Skip, Verdict } from './results.js';

const WORST: readonly Verdict[] = ['fail', 'error', 'warn', 'pass-alternative', 'pass', 'skip'];

/** One row per requirement of the ledger, with the worst verdict of the checks that were selected, or that found it broken. */
export function matrix(checks: readonly CheckResult[]): RequirementResult[] {
  const byRequirement = new Map<string, CheckResult[]>();
  const add = (row: string, check: CheckResult) => byRequirement.set(row, [...(byRequirement.get(row) ?? []), check]);
  for (const check of checks) {
    const { breaks } = check.finding ?? {};
    if (breaks !== undefined) add(breaks, check);
    // Another one is broken, so of its own it could not tell.
    add(check.requirement, breaks === undefined ? check : { ...check, verdict: 'skip', known: false });
  }
  return REQUIREMENTS.map((row) => {
    const mine = byRequirement.get(row.id) ?? [];
    const worst = WORST.find((verdict) => mine.some((check) => check.verdict === verdict && check.known !== true));
    const excluded = 'excluded' in row ? row.excluded : undefined;
    return {
      id: row.id,
      level: row.level,
      sentence: row.sentence,
      where: row.where,
      ...(excluded === undefined ? {} : { excluded }),
      verdict: worst ?? (mine.length > 0 ? 'warn' : excluded === undefined ? 'none' : 'excluded'),
      checks: mine.map((check) => check.id),
    };
  });
}

export function count(checks: readonly CheckResult[]): Results['counts'] {
  const counts = { pass: 0, 'pass-alternative': 0, fail: 0, warn: 0, skip: 0, error: 0 };
  for (const check of checks) counts[check.verdict]++;
  return counts;
}

/** What the needs of a check are called in a headline. Others stand as they are. */
const GROUPS: readonly (readonly [RegExp, string])[] = [
  [/^(control|clock)$/, 'need a control interface'],
  [/(_key|_token)$/, 'need credentials'],
  [/^behaviour:/, 'need a prompt for what the intern is to do'],
  [
    /^(daemon|public_keys|foreign_workspace|oauth_subject|peer_oauth_subject|scim_mapping|regional_host)$/,
    'need facts of the target',
  ],
  [/^slow:/, 'need --slow'],
  [/^--runs/, 'need more runs'],
];

/** Why a check was not done, in a few words. */
export function group({ kind, need, why }: Skip): string {
  if (kind === 'intern') return 'wait for what the intern did not do';
  if (kind === 'race') return 'met a target that changed in between';
  if (kind === 'blocked') return `${need}: ${why}`;
  if (kind === 'stopped') return need === REACHED ? `need ${need}` : why;
  return GROUPS.find(([pattern]) => pattern.test(need))?.[1] ?? `need ${need}`;
}

/** How much came to a verdict, and what kept the rest from it. `asked` says what some stream was seen to ask. */
export function coverage(
  checks: readonly CheckResult[],
  asked: Pool['asked'] = { question: false, permission: false },
): Coverage {
  const reasons = new Map<string, number>();
  for (const { skip } of checks) {
    if (skip !== undefined) reasons.set(group(skip), (reasons.get(group(skip)) ?? 0) + 1);
  }
  const waiting = checks.filter(({ skip }) => skip?.kind === 'intern' && /did not ask|^a question$/.test(skip.need));
  const answered = checks.some(({ id, verdict }) => verdict !== 'skip' && id.startsWith('chat-answers/'));
  return {
    checked: checks.filter(({ verdict }) => verdict !== 'skip').length,
    of: checks.length,
    not: [...reasons].map(([why, count]) => ({ why, count })).sort((one, other) => other.count - one.count),
    noQuestionSeen: waiting.length > 0 && !answered && !asked.question,
    noPermissionSeen: waiting.length > 0 && !answered && !asked.permission,
  };
}

/** The verdict of a run, why, and with which status it exits. */
export interface Evaluated {
  readonly verdict: Results['verdict'];
  readonly reasons: readonly string[];
  readonly exit: Results['exit'];
}

/**
 * The verdict of a run. A breach is a breach however little ran. Without one: nothing selected, nothing run, less than was
 * demanded, an error of the kit, a run that was ended early, a stale baseline entry or a failed clean-up each keep it from
 * being a pass.
 */
export function evaluate(
  checks: readonly CheckResult[],
  more: {
    readonly stopped?: string;
    readonly cleanup: CleanupResult;
    readonly stale?: readonly string[];
    /** What was given for the run and is of no use to it. */
    readonly unusable?: readonly string[];
    /** Percent. */
    readonly minCoverage?: number;
  },
): Evaluated {
  const failed = checks.filter((check) => check.verdict === 'fail' && check.known !== true);
  const stale = more.stale ?? [];
  const reasons: string[] = [];
  if (stale.length > 0) reasons.push(`no longer failing, but in the baseline: ${stale.join(', ')}`);
  if (checks.length === 0) reasons.push('no check was selected');
  else if (!checks.some((check) => ['pass', 'pass-alternative', 'fail', 'warn'].includes(check.verdict)))
    reasons.push('no check ran');
  if (more.stopped !== undefined) reasons.push(more.stopped);
  const { checked, of } = coverage(checks);
  if (more.minCoverage !== undefined && checked * 100 < more.minCoverage * of) {
    const percent = Math.floor((checked * 100) / Math.max(1, of));
    reasons.push(
      `${checked} of ${of} checks came to a verdict: ${percent}%, less than --min-coverage ${more.minCoverage}%`,
    );
  }
  const blocked = new Map<string, number>();
  for (const { skip } of checks)
    if (skip?.kind === 'blocked') blocked.set(group(skip), (blocked.get(group(skip)) ?? 0) + 1);
  for (const [why, times] of blocked) reasons.push(`${times} check(s) ${why}`);
  const unreached = checks.filter(({ skip }) => skip?.need === REACHED).length;
  if (unreached > 0) reasons.push(`${unreached} check(s) could not be done: the target could not be reached`);
  reasons.push(...(more.unusable ?? []));
  const errors = checks.filter((check) => check.verdict === 'error');
  if (errors.length > 0)
    reasons.push(`${errors.length} check(s) could not be done: ${errors.map((one) => one.id).join(', ')}`);
  const behind = more.cleanup.failed.filter(({ leaving }) => leaving !== true).length;
  if (behind > 0) reasons.push(`${behind} intern(s) could not be cleaned up`);
  if (failed.length > 0 || stale.length > 0) return { verdict: 'fail', reasons, exit: 1 };
  if (reasons.length > 0) return { verdict: 'incomplete', reasons, exit: 3 };
  return { verdict: 'pass', reasons, exit: 0 };
}
