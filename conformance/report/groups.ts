import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import { behaviourIn, waitIn } from '../framework/needs.js';
import type { Skip } from '../framework/skip.js';
import type { CheckResult } from '../run/results.js';
import { type Cause, causesOf } from './causes.js';
import { labelOf } from './label.js';
import { keyOf, sharedTitle } from './title.js';
import { nounOf } from './words/legend.js';
import { familyWords, type SkipText, skipWords } from './words/skip.js';

/** Checks that found the same. */
export interface FindingGroup {
  /** The mistake in one line: `the second create is answered 200, expected 201`; of several, the part that they share. */
  readonly title: string;
  /** How many: `36 checks`, and of which verdicts where they differ. */
  readonly many: string;
  /** The worst first: it stands for all in short reports. */
  readonly checks: readonly [CheckResult, ...CheckResult[]];
  /** The sentences of the group, each with its checks: more than one where the others follow from the first. */
  readonly parts: readonly [SameChecks, ...SameChecks[]];
}

/** Checks that say the same. */
export interface SameChecks {
  readonly title: string;
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

const RANK = ['fail', 'error', 'warn', 'new', 'known'] as const;
const rank = (check: CheckResult) => RANK.indexOf(labelOf(check) as (typeof RANK)[number]);

/** Whether a check met what it is not about. */
const away = ({ finding }: CheckResult): number => (finding?.breaks === undefined ? 0 : 1);

/** `36 checks (12 fail, 24 warn)`. */
function count(members: readonly CheckResult[]): string {
  const by = RANK.map((name, at) => ({ name, count: members.filter((check) => rank(check) === at).length }));
  const there = by.filter(({ count: many }) => many > 0);
  const split = there.length > 1 ? ` (${there.map(({ name, count: many }) => `${many} ${name}`).join(', ')})` : '';
  const [first] = members;
  return `${counted(members.length, first === undefined ? 'check' : nounOf(first))}${split}`;
}

/** Causes that are behind findings which say different things: what says the same is together anyway. */
function distinct(causes: ReadonlyMap<CheckResult, Cause>): ReadonlyMap<CheckResult, Cause> {
  const behind = byKey(causes, ([, { key }]) => key);
  const saidBy = ({ key }: Cause) => new Set(behind.get(key)?.map(([check]) => keyOf(check)));
  return new Map([...causes].filter(([, cause]) => saidBy(cause).size > 1));
}

/**
 * Findings by what they found, or by what lies behind several: groups with a failure first, then those with warnings, then
 * known ones; the largest first.
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
      members.sort((one, other) => follows(one) - follows(other) || rank(one) - rank(other) || away(one) - away(other));
      const parts = [...byKey(members, keyOf).values()].map((part) => ({ title: sharedTitle(part), checks: part }));
      const [first = { title: sharedTitle(members), checks: members }, ...others] = parts;
      const cause = others.length === 0 ? undefined : causes.get(members[0])?.title;
      return { title: cause ?? first.title, many: count(members), checks: members, parts: [first, ...others] };
    })
    .map((group) => ({ group, worst: worst(group) }))
    .sort((one, other) => one.worst - other.worst || other.group.checks.length - one.group.checks.length)
    .map(({ group }) => group);
  const titled = byKey(all, ({ title }) => title);
  // Groups of different rules that are broken in the same way say which rule each is about.
  return all.map((group) => {
    const { clause } = group.checks[0];
    const alone = clause === undefined || titled.get(group.title)?.length === 1;
    return alone ? group : { ...group, title: `${group.title} (${clause.sentence})` };
  });
}

/** The worst of a group. */
const worst = ({ checks }: FindingGroup): number =>
  checks.reduce<number>((least, check) => Math.min(least, rank(check)), RANK.length);

/** Checks that one thing kept from a verdict. */
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

/** Skips by what is missing, or by what the intern did instead, the largest group first. */
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
