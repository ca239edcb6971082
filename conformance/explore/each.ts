import { terminalText } from '../report/sheet/terminal.js';
import { mergedOf } from './findings.js';
import { sheetOf } from './report/sheet.js';
import type { ExploreReport, Finding } from './types.js';

/** The result of one test of a suite. */
export interface Explored {
  readonly name: string;
  readonly command: readonly string[];
  readonly report: ExploreReport;
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

/** One report of all tests of a suite: each finding names its test, and has that test's undisturbed run beside its own. */
export function togetherOf(all: readonly Explored[], seed: string, incomplete: readonly string[] = []): ExploreReport {
  const reports = all.map(({ report }) => report);
  const sum = (of: (report: ExploreReport) => number): number => reports.reduce((total, one) => total + of(one), 0);
  const named = (of: (report: ExploreReport) => readonly Finding[]) =>
    all.flatMap(({ name, command, report }) =>
      of(report).map(
        (finding): Finding => ({
          ...finding,
          sentence: `${name}: ${finding.sentence}`,
          schedule: { ...finding.schedule, explore: { ...finding.schedule.explore, test: name } },
          test: { name, command, timeLine: report.straight.timeLine },
        }),
      ),
    );
  const [run, ms] = [sum(({ counts }) => counts.run), sum(({ timing }) => timing.ms)];
  const report: Omit<ExploreReport, 'text'> = {
    format: 'intern-explore',
    version: 1,
    seed,
    straight: {
      requests: sum(({ straight }) => straight.requests),
      moments: reports.flatMap(({ straight }) => straight.moments),
      leftOut: reports.flatMap(({ straight }) => straight.leftOut),
      timeLine: [],
    },
    schedules: all.flatMap(({ name, report }) => report.schedules.map((one) => ({ ...one, test: name }))),
    findings: named(({ findings }) => findings),
    unnoticed: named(({ unnoticed }) => unnoticed),
    surfaced: mergedOf(reports.flatMap(({ surfaced }) => surfaced)),
    counts: {
      schedules: sum(({ counts }) => counts.schedules),
      run,
      survived: sum(({ counts }) => counts.survived),
      unnoticed: sum(({ counts }) => counts.unnoticed),
      surfaced: sum(({ counts }) => counts.surfaced),
      byTest: sum(({ counts }) => counts.byTest),
      breach: sum(({ counts }) => counts.breach),
      notReached: sum(({ counts }) => counts.notReached),
      readToEnd: sum(({ counts }) => counts.readToEnd),
      disturbed: sum(({ counts }) => counts.disturbed),
    },
    warnings: unique(all.flatMap(({ name, report }) => report.warnings.map((warning) => `${name}: ${warning}`))),
    incomplete: unique([...reports.flatMap((report) => report.incomplete), ...incomplete]),
    timing: { ms, msPerRun: Math.round((10 * ms) / Math.max(1, run)) / 10 },
  };
  return { ...report, text: terminalText(sheetOf(report)) };
}
