import { counted } from '../../emulator/contract/counted.js';
import { visible } from '../../emulator/contract/visible.js';
import type { Results } from '../engine/results.js';
import { clauseOf, levelOf, skipText } from './clause.js';
import { factLines, factsOf } from './facts.js';
import { groups } from './groups.js';
import { labelOf } from './label.js';
import { exchangeLines, seconds } from './stream-text.js';
import { faultOf } from './title.js';
import { choices, idsOf, LIKELY, summary, unseen } from './tty.js';
import { knownText } from './words/baseline.js';
import { hindranceText } from './words/cleanup.js';
import { headlineOf, shownOf } from './words/coverage.js';
import { incompleteText } from './words/stop.js';

/** Text that Markdown and the HTML within it read as text only. */
export const plain = (text: string): string =>
  visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*_[\]|#@~]/g, '\\$&')
    .replace(/\s*\n\s*/g, ' ');

/** A fence that the text cannot close. */
export function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((found) => found[0].length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, visible(text), fence];
}

const ICON = {
  pass: '✅',
  'pass-alternative': '☑️',
  fail: '❌',
  warn: '⚠️',
  skip: '⏭️',
  error: '💥',
  excluded: '➖',
  none: '➖',
} as const;

/** A report to be read where Markdown is: pull requests, job summaries. */
export function markdown(results: Results): string {
  const { requirements, emulatorsOnly, verdict } = headlineOf(results);
  const also = [requirements, emulatorsOnly].flatMap((line) => line ?? []);
  const lines = [
    `# Conformance: ${plain(verdict)}`,
    '',
    plain(summary(results)),
    '',
    ...also.map((line) => `${line}.\n`),
    `${counted(results.requests, 'request')} in ${seconds(results.duration)}${plain(choices(results))}.`,
  ];
  for (const reason of results.incomplete) lines.push('', `> ${plain(incompleteText(reason))}`);
  const missed = unseen(results);
  if (missed !== undefined) lines.push('', `> ${missed}`);
  const found = groups(results.checks);
  if (found.length > 0) lines.push('', '## Findings');
  for (const { title, many, checks, parts } of found) {
    const [check, ...others] = checks;
    const [same, ...rest] = parts;
    if (others.length > 0)
      lines.push('', `### ${ICON[check.verdict]} ${many}: ${plain(title)}`, '', plain(idsOf(same.checks)));
    if (rest.length > 0) lines.push('', `${LIKELY}:`, '');
    for (const part of rest) lines.push(`- ${plain(part.title)}: ${plain(idsOf(part.checks))}`);
    const { finding } = check;
    const { id: row } = clauseOf(check);
    lines.push(
      '',
      `${others.length > 0 ? '####' : '###'} ${ICON[check.verdict]} ${plain(check.id)} (${row}, ${levelOf(check)})${['known', 'new'].includes(labelOf(check)) ? `, ${labelOf(check)}` : ''}`,
      '',
      plain(check.title),
    );
    if (check.knownAs !== undefined) lines.push('', `In the baseline: ${plain(knownText(check.knownAs))}`);
    if (check.error !== undefined) lines.push('', `${faultOf(check)}:`, '', ...fenced(check.error.message));
    if (finding === undefined) continue;
    const facts = factsOf(check);
    const again = facts.filter(([name]) => name === 'again').map(([, text]) => text);
    lines.push('', ...fenced(factLines(facts.filter(([name]) => name !== 'again' && name !== 'curl')).join('\n')));
    lines.push('', ...fenced(again.join('\n')));
    const transcript = finding.transcript.slice(-5).flatMap((exchange) => exchangeLines(exchange, 500, finding));
    lines.push('', '<details><summary>Transcript</summary>', '', ...fenced(transcript.join('\n')), '', '</details>');
  }
  if (results.requirements.length > 0)
    lines.push('', '## Requirements', '', '| requirement | level | verdict | checks |', '|---|---|---|---|');
  for (const row of results.requirements) {
    lines.push(`| ${row.id} | ${row.level} | ${ICON[row.verdict]} ${row.verdict} | ${row.checks.length} |`);
  }
  const skipped = shownOf(results).flatMap(({ id, skip }) => (skip === undefined ? [] : [{ id, skip }]));
  if (skipped.length > 0) lines.push('', '## Skipped', '');
  for (const { id, skip } of skipped) lines.push(`- ${plain(id)}: ${plain(skipText(skip))}`);
  const flaky = results.checks.filter(({ finding, knownAs }) => knownAs?.flaky !== undefined && finding === undefined);
  if (flaky.length > 0) lines.push('', '## Flaky, and not failing now', '');
  for (const { id, knownAs = {} } of flaky) lines.push(`- ${plain(id)}: ${plain(knownText(knownAs))}`);
  const { cleanup } = results;
  if (cleanup.created > 0)
    lines.push('', `Clean-up: deleted ${cleanup.deleted} of the ${cleanup.created} that the run created.`);
  for (const left of cleanup.failed)
    lines.push(`- left behind: ${plain(left.id)} ${plain(left.name)} (${plain(hindranceText(left.because))})`);
  return `${lines.join('\n')}\n`;
}
