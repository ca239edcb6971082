import { brief } from '../framework/assert.js';
import { STREAM_ORDER } from '../framework/expect.js';
import type { CheckResult, Skip } from './results.js';

/** Checks that found the same. */
export interface FindingGroup {
  /** What is wrong, in one line: `status is 200, expected 201`. */
  readonly title: string;
  /** How many: `36 checks`, and of which verdicts where they differ. */
  readonly many: string;
  /** The worst first: it stands for all in short reports. */
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

const ORIGIN = /https?:\/\/[^/\s]+(?:\/\S*?\/v\d+(?=\/))?/g;
const VOLATILE = /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|\bk[a-z0-9]{4}-[a-z0-9]+|\b\d{5,}\b/gi;

/** The longest list or object that stands in a title as it is. */
const WHOLE = 80;

/** A list or an object in a few words. */
const outline = (value: object): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const names = Object.keys(value);
  return `an object with ${names.slice(0, 6).join(', ')}${names.length > 6 ? ', …' : ''}`;
};

/** Without ids, times and names of the run; what comes after the gist of a longer text left out. */
const gist = (value: unknown): string => {
  const text = typeof value === 'string' ? value : brief(value, 400);
  if (typeof value === 'object' && value !== null && text.length > WHOLE) return outline(value);
  const [first = ''] = text
    .replace(ORIGIN, '')
    .replace(VOLATILE, '…')
    .split(/[;\n]|(?<=.)\{/);
  return first.trim().replace(/:$/, '').slice(0, 100);
};

/** What was looked at, without where: `status of the second create` is a status. */
const subject = (what: string): string =>
  what
    .replace(ORIGIN, '')
    .replace(VOLATILE, '…')
    .replace(/,? (of|in|after|while|before|sent|for) .*$/s, '');

/** Whose fault it is that nothing can be said of the target. */
export const faultOf = ({ error }: CheckResult): string =>
  error?.whose === 'adapter' ? "the adapter's fault" : "the kit's own fault";

/** What is wrong, in one line: `status is 200, expected 201`. */
export function titleOf(check: CheckResult): string {
  const { finding, error } = check;
  if (finding === undefined) return `${faultOf(check)}: ${gist(error?.message ?? check.title)}`;
  // How a client ended that gave no answer.
  if (finding.what === 'crashed' || finding.what === 'hung')
    return `the client ${finding.what}: ${gist(finding.actual)}`;
  // A rule that a stream breaks says itself what is wrong.
  if (finding.expected === STREAM_ORDER) return `the stream breaks a rule: ${gist(finding.actual)}`;
  const [actual, expected] = [gist(finding.actual), gist(finding.expected)];
  // The text 404 is not the number 404.
  const form = actual === expected ? (value: unknown) => brief(value, 100) : gist;
  const is = form(finding.actual);
  return `${subject(finding.what)} is ${is === '' ? 'empty' : is}, expected ${form(finding.expected)}`;
}

const RANK = ['fail', 'error', 'warn', 'known'] as const;
const rank = ({ verdict, known }: CheckResult) => RANK.findIndex((one) => one === (known === true ? 'known' : verdict));

/** Whether a check met what it is not about. */
const away = ({ finding }: CheckResult): number => (finding?.breaks === undefined ? 0 : 1);

/** `36 checks (12 fail, 24 warn)`. */
function count(members: readonly CheckResult[]): string {
  const by = RANK.map((name, at) => ({ name, count: members.filter((check) => rank(check) === at).length }));
  const there = by.filter(({ count: many }) => many > 0);
  const split = there.length > 1 ? ` (${there.map(({ name, count: many }) => `${many} ${name}`).join(', ')})` : '';
  return `${members.length} checks${split}`;
}

/** Findings by what they found: groups with a failure first, then those with warnings, then known ones; the largest first. */
export function groups(checks: readonly CheckResult[]): FindingGroup[] {
  const found = new Map<string, [CheckResult, ...CheckResult[]]>();
  for (const check of checks) {
    if (check.verdict !== 'fail' && check.verdict !== 'warn' && check.verdict !== 'error') continue;
    const key = `${check.known === true ? 'known' : 'new'} ${titleOf(check)}`;
    const group = found.get(key);
    if (group === undefined) found.set(key, [check]);
    else group.push(check);
  }
  return [...found.values()]
    .map((members) => {
      // What the checks of the broken row itself say is what it is about.
      members.sort((one, other) => rank(one) - rank(other) || away(one) - away(other));
      return { title: titleOf(members[0]), many: count(members), checks: members };
    })
    .sort((one, other) => rank(one.checks[0]) - rank(other.checks[0]) || other.checks.length - one.checks.length);
}

/** Checks that one thing kept from a verdict. */
export interface SkipGroup {
  /** Of the first of them. */
  readonly skip: Skip;
  readonly ids: readonly string[];
}

/** Skips by what is missing, or by what the intern did instead, the largest group first. */
export function skips(checks: readonly CheckResult[]): SkipGroup[] {
  const found = new Map<string, { skip: Skip; ids: string[] }[]>();
  for (const { id, skip } of checks) {
    if (skip === undefined) continue;
    const family = /^(slow|behaviour):/.exec(skip.need)?.[1] ?? skip.need;
    const members = found.get(family);
    const same = members?.find((one) => one.skip.need === skip.need);
    if (members === undefined) found.set(family, [{ skip, ids: [id] }]);
    else if (same === undefined) members.push({ skip, ids: [id] });
    else same.ids.push(id);
  }
  return [...found]
    .map(([family, members]) => ({
      skip: familySkip(
        family,
        members.map(({ skip }) => skip),
      ),
      ids: members.flatMap(({ ids }) => ids),
    }))
    .sort((one, other) => other.ids.length - one.ids.length);
}

/** What needs of one family lack: the longest wait, whose leave is one for the others too; every prompt. */
function familySkip(family: string, members: readonly Skip[]): Skip {
  const [first = { need: family, why: '', kind: 'need' }, ...others] = members;
  if (others.length === 0) return first;
  const wanted = members.map(({ need }) => need.slice(family.length + 1));
  if (family === 'slow') {
    const longest = wanted.reduce((one, other) => (Number.parseFloat(other) > Number.parseFloat(one) ? other : one));
    return {
      ...first,
      need: `slow:${longest}`,
      why: `they wait for real, the longest ${longest}; allow that with --slow ${longest}`,
    };
  }
  return {
    ...first,
    need: `${family}:${wanted.join(', ')}`,
    why: 'no prompt is configured that leads an intern there',
  };
}
