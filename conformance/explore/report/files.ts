/** Reports for machines and for pages, of the same words and parts as those of the kit. */

import { visibleJson } from '../../../emulator/contract/visible.js';
import { type Case, junitOf } from '../../report/junit.js';
import { momentName } from '../moments.js';
import type { ExploreReport, Finding, ScheduleResult } from '../types.js';
import { type Again, againLines, headlineOf, lawText, summaryText } from './words.js';

/** All of it, for programs. The text is left out: it is made of the rest. */
export function exploreJson({ text: _, ...report }: ExploreReport, { fileOf }: Again = {}): string {
  const withFile = (finding: Finding) => {
    const file = fileOf?.(finding);
    return { ...finding, says: lawText(finding.law), ...(file !== undefined && { file }) };
  };
  const [findings, unnoticed] = [report.findings, report.unnoticed].map((list) => list.map(withFile));
  return `${visibleJson({ ...report, headline: headlineOf(report), findings, unnoticed }, 2)}\n`;
}

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
      name: `${test === undefined ? '' : `${test}: `}${schedule.kind} at ${momentName(schedule.moment, ', ')} [${id}]`,
    };
    if (verdict === 'not-reached') return { ...one, outcome: { kind: 'skipped', message: 'its moment did not come' } };
    if (verdict !== 'breach') return one;
    const finding = findingOf(report, schedule);
    const text = [lawText(law), message, ...(finding ? againLines(finding, again) : [])].join('\n');
    return { ...one, outcome: { kind: 'failure', message: finding?.sentence ?? message, type: law, text } };
  });
  return junitOf({ tool: 'explore', of: 'explore', ms: report.timing.ms, headline: summaryText(report), cases });
}
