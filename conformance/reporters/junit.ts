import { visible } from '../../emulator/contract/visible.js';
import type { CheckResult, Results } from '../engine/results.js';
import { clauseOf, skipText } from './clause.js';
import { groups } from './groups.js';
import { failsRun } from './label.js';
import { exchangeLines, value } from './stream-text.js';
import { LIKELY, summary } from './tty.js';
import { knownText } from './words/baseline.js';
import { findingText } from './words/finding.js';
import { incompleteText } from './words/stop.js';

/** Text for XML 1.0: what it cannot hold is made visible, what it reads is escaped. */
export const xml = (text: string): string =>
  visible(text)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');

function details(check: CheckResult): string {
  const { finding } = check;
  if (finding === undefined) return '';
  const { quote } = clauseOf(check);
  const { what, expected, actual } = findingText(finding);
  const lines = [
    check.title,
    ...(quote === undefined ? [] : [`the interface: ${quote}`]),
    `what: ${what}`,
    `expected: ${value(expected)}`,
    `actual: ${value(actual)}`,
    ...(finding.property === undefined ? [] : [`values: ${finding.property.counterexample.join(', ')}`]),
    `again: ${finding.replay}`,
    ...(finding.curl === undefined ? [] : [`curl: ${finding.curl}`]),
    '',
    ...finding.transcript.slice(-5).flatMap((exchange) => exchangeLines(exchange, 1_000, finding)),
  ];
  return lines.join('\n');
}

function testcase(check: CheckResult, title: string, fails: boolean): string {
  const [area = 'checks'] = check.id.split('/');
  const head = `    <testcase classname="conformance.${xml(area)}" name="${xml(`${check.id} [${check.requirement}]`)}" time="${(check.duration / 1000).toFixed(3)}"`;
  const close = (inner: string) => `${head}>${inner}</testcase>`;
  if (fails) {
    return close(`<failure message="${xml(title)}" type="${clauseOf(check).id}">${xml(details(check))}</failure>`);
  }
  if (check.verdict === 'error') {
    return close(`<error message="${xml(check.error?.message ?? '')}">${xml(check.error?.stack ?? '')}</error>`);
  }
  if (check.skip !== undefined) {
    return close(`<skipped message="${xml(skipText(check.skip))}"/>`);
  }
  if (check.verdict === 'pass-alternative')
    return close(`<system-out>${xml(`pass-alternative: ${check.alternative ?? ''}`)}</system-out>`);
  const known = check.knownAs === undefined ? '' : `: ${knownText(check.knownAs)}`;
  if (check.verdict !== 'pass') {
    const word =
      check.known === true ? `known failure${known}` : check.new === true ? 'failure of a new check' : 'warning';
    return close(`<system-out>${xml(`${word}\n${details(check)}`)}</system-out>`);
  }
  if (known !== '') return close(`<system-out>${xml(`passes, known${known}`)}</system-out>`);
  return `${head}/>`;
}

/** JUnit XML as CI servers read it: one suite, one case per check; warnings are no failures. */
export function junit(results: Results): string {
  const failures = results.checks.filter((check) => failsRun(check, results)).length;
  const titles = new Map(
    groups(results.checks).flatMap(({ title, many, checks, parts }) => {
      const whole = checks.length > 1 ? `${many}: ${title}` : title;
      return parts.flatMap((part, at) => {
        const message = at === 0 ? whole : `${part.title} (${LIKELY} as of ${whole})`;
        return part.checks.map(({ id }) => [id, message] as const);
      });
    }),
  );
  const incomplete = results.verdict === 'incomplete' ? 1 : 0;
  const tests = results.checks.length + incomplete;
  const errors = results.counts.error + incomplete;
  const attributes = `tests="${tests}" failures="${failures}" errors="${errors}" skipped="${results.counts.skip}" time="${(results.duration / 1000).toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="intern-conformance" ${attributes}>`,
    `  <testsuite name="${xml(results.target.url)}" timestamp="${xml(results.started.slice(0, 19))}" ${attributes}>`,
    `    <properties><property name="headline" value="${xml(summary(results))}"/></properties>`,
    ...results.checks.map((check) => testcase(check, titles.get(check.id) ?? check.title, failsRun(check, results))),
    ...(incomplete === 1
      ? [
          `    <testcase classname="conformance" name="the run is complete"><error message="${xml(results.incomplete.map(incompleteText).join('; '))}"/></testcase>`,
        ]
      : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
