import { brief } from '../framework/assert.js';
import { STREAM_ORDER } from '../framework/expect.js';
import { type Cause, causesOf } from './causes.js';
import type { CheckResult, FindingResult, Skip } from './results.js';

/** Checks that found the same. */
export interface FindingGroup {
  /** What is wrong, in one line: `the second create is answered 200, expected 201`; of several, what they share. */
  readonly title: string;
  /** How many: `36 checks`, and of which verdicts where they differ. */
  readonly many: string;
  /** The worst first: it stands for all in short reports. */
  readonly checks: readonly [CheckResult, ...CheckResult[]];
  /** What they say, each with those that say it: more than one where the others follow from the first. */
  readonly parts: readonly [Part, ...Part[]];
}

/** Checks that say the same. */
export interface Part {
  readonly title: string;
  readonly checks: readonly [CheckResult, ...CheckResult[]];
}

const ORIGIN = /https?:\/\/[^/\s]+(?:\/\S*?\/v\d+(?=\/))?/g;
const IDS = /[0-9a-f]{8}-[0-9a-f-]{27}|\bk[a-z0-9]{4}-[a-z0-9]+/gi;
const VALUES = /\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{5,}\b/gi;

/** What of a text is left out. */
type Mask = (text: string) => string;
/** Addresses and ids: they tell a reader nothing. */
const unnamed: Mask = (text) => text.replace(ORIGIN, '').replace(IDS, '…');
/** Times and long numbers too: they differ between findings that are the same. */
const unvalued: Mask = (text) => unnamed(text).replace(VALUES, '…');

/** The longest list or object that stands in a title as it is. */
const WHOLE = 80;

/** A list or an object in a few words. */
const outline = (value: object): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const names = Object.keys(value);
  return `an object with ${names.slice(0, 6).join(', ')}${names.length > 6 ? ', …' : ''}`;
};

/** What comes after the gist of a longer text is left out. */
const gist = (value: unknown, mask: Mask): string => {
  const text = typeof value === 'string' ? value : brief(value, 400);
  if (typeof value === 'object' && value !== null && text.length > WHOLE) return outline(value);
  const [first = ''] = mask(text).split(/[;\n]|(?<=.)\{/);
  return first.trim().replace(/:$/, '').slice(0, 100);
};

/** What was looked at without where: `status of the second create` is a status. */
const subject = (what: string): string => what.replace(/,? (of|in|after|while|before|sent|for) .*$/s, '');

/** Whose fault it is that nothing can be said of the target. */
export const faultOf = ({ error }: CheckResult): string =>
  error?.whose === 'adapter' ? "the adapter's fault" : "the kit's own fault";

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** What one list of names has and another lacks. */
function names(actual: readonly string[], expected: readonly string[]): readonly [string, string] | undefined {
  const more = actual.filter((one) => !expected.includes(one));
  const missing = expected.filter((one) => !actual.includes(one));
  if (expected.length === 0) return [more.join(', '), 'none'];
  const said = [
    ...(more.length === 0 ? [] : [`with ${more.join(', ')}`]),
    ...(missing.length === 0 ? [] : [`without ${missing.join(', ')}`]),
  ].join(' and ');
  if (said === '' || said.length > 2 * WHOLE) return undefined;
  return [said, `${missing.length === 0 ? 'only ' : ''}${expected.join(', ')}`];
}

/** What is and what was expected, in words: those that differ only in a value that is not the point say the same. */
function compared({ actual, expected }: Omit<Seen, 'what'>, mask: Mask): readonly [string, string] {
  // The text 404 is not the number 404, nor is 409 the text 409.
  if (typeof expected === 'number' && actual === String(expected)) return ['a text', 'a number'];
  const listed = isNames(actual) && isNames(expected) ? names(actual, expected) : undefined;
  if (listed !== undefined) return [mask(listed[0]), mask(listed[1])];
  const [is, should] = [gist(actual, mask), gist(expected, mask)];
  if (is === should) return [brief(actual, 100), brief(expected, 100)];
  return [is === '' ? 'empty' : is, should];
}

/** What is wrong, in one line; `name` says what it was looked at in. */
function sentence(check: CheckResult, name: (what: string) => string, mask: Mask): string {
  const { finding, error } = check;
  if (finding === undefined) return `${faultOf(check)}: ${gist(error?.message ?? check.title, unvalued)}`;
  return sentenceOf(finding, name, mask);
}

type Seen = Pick<FindingResult, 'what' | 'expected' | 'actual'>;

function sentenceOf(finding: Seen, name: (what: string) => string, mask: Mask): string {
  // How a client ended that gave no answer.
  if (finding.what === 'crashed' || finding.what === 'hung')
    return `the client ${finding.what}: ${gist(finding.actual, mask)}`;
  // A rule that a stream breaks says itself what is wrong.
  if (finding.expected === STREAM_ORDER) return `the stream breaks a rule: ${gist(finding.actual, mask)}`;
  const [is, expected] = compared(finding, mask);
  return `${name(mask(finding.what))} is ${is}, expected ${expected}`;
}

/** Longest name of what was looked at that a line has room for. */
const LINE = 120;

/** What is wrong with a check, in one line: `the second create is answered 200, expected 201`. */
export const titleOf = (check: CheckResult): string => {
  const line = sentence(check, (what) => (what.length > LINE ? subject(what) : what), unnamed);
  return line.replace(/^status of (.*?) is (?=\d{3}\b)/, '$1 is answered ');
};

/** By what findings are told together, whatever it was found of: `status is 200, expected 201`. */
const keyOf = (check: CheckResult): string => sentence(check, subject, unvalued);

/** At which request something was found, or of what. */
export const placeOf = ({ what }: Pick<FindingResult, 'what'>): string => unvalued(what);

/** The same of what was not told yet. */
export const likeness = (finding: Seen): string => sentenceOf(finding, subject, unvalued);

const NAMED = 2;
/** What checks found that found the same: of statuses, some of what was answered with them. */
function shared(members: readonly [CheckResult, ...CheckResult[]]): string {
  const lines = new Set(members.map(titleOf));
  if (lines.size === 1) return titleOf(members[0]);
  const key = sentence(members[0], subject, unnamed);
  if (!/^status is \d{3}\b/.test(key)) return key;
  const where = [...new Set(members.map(({ finding }) => unnamed(finding?.what ?? '').replace(/^status of /, '')))];
  return `${key} (${where.slice(0, NAMED).join(', ')}${where.length > NAMED ? ', …' : ''})`;
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

type Members = [CheckResult, ...CheckResult[]];

/** Puts together those with the same key, in the order in which keys come first. */
function by(checks: readonly CheckResult[], key: (check: CheckResult) => string): Members[] {
  const found = new Map<string, Members>();
  for (const check of checks) {
    const group = found.get(key(check));
    if (group === undefined) found.set(key(check), [check]);
    else group.push(check);
  }
  return [...found.values()];
}

/** Causes that are behind findings which say different things: what says the same is together anyway. */
function distinct(causes: ReadonlyMap<CheckResult, Cause>): ReadonlyMap<CheckResult, Cause> {
  const said = new Map<string, Set<string>>();
  for (const [check, { key }] of causes) said.set(key, (said.get(key) ?? new Set()).add(keyOf(check)));
  return new Map([...causes].filter(([, { key }]) => (said.get(key)?.size ?? 0) > 1));
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
    `${check.known === true ? 'known' : 'new'} ${causes.get(check)?.key ?? keyOf(check)}`;
  return by(found, whole)
    .map((members): FindingGroup => {
      // What says what lies behind it all, then what the checks of the broken row itself say, is what it is about.
      members.sort((one, other) => follows(one) - follows(other) || rank(one) - rank(other) || away(one) - away(other));
      const parts = by(members, keyOf).map((part) => ({ title: shared(part), checks: part }));
      const [first = { title: shared(members), checks: members }, ...others] = parts;
      const told = others.length === 0 ? undefined : causes.get(members[0])?.title;
      return { title: told ?? first.title, many: count(members), checks: members, parts: [first, ...others] };
    })
    .sort((one, other) => worst(one) - worst(other) || other.checks.length - one.checks.length);
}

/** The worst of a group. */
const worst = ({ checks }: FindingGroup): number => Math.min(...checks.map(rank));

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
