import { counted } from '../../../emulator/contract/counted.js';
import { visible } from '../../../emulator/contract/visible.js';
import { factLines } from '../clause.js';
import { exchangeLines, sliceOf } from '../stream-text.js';
import type { Line, Said, Sheet, Tone } from './sheet.js';
import { runRows } from './terminal.js';

/** Text that Markdown and the HTML within it read as text only. */
export const plain = (text: string): string =>
  visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\\`*_[\]|#@~]/g, '\\$&')
    .replace(/\s*\n\s*/g, ' ');

/** A fence that the text cannot close. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((found) => found[0].length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, visible(text), fence];
}

const folded = (title: string, text: string): string[] => [
  '',
  `<details><summary>${title}</summary>`,
  '',
  ...fenced(text),
  '',
  '</details>',
];

const ICONS: Readonly<Record<Tone, string>> = {
  good: '✅',
  bad: '❌',
  warn: '⚠️',
  fault: '💥',
  new: '🆕',
  quiet: '⏭️',
};
const VERDICTS = { pass: ICONS.good, fail: ICONS.bad, incomplete: ICONS.warn } as const;

const saidText = ({ text, beside }: Said): string => plain(beside === undefined ? text : `${text} ${beside}`);

const briefLine = ({ mark, subject, sentence, beside, ids }: Line): string => {
  const parts = [`${mark.trim()} ${subject}`.trim(), sentence, beside];
  const named =
    ids === undefined || ids.length === 0
      ? ''
      : ` <details><summary>${counted(ids.length, 'check')}</summary>${plain(ids.join(', '))}</details>`;
  return `- ${parts.flatMap((part) => (part === undefined || part === '' ? [] : plain(part))).join(': ')}${named}`;
};

function lineText(line: Line): string[] {
  const {
    said = [],
    facts = [],
    exchanges = [],
    finding,
    runs,
    again = [],
    beside,
    ids,
    tone,
    subject,
    sentence,
  } = line;
  if (said.length + facts.length + again.length === 0) return [briefLine(line)];
  const named = ids === undefined || ids.length === 0 ? [] : ['', plain(ids.join(', '))];
  const head = [sentence === undefined ? subject : `${subject}: ${sentence}`, beside].flatMap((part) => part ?? []);
  const requests = (finding === undefined ? exchanges.slice(-5) : sliceOf(finding, 5)).flatMap((exchange) =>
    exchangeLines(exchange, 500, finding),
  );
  return [
    '',
    `### ${tone === undefined ? '' : `${ICONS[tone]} `}${plain(head.join(' — '))}`,
    ...said.flatMap((one) => ['', saidText(one)]),
    ...named,
    ...(facts.length === 0 ? [] : ['', ...fenced(factLines(facts).join('\n'))]),
    ...again.flatMap(([, text]) => ['', ...fenced(text)]),
    ...(requests.length === 0 ? [] : folded('Transcript', requests.join('\n'))),
    ...(runs === undefined ? [] : folded('Both runs', runRows(runs).join('\n'))),
  ];
}

/** A sheet to be read where Markdown is: pull requests, job summaries. */
export function markdownText({ title, verdict, word, sum, first, notes, sections }: Sheet): string {
  const lines = [`# ${VERDICTS[verdict]} ${plain(title)}: ${plain(word)}`, '', plain(sum)];
  if (first !== undefined) lines.push('', plain(first));
  lines.push(...notes.flatMap((said) => ['', saidText(said)]));
  for (const section of sections) {
    const { title: heading = '', lines: its, after = [], table } = section;
    if (its.length > 0 && heading !== '') lines.push('', `## ${plain(heading)}`, '');
    if (its.length > 0) lines.push(...its.flatMap(lineText));
    if (its.length > 0) lines.push(...after.flatMap((said) => ['', saidText(said)]));
    if (table === undefined || table.shown === 'page') continue;
    const row = (cells: readonly string[]) => `| ${cells.map(plain).join(' | ')} |`;
    const rows = [
      row(table.head),
      `|${'---|'.repeat(table.head.length)}`,
      ...table.groups.flatMap(({ title: group, rows: its }) => [
        ...(group === undefined ? [] : [`| **${plain(group)}** |${' |'.repeat(table.head.length - 1)}`]),
        ...its.map(({ cells }) => row(cells)),
      ]),
    ];
    if (table.shown === 'everywhere') lines.push('', `## ${plain(heading)}`, '', ...rows);
    else lines.push('', `<details><summary>${plain(heading)}</summary>`, '', ...rows, '', '</details>');
  }
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
}
