import type { CheckResult } from '../run/results.js';
import { clauseOf } from './clause.js';
import { value } from './stream-text.js';
import { findingText } from './words/finding.js';

/** Something that a report tells of a finding, by its name: `expected`, `again`. */
export type Fact = readonly [name: string, text: string];

/** The facts of a finding in the order of every report. */
export function factsOf(check: CheckResult): Fact[] {
  const { finding } = check;
  if (finding === undefined) return [];
  const { what, expected, actual } = findingText(finding);
  const { quote } = clauseOf(check);
  const { property, replay, curl } = finding;
  const values =
    property &&
    `${property.counterexample.join(', ')} (property ${property.name}, run ${property.runs}, ${property.shrinks} shrinks)`;
  return [
    ...(quote === undefined ? [] : [['interface', quote] as const]),
    ['what', what],
    ['expected', value(expected)],
    ['actual', value(actual)],
    ...(values === undefined ? [] : [['values', values] as const]),
    ['again', replay],
    ...(curl === undefined ? [] : [['curl', curl] as const]),
  ];
}

/** Facts as lines of text: `expected: 201`. */
export const factLines = (facts: readonly Fact[]): string[] => facts.map(([name, text]) => `${name}: ${text}`);
