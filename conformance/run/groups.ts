import { brief } from '../framework/assert.js';
import type { CheckResult } from './results.js';

/** Checks that found the same. */
export interface FindingGroup {
  /** What is wrong, in one line: `status is 200, expected 201`. */
  readonly title: string;
  /** The first of them stands for all in short reports. */
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

const ORIGIN = /https?:\/\/[^/\s]+(?:\/\S*?\/v\d+(?=\/))?/g;
const VOLATILE = /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|\bk[a-z0-9]{4}-[a-z0-9]+|\b\d{5,}\b/gi;

/** Without ids, times and names of the run; what comes after the gist of a longer text left out. */
const gist = (value: unknown): string => {
  const text = typeof value === 'string' ? value : brief(value, 400);
  const [first = ''] = text
    .replace(ORIGIN, '')
    .replace(VOLATILE, '…')
    .split(/[;{\n]/);
  return first.trim().slice(0, 100);
};

/** What was looked at, without where: `status of the second create` is a status. */
const subject = (what: string): string =>
  what
    .replace(ORIGIN, '')
    .replace(VOLATILE, '…')
    .replace(/,? (of|in|after|while|before|sent|for) .*$/s, '');

function titleOf(check: CheckResult): string {
  const { finding, error } = check;
  if (finding === undefined) return `the kit's own fault: ${gist(error?.message ?? check.title)}`;
  const actual = gist(finding.actual);
  const expected = gist(finding.expected);
  return `${subject(finding.what)} is ${actual === '' ? 'empty' : actual}, expected ${expected}`;
}

/** Findings by what they found, the largest group first; of equals, failures before warnings before known ones. */
export function groups(checks: readonly CheckResult[]): FindingGroup[] {
  const found = new Map<string, [CheckResult, ...CheckResult[]]>();
  for (const check of checks) {
    if (check.verdict !== 'fail' && check.verdict !== 'warn' && check.verdict !== 'error') continue;
    const weight = check.known === true ? 'known' : check.verdict;
    const title = titleOf(check);
    const key = `${weight} ${title}`;
    const group = found.get(key);
    if (group === undefined) found.set(key, [check]);
    else group.push(check);
  }
  const rank = ({ verdict, known }: CheckResult) => (known === true ? 3 : ['fail', 'error', 'warn'].indexOf(verdict));
  return [...found.values()]
    .map((members) => ({ title: titleOf(members[0]), checks: members }))
    .sort((one, other) => rank(one.checks[0]) - rank(other.checks[0]) || other.checks.length - one.checks.length);
}
