/** Reports for machines and for pages, of the same words and parts as those of the kit. */

import { visibleJson } from '../../../emulator/contract/visible.js';
import { annotated } from '../../reporters/github.js';
import { type Case, junitOf } from '../../reporters/junit.js';
import { fenced, plain } from '../../reporters/markdown.js';
import type { ExploreReport, Finding, ScheduleResult } from '../types.js';
import { exploreText, type TextOptions } from './text.js';
import {
  type Again,
  againLines,
  headlineOf,
  incompleteText,
  lawText,
  summaryText,
  VERDICT_WORDS,
  verdictOf,
} from './words.js';

/** All of it, for programs. The text is left out: it is made of the rest. */
export function exploreJson({ text: _, ...report }: ExploreReport, { fileOf }: Again = {}): string {
  const withFile = (finding: Finding) => {
    const file = fileOf?.(finding);
    return { ...finding, says: lawText(finding.law), ...(file !== undefined && { file }) };
  };
  const [findings, unnoticed] = [report.findings, report.unnoticed].map((list) => list.map(withFile));
  return `${visibleJson({ ...report, headline: headlineOf(report), findings, unnoticed }, 2)}\n`;
}

/** What broke a law, and at which moment. */
const momentText = ({ kind, moment }: ScheduleResult): string =>
  `${kind} at ${moment.operation} ${moment.nth}${moment.write === undefined ? '' : `, ${moment.write}`}${moment.state === undefined ? '' : `, ${moment.state}`}`;

const findingOf = (report: ExploreReport, { id, test }: ScheduleResult): Finding | undefined =>
  report.findings.find(
    (one) => one.test?.name === test && one.disturbances.some(({ schedules }) => schedules.includes(id)),
  );

/** A test case per schedule; one that broke a law failed, one whose moment did not come was skipped. */
export function exploreJunit(report: ExploreReport, again: Again = {}): string {
  const cases = report.schedules.map((schedule): Case => {
    const { class: kind, id, law = '', message = '', test, verdict } = schedule;
    const one = {
      area: `explore.${kind}`,
      name: `${test === undefined ? '' : `${test}: `}${momentText(schedule)} [${id}]`,
    };
    if (verdict === 'not-reached') return { ...one, outcome: { kind: 'skipped', message: 'its moment did not come' } };
    if (verdict !== 'breach') return one;
    const finding = findingOf(report, schedule);
    const text = [lawText(law), message, ...(finding ? againLines(finding, again) : [])].join('\n');
    return { ...one, outcome: { kind: 'failure', message: finding?.sentence ?? message, type: law, text } };
  });
  return junitOf({ tool: 'explore', of: 'explore', ms: report.timing.ms, headline: summaryText(report), cases });
}

/** For pull requests and job summaries. */
export function exploreMarkdown(report: ExploreReport, options: TextOptions = {}): string {
  const verdict = verdictOf(report);
  const icon = { clean: '✅', unnoticed: '⚠️', broken: '❌', incomplete: '⚠️' }[verdict];
  const lines = [`# ${icon} Explore: ${VERDICT_WORDS[verdict]}`, '', plain(summaryText(report)), ''];
  for (const finding of report.findings) {
    lines.push(`## ${plain(finding.law)}: ${plain(finding.sentence)}`, '', plain(lawText(finding.law)), '');
    const alone = exploreText({ ...report, findings: [finding], surfaced: [], warnings: [], incomplete: [] }, options);
    const [, , ...shown] = alone.slice(0, alone.lastIndexOf('\n\n')).split('\n');
    lines.push('<details><summary>Both runs</summary>', '', ...fenced(shown.join('\n')), '', '</details>', '');
  }
  if (report.surfaced.length > 0) {
    lines.push(
      '## Failed in an orderly way',
      '',
      '| times | by | message | class | disturbances |',
      '|---|---|---|---|---|',
    );
    for (const { count, by, message, class: kind, kinds } of report.surfaced)
      lines.push(`| ${count} | ${by} | ${plain(message)} | ${kind} | ${plain(kinds.join(', '))} |`);
    lines.push('');
  }
  for (const text of [...report.warnings, ...report.incomplete.map(incompleteText)]) lines.push(`- ${plain(text)}`);
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Annotations of GitHub Actions: one for each finding. */
export const exploreGithub = (report: ExploreReport, again: Again = {}): string =>
  annotated([
    ...report.findings.map((finding) => ({
      kind: 'error' as const,
      title: `explore: ${finding.law}`,
      lines: [finding.sentence, lawText(finding.law), ...againLines(finding, again)],
    })),
    ...report.incomplete.map((why) => ({ kind: 'warning' as const, title: 'explore', lines: [incompleteText(why)] })),
    { kind: 'notice', title: 'explore', lines: [summaryText(report)] },
  ]);
