import type { ExploreReport, TimeLineEntry } from './types.js';

const MARKS: Readonly<Record<TimeLineEntry['kind'], string>> = {
  request: '→',
  answer: '←',
  write: '  ·',
  end: '  ×',
  disturbance: '⚡',
  print: '  “',
  outcome: '=',
};

/** How many lines of a time line are shown. */
const LINES = 40;

const lineOf = ({ kind, text }: TimeLineEntry): string => `      ${MARKS[kind]} ${text}`;

function timeLine(entries: readonly TimeLineEntry[]): string[] {
  const lines = entries.map(lineOf);
  if (lines.length <= LINES) return lines;
  return [...lines.slice(0, LINES - 10), `      … ${lines.length - LINES} more …`, ...lines.slice(-10)];
}

/** The report in words, for a terminal or a failing test. */
export function textOf({
  counts,
  findings,
  surfaced,
  straight,
  warnings,
  incomplete,
}: Omit<ExploreReport, 'text'>): string {
  const { run, schedules } = counts;
  const headline =
    counts.breach === 0
      ? `explored: ${run} schedules, no law broken`
      : `explored: ${run} schedules, ${counts.breach} broke a law, in ${findings.length} ${findings.length === 1 ? 'way' : 'ways'}`;
  const lines = [
    headline,
    `  ${straight.requests} requests undisturbed; ${counts.survived} survived, ${counts.surfaced} failed in order, ${counts.breach} breaches, ${counts.notReached} not reached`,
    `  it read ${counts.readToEnd} of ${counts.disturbed} disturbed answers to the end`,
  ];
  if (incomplete.length > 0)
    lines.push(`  incomplete (${incomplete.join(', ')}): ${run} of ${schedules} schedules were run`);
  for (const warning of warnings) lines.push(`  warning: ${warning}`);
  findings.forEach((finding, at) => {
    lines.push('', `  ${at + 1}. ${finding.law} (${finding.count}×): ${finding.sentence}`);
    lines.push(...timeLine(finding.timeLine));
    lines.push(`      again: --schedule with ${JSON.stringify(finding.schedule)}`);
  });
  if (surfaced.length > 0) lines.push('', '  failed in order:');
  for (const { count, class: its, message, kinds } of surfaced.slice(0, 10))
    lines.push(`    ${count}× ${its} (${kinds.join(', ')}): ${message.split('\n')[0]?.slice(0, 200)}`);
  return `${lines.join('\n')}\n`;
}
