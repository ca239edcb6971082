import pc from 'picocolors';
import { counted } from '../../../emulator/contract/counted.js';
import { MARKS, type Row, shortened } from '../../../emulator/contract/side-by-side.js';
import { visible } from '../../../emulator/contract/visible.js';
import type { Fact } from '../clause.js';
import { exchangeLines, joinLines, shortExchange, sliceOf } from '../stream-text.js';
import { type Line, type Said, type Sheet, type Table, TONES, type Tone } from './sheet.js';

/** The colours and the width of a terminal. */
export interface TerminalOptions {
  readonly colour?: boolean;
  /** Columns, for what stands side by side. */
  readonly width?: number;
}

/** The colours that a report uses; written out, so that its types need no package of their own. */
export type Colours = Record<
  'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta',
  (text: string) => string
>;

export const coloursFor = (colour = false): Colours => pc.createColors(colour);

export const painted = (c: Colours, tone: Tone | undefined, text: string): string =>
  tone === undefined
    ? text
    : { good: c.green, bad: c.red, warn: c.yellow, fault: c.magenta, new: c.cyan, quiet: c.dim }[tone](text);

/** Exchanges that are shown of a finding, and lines of each. */
const SHOWN = 3;
const LINES = 12;

/** A fact in rows, its name in front of the first. */
function factRows([name, text]: Fact, c: Colours): string[] {
  const paint = { expected: c.green, actual: c.red }[name] ?? String;
  const [first = '', ...rest] = visible(text).split('\n').map(paint);
  return [`  ${name.padEnd(9)} ${first}`, ...rest.map((row) => `            ${row}`)];
}

const saidRow = ({ text, beside, tone }: Said, c: Colours): string =>
  `  ${painted(c, tone, joinLines(text))}${beside === undefined ? '' : ` ${c.dim(joinLines(beside))}`}`;

const cell = (text: string, most: number): string => {
  const characters = [...text.replace(/\s+/g, ' ')];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
};
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - [...text].length));
const entry = (side: Row['left'], most: number): string =>
  side === undefined ? '' : cell(visible(MARKS[side.kind] + side.text), most);

/** Two runs beside each other. */
export function runRows(runs: readonly Row[], width = 120, c = coloursFor()): string[] {
  const column = Math.max(30, Math.floor((width - 9) / 2));
  return [
    `    ${c.dim(padded('undisturbed', column))} ${c.dim('│')} ${c.dim('disturbed')}`,
    ...shortened(runs).map((row) => {
      if (typeof row === 'number') return c.dim(`    … ${counted(row, 'line')} alike`);
      const [left, right] = [padded(entry(row.left, column), column), entry(row.right, column)];
      if (row.equal) return c.dim(`    ${left} │ ${right}`);
      const paint = row.right?.kind === 'disturbance' ? c.yellow : c.bold;
      return `    ${c.dim(left)} ${c.dim('│')} ${paint(right)}`.trimEnd();
    }),
  ];
}

/** A line with all that there is to know. */
export function fullRows(line: Line, c: Colours, width = 120): string[] {
  const { exchanges = [], finding, runs } = line;
  const sentence = line.sentence === undefined ? '' : `  ${c.bold(joinLines(line.sentence))}`;
  const beside = line.beside === undefined ? '' : `  ${c.dim(joinLines(line.beside))}`;
  const shown = finding === undefined ? exchanges.slice(-SHOWN) : sliceOf(finding, SHOWN);
  const before = exchanges.length - shown.length;
  return [
    `${painted(c, line.tone, line.mark)} ${c.bold(joinLines(line.subject))}${sentence}${beside}`,
    ...(line.said ?? []).map((said) => saidRow(said, c)),
    ...(line.facts ?? []).flatMap((fact) => factRows(fact, c)),
    ...(runs === undefined || line.short ? [] : runRows(runs, width, c)),
    ...(before > 0 ? [c.dim(`  … ${counted(before, 'more request')}`)] : []),
    ...shown
      .flatMap((exchange) => shortExchange(exchangeLines(exchange, 400, finding), LINES))
      .map((row) => c.dim(`  ${row}`)),
    ...(line.again ?? []).flatMap((fact) => factRows(fact, c)),
  ];
}

function briefRow({ mark, tone, subject, sentence, beside }: Line, c: Colours): string {
  const front = mark === '' ? '' : `${painted(c, tone, mark)}  `;
  const also = beside === undefined ? '' : `  ${c.dim(joinLines(beside))}`;
  return `  ${front}${joinLines(subject)}${sentence === undefined ? '' : `: ${joinLines(sentence)}`}${also}`;
}

const isBrief = ({ said, facts, runs, again }: Line): boolean =>
  said === undefined && facts === undefined && runs === undefined && again === undefined;

/** The narrowest column of sentences. */
const NARROW = 24;

/** A table in columns. The widest one, of sentences, is cut to the width. */
function tableRows({ head, groups }: Table, c: Colours, width = 120): string[] {
  const all = [head, ...groups.flatMap(({ rows }) => rows.map(({ cells }) => cells))];
  const widths = head.map((_, at) => Math.max(...all.map((row) => [...(row[at] ?? '')].length)));
  const widest = widths.indexOf(Math.max(...widths));
  const others = widths.reduce((sum, one, at) => sum + (at === widest ? 0 : one), 2 * widths.length);
  widths[widest] = Math.max(NARROW, Math.min(widths[widest] ?? 0, width - others));
  const line = (row: readonly string[]) =>
    `  ${row.map((text, at) => padded(cell(visible(text), widths[at] ?? 0), widths[at] ?? 0)).join('  ')}`.trimEnd();
  return [
    c.dim(line(head)),
    ...groups.flatMap(({ title, rows }) => [
      ...(title === undefined ? [] : [`  ${c.bold(title)}`]),
      ...rows.map(({ cells }) => line(cells)),
    ]),
  ];
}

export const headRow = ({ word, verdict, sum }: Pick<Sheet, 'word' | 'verdict' | 'sum'>, c: Colours): string =>
  `${c.bold(painted(c, TONES[verdict], joinLines(word)))}: ${joinLines(sum)}`;

/** A sheet for a terminal, which ends with what matters most. */
export function terminalText(sheet: Sheet, { colour, width }: TerminalOptions = {}): string {
  const c = coloursFor(colour);
  const rows: string[] = [];
  for (const { title, lines, after = [], table } of sheet.sections) {
    const isOpen = table?.shown === 'everywhere';
    if (lines.length === 0 && !isOpen) continue;
    if (title !== undefined) rows.push('', c.bold(joinLines(title)));
    if (isOpen) rows.push(...tableRows(table, c, width));
    for (const line of lines) rows.push(...(isBrief(line) ? [briefRow(line, c)] : ['', ...fullRows(line, c, width)]));
    rows.push(...after.map((said) => saidRow(said, c)));
  }
  const wrong = sheet.sections.flatMap(({ findings = [] }) => findings);
  if (wrong.length > 0) rows.push('', c.bold('What is wrong'), ...wrong.map((line) => briefRow(line, c)));
  rows.push('', headRow(sheet, c), ...sheet.notes.map((said) => saidRow(said, c)));
  return `${rows.join('\n').replace(/^\n+/, '')}\n`;
}
