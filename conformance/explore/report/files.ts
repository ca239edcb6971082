import { visibleJson } from '../../../emulator/contract/visible.js';
import { type Case, junitOf } from '../../report/junit.js';
import { githubText } from '../../report/sheet/github.js';
import { markdownText } from '../../report/sheet/markdown.js';
import { pageText } from '../../report/sheet/page.js';
import { type TerminalOptions, terminalText } from '../../report/sheet/terminal.js';
import { momentName } from '../moments.js';
import type { ExploreReport, Finding, ScheduleResult } from '../types.js';
import { sheetOf } from './sheet.js';
import { type Again, againLines, headlineOf, lawText, summaryText } from './words.js';

/** Reports for machines and for pages, of the same words and parts as those of the kit. */

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

export interface ReportOptions extends Again, TerminalOptions {}

/** Every kind of report of an exploration by its name, as the kit's are named. */
export const EXPLORE_REPORTERS = {
  tty: (report, options = {}) => terminalText(sheetOf(report, { ...options, timed: true }), options),
  json: exploreJson,
  junit: exploreJunit,
  html: (report, options) => pageText(sheetOf(report, options)),
  markdown: (report, options) => markdownText(sheetOf(report, options)),
  github: (report, options) => githubText(sheetOf(report, options)),
} as const satisfies Record<string, (report: ExploreReport, options?: ReportOptions) => string>;
export type ExploreReportKind = keyof typeof EXPLORE_REPORTERS;
export const EXPLORE_REPORT_KINDS = Object.keys(EXPLORE_REPORTERS) as readonly ExploreReportKind[];
