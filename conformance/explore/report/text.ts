import pc from 'picocolors';
import { MARKS, shortened, sideBySide } from '../../../emulator/console/page/side-by-side.js';
import { counted } from '../../../emulator/contract/counted.js';
import { visible } from '../../../emulator/contract/visible.js';
import { seconds } from '../../reporters/stream-text.js';
import { CLASSES, type ExploreReport, type Finding, type TimeLineEntry } from '../types.js';
import {
  type Again,
  againLines,
  broughtAbout,
  CLASS_TEXTS,
  incompleteText,
  lawText,
  SURFACED_TEXTS,
  summaryText,
  VERDICT_WORDS,
  verdictOf,
} from './words.js';

export interface TextOptions extends Again {
  readonly colour?: boolean;
  /** `false` leaves times out, so that equal runs have equal texts. */
  readonly timed?: boolean;
  /** Columns of the terminal. */
  readonly width?: number;
}

const clip = (text: string, most: number): string => {
  const characters = [...text.replace(/\s+/g, ' ')];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
};
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - [...text].length));

/** An entry of a time line as a line. */
export const entryText = ({ kind, text }: Pick<TimeLineEntry, 'kind' | 'text'>): string => visible(MARKS[kind] + text);

/** Both time lines beside each other, in lines. */
function timeLines(report: Omit<ExploreReport, 'text'>, finding: Finding, width: number, c: typeof pc): string[] {
  const column = Math.max(30, Math.floor((width - 9) / 2));
  const head = `    ${c.dim(padded('undisturbed', column))} ${c.dim('│')} ${c.dim('disturbed')}`;
  return [
    head,
    ...shortened(sideBySide((finding.test ?? report.straight).timeLine, finding.timeLine)).map((row) => {
      if (typeof row === 'number') return c.dim(`    … ${counted(row, 'line')} alike`);
      const left = padded(row.left === undefined ? '' : clip(entryText(row.left), column), column);
      const right = row.right === undefined ? '' : clip(entryText(row.right), column);
      if (row.equal) return c.dim(`    ${left} │ ${right}`);
      const paint = row.right?.kind === 'disturbance' ? c.yellow : c.bold;
      return `    ${c.dim(left)} ${c.dim('│')} ${paint(right)}`.trimEnd();
    }),
  ];
}

function findingLines(
  report: Omit<ExploreReport, 'text'>,
  finding: Finding,
  options: TextOptions,
  c: typeof pc,
): string[] {
  const more = broughtAbout(finding);
  const again = againLines(finding, options);
  return [
    `${c.red('✗')} ${c.bold(c.red(finding.law))}  ${c.bold(visible(finding.sentence))}`,
    c.dim(`  ${lawText(finding.law)}`),
    ...(more === undefined ? [] : [c.dim(`  ${more}`)]),
    ...timeLines(report, finding, options.width ?? 120, c),
    ...again.map((line, at) => `  ${padded(at > 0 ? 'debug' : 'again', 6)}${line}`),
  ];
}

/** The report for a terminal: what broke a law first, then what else there is to know. Made for somebody who reads it first. */
export function exploreText(report: Omit<ExploreReport, 'text'>, options: TextOptions = {}): string {
  const c = pc.createColors(options.colour === true) as typeof pc;
  const { findings, unnoticed, surfaced, counts, straight, warnings, incomplete, timing } = report;
  const lines: string[] = [];
  for (const finding of findings) lines.push('', ...findingLines(report, finding, options, c));
  if (unnoticed.length > 0) lines.push('', c.bold('It passed, and its user heard nothing (--fail-on unnoticed)'));
  for (const finding of unnoticed) {
    const more = broughtAbout(finding);
    lines.push(`  ${visible(finding.sentence)}`, ...(more === undefined ? [] : [c.dim(`    ${more}`)]));
    lines.push(
      ...againLines(finding, options).map((line, at) => c.dim(`    ${padded(at > 0 ? 'debug' : 'again', 6)}${line}`)),
    );
  }
  for (const by of ['test', 'app'] as const) {
    const its = surfaced.filter((one) => one.by === by);
    if (its.length > 0) lines.push('', c.bold(SURFACED_TEXTS[by]));
    for (const kind of CLASSES)
      for (const { message, kinds, count } of its.filter((one) => one.class === kind))
        lines.push(
          `  ${String(count).padStart(4)} × ${visible(clip(message, 90))}  ${c.dim(`${kind}: ${kinds.join(', ')}`)}`,
        );
  }
  if (surfaced.length > 0) lines.push(c.dim(`  ${CLASSES.map((kind) => `${kind}: ${CLASS_TEXTS[kind]}`).join('; ')}`));
  if (warnings.length > 0) lines.push('', c.bold('Also worth knowing'));
  for (const warning of warnings) lines.push(`  ${c.yellow(visible(warning))}`);
  const verdict = verdictOf(report);
  const paint = { clean: c.green, unnoticed: c.yellow, broken: c.red, incomplete: c.yellow }[verdict];
  lines.push('', `${c.bold(paint(VERDICT_WORDS[verdict]))}: ${summaryText(report)}`);
  // Repeated at the end, because what is above may fill many screens.
  for (const { law, sentence } of findings) lines.push(`  ${c.red('✗')} ${law}: ${visible(sentence)}`);
  lines.push(
    c.dim(
      `  ${counted(straight.requests, 'request')} and ${counted(straight.moments.length, 'moment')} in the undisturbed run; ` +
        `the program read ${counts.readToEnd} of ${counted(counts.disturbed, 'disturbed answer')} to the end; ` +
        `${options.timed === false ? '' : `${seconds(timing.ms)}, ${timing.msPerRun.toFixed(1)} ms a run, `}seed ${report.seed}`,
    ),
  );
  for (const why of incomplete) lines.push(c.yellow(`  ${incompleteText(why)}`));
  return `${lines.join('\n').replace(/^\n/, '')}\n`;
}
