import { counted } from '../../emulator/contract/counted.js';
import type { Skip } from '../model/skip.js';
import { type Level, quoteOf, requirement, sentenceOf } from '../requirements/index.js';
import { publishedOf } from '../requirements/published.js';
import type { CheckResult } from '../run/results.js';
import { value } from './stream-text.js';
import { findingText } from './words/finding.js';
import { keptBy, skipWords } from './words/skip.js';

/** The clause that a check rests on. */
export interface Clause {
  /** The id of the finding's clause, else of the check's. */
  readonly id: string;
  readonly sentence: string;
  readonly where: string;
  /** The words of the interface where it states the requirement, or of the published client. */
  readonly quote?: string;
}

/** The level that a finding breaks, else that of its check. */
export const levelOf = ({ finding, level }: Pick<CheckResult, 'finding' | 'level'>): Level => finding?.level ?? level;

/** The clause that a finding breaks, else that of its check. */
export function clauseOf(check: CheckResult): Clause {
  if (check.clause !== undefined) return { id: check.requirement, ...check.clause };
  const row = requirement(check.finding?.breaks ?? check.requirement);
  const level = levelOf(check);
  const published = level === 'P' ? publishedOf(row.id) : undefined;
  const quote = level === 'S' ? quoteOf(row.id) : published?.quote;
  return {
    id: row.id,
    sentence: sentenceOf(row, level),
    where: published?.where ?? row.where,
    ...(quote === undefined ? {} : { quote }),
  };
}

/** Why a check came to no verdict, in one line. */
export function skipText(skip: Skip): string {
  const { need, why } = skipWords(skip);
  return `${keptBy({ kind: skip.kind, need })}: ${why}`;
}

/** Situations that one line names. */
const NAMED = 8;

/** `12 of 340 judged exchanges: create 201, get 200`. Undefined for what no rule found. */
export function shownByText({ brokenBy, brokenIn = [], judged }: CheckResult): string | undefined {
  if (brokenBy === undefined) return undefined;
  const more = brokenIn.length - NAMED;
  const named = `${brokenIn.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${brokenBy} of ${counted(judged ?? brokenBy, 'judged exchange')}: ${named}`;
}

/** A named fact about a finding: `expected`, `again`. */
export type Fact = readonly [name: string, text: string];

/** The facts of a finding in the order of every report. */
export function factsOf(check: CheckResult): Fact[] {
  const { finding } = check;
  if (finding === undefined) return [];
  const { what, expected, actual } = findingText(finding);
  const { quote } = clauseOf(check);
  const { property, replay, curl } = finding;
  const shownBy = shownByText(check);
  const values =
    property &&
    `${property.counterexample.join(', ')} (property ${property.name}, run ${property.runs}, ${property.shrinks} shrinks)`;
  const sides = [value(expected), value(actual)] as const;
  // The text 404 is not the number 404.
  const [wanted, got] = sides[0] === sides[1] ? [JSON.stringify(expected), JSON.stringify(actual)] : sides;
  return [
    ...(quote === undefined ? [] : [['interface', quote] as const]),
    ['what', what],
    ['expected', wanted],
    ['actual', got],
    ...(shownBy === undefined ? [] : [['shown by', shownBy] as const]),
    ...(values === undefined ? [] : [['values', values] as const]),
    ['again', replay],
    ...(curl === undefined ? [] : [['curl', curl] as const]),
  ];
}

/** Facts as lines of text: `expected: 201`. */
export const factLines = (facts: readonly Fact[]): string[] => facts.map(([name, text]) => `${name}: ${text}`);
