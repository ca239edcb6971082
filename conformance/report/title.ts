import { brief } from '../model/assert.js';
import { type Constraint, isGist, type Mistake, type OrderGot, type StreamGot } from '../model/finding.js';
import type { NoAnswerGot } from '../probe/wait.js';
import type { CheckResult } from '../run/results.js';
import { changeText, cutText, mistakeOf, mistakeText } from './words/change.js';
import { althoughText, answerGist, isAnswer, ruleText, statusText } from './words/finding.js';
import { breachText } from './words/stream.js';

const ORIGIN = /https?:\/\/[^/\s]+(?:\/\S*?\/v\d+(?=\/))?/g;
const IDS = /[0-9a-f]{8}-[0-9a-f-]{27}|\bk[a-z0-9]{4}-[a-z0-9]+/gi;
const VALUES = /\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{5,}\b/gi;

/** A function that leaves out the parts of a text that differ from run to run. */
type Mask = (text: string) => string;
/** Addresses and ids: they tell a reader nothing. */
const unnamed: Mask = (text) => text.replace(ORIGIN, '').replace(IDS, '…');
/** Leaves out times and long numbers, too, which differ between equal findings. */
const unvalued: Mask = (text) => unnamed(text).replace(VALUES, '…');

/** The longest list or object that a title shows whole. */
const WHOLE = 80;
const TEXT = 100;
/** The longest name of a subject in one line. */
const LINE = 120;
/** The longest message of a fault. */
const FAULT = 240;

/** A list or an object in a few words. */
function outline(value: object): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const names = Object.keys(value);
  return `an object with ${names.slice(0, 6).join(', ')}${names.length > 6 ? ', …' : ''}`;
}

/** A value in a few words. */
function short(value: unknown, mask: Mask): string {
  if (isGist(value)) return mask(value.gist);
  if (isAnswer(value)) return `answered ${value.status}`;
  const text = typeof value === 'string' ? value : brief(value, 400);
  if (typeof value === 'object' && value !== null && text.length > WHOLE) return outline(value);
  return mask(text.split('\n', 1)[0] ?? '')
    .trim()
    .slice(0, TEXT);
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The names that one list has and another lacks. */
function names(actual: readonly string[], expected: readonly string[]): readonly [string, string] | undefined {
  const more = actual.filter((one) => !expected.includes(one));
  const missing = expected.filter((one) => !actual.includes(one));
  if (expected.length === 0) return [more.join(', '), 'none'];
  const differs = [
    ...(more.length === 0 ? [] : [`with ${more.join(', ')}`]),
    ...(missing.length === 0 ? [] : [`without ${missing.join(', ')}`]),
  ].join(' and ');
  if (differs === '' || differs.length > 2 * WHOLE) return undefined;
  return [differs, `${missing.length === 0 ? 'only ' : ''}${expected.join(', ')}`];
}

/** A value and the expected one, in words. Values that differ only in masked parts get the same words. */
function compared(got: unknown, rule: Constraint, mask: Mask): readonly [string, string] {
  const expected = ruleText(rule);
  // The text 404 is not the number 404, nor is 409 the text 409.
  if (typeof expected === 'number' && got === String(expected)) return ['a text', 'a number'];
  const listed = isNames(got) && isNames(expected) ? names(got, expected) : undefined;
  if (listed !== undefined) return [mask(listed[0]), mask(listed[1])];
  const [is, should] = [short(got, mask), short(expected, mask)];
  if (is === should) return [brief(got, TEXT), brief(expected, TEXT)];
  return [is === '' ? 'empty' : is, should];
}

/** The mistake in one line: of one finding, or with `alike` of all equal ones. */
function sentence({ wanted, got, of, because, change }: Mistake, mask: Mask, alike: boolean): string {
  if (wanted.kind === 'value') {
    const values = { got: short(got, mask), expected: short(ruleText(wanted.rule), mask) };
    const words = alike
      ? mistakeText({ change, because }, values)
      : change && `${changeText(change, values)}${cutText(because, change)}`;
    if (words !== undefined) return words;
  }
  const name = mask(of);
  switch (wanted.kind) {
    case 'status': {
      const answer = isAnswer(got) ? got : { status: 0, text: '' };
      const expected = `expected ${short(statusText(wanted), mask)}`;
      if (wanted.class === 'stream') {
        const although = althoughText(because);
        return `${name} is ${answerGist(answer)}${although === undefined ? '' : ` ${although}`}, ${expected}`;
      }
      if (alike && wanted.statuses.length > 0) return `status is ${answer.status}, ${expected}`;
      return `${name} is answered ${answer.status}, ${expected}`;
    }
    case 'value': {
      const [is, should] = compared(got, wanted.rule, mask);
      return `${alike || name.length > LINE ? mask(wanted.path) : name} is ${is}, expected ${should}`;
    }
    case 'stream': {
      if (wanted.rule === 'order') {
        const [first] = (got as OrderGot).breaches;
        return `the stream breaks a rule: ${first === undefined ? 'of its order' : mask(breachText(first))}`;
      }
      const { chunks, ended, finish = 'none', done } = got as StreamGot;
      if (wanted.rule === 'finish')
        return `finish_reason${alike ? '' : ` of ${name}`} is ${finish}, expected ${wanted.finish}`;
      if (ended !== undefined) return `${name} is over after ${chunks} chunks, expected ${wanted.awaited}`;
      return done === true ? `${name} is still open after [DONE]` : `${name} is silent, expected ${wanted.awaited}`;
    }
    case 'effect':
      return `${name} is ${short(got, mask)}, expected ${mask(wanted.words)}`;
    case 'answer': {
      const { kind, detail } = got as NoAnswerGot;
      if (kind === 'hung' || kind === 'crashed') return `the client ${kind}: ${short(detail, mask)}`;
      return `${name} is ${kind}: ${short(detail, mask)}, expected an HTTP answer`;
    }
  }
}

/** The side whose fault an error is. */
export const faultOf = ({ error }: CheckResult): string =>
  error?.whose === 'adapter' ? "the adapter's fault" : "the kit's own fault";

const faultText = (check: CheckResult): string =>
  `${faultOf(check)}: ${unvalued(check.error?.message ?? check.title)
    .split('\n', 1)[0]
    ?.slice(0, FAULT)}`;

/** The mistake that a check found, in one line: `the second create is answered 200, expected 201`. */
export const titleOf = (check: CheckResult): string =>
  check.finding === undefined ? faultText(check) : sentence(check.finding, unnamed, false);

/** The key that groups equal findings about different subjects: `status is 200, expected 201`. */
export const keyOf = (check: CheckResult): string => {
  const { clause, finding } = check;
  if (finding === undefined) return faultText(check);
  return mistakeOf(finding, clause?.rule) ?? sentence(finding, unvalued, true);
};

/** Most subjects that a shared title names. */
const NAMED = 2;

/** The title of checks with equal findings. For statuses it names some of the answers. */
export function sharedTitle(members: readonly [CheckResult, ...CheckResult[]]): string {
  const lines = new Set(members.map(titleOf));
  const [{ finding }] = members;
  if (lines.size === 1 || finding === undefined) return titleOf(members[0]);
  const key = sentence(finding, unnamed, true);
  if (finding.wanted.kind !== 'status') return key;
  const where = [...new Set(members.map((one) => unnamed(one.finding?.of ?? '')))];
  return `${key} (${where.slice(0, NAMED).join(', ')}${where.length > NAMED ? ', …' : ''})`;
}
