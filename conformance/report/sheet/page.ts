import { MARKS, type Row } from '../../../emulator/console/page/side-by-side.js';
import { breakable, command, html, type Markup, pageOf, pre } from '../page/markup.js';
import type { Line, Said, Section, Sheet } from './sheet.js';

/** Longer output of a program is folded. In characters. */
const LONG = 60;

const cell = (side: Row['left']): Markup => {
  if (side === undefined) return html`<td></td>`;
  const text = breakable(MARKS[side.kind] + side.text);
  if (side.kind === 'disturbance') return html`<td class="disturbance"><mark>${text}</mark></td>`;
  return side.kind === 'print' && side.text.length > LONG
    ? html`<td class="print"><details><summary>prints</summary>${text}</details></td>`
    : html`<td class="${side.kind}">${text}</td>`;
};

const runsView = (runs: readonly Row[]): Markup =>
  html`<table class="even runs"><thead><tr><th>undisturbed</th><th>disturbed</th></tr></thead><tbody>${runs.map(
    (row) => html`<tr${row.equal ? html` class="equal"` : undefined}>${cell(row.left)}${cell(row.right)}</tr>`,
  )}</tbody></table>`;

const saidView = ({ text, beside }: Said): Markup =>
  html`<p class="quiet">${breakable(text)}${beside === undefined ? undefined : html` ${breakable(beside)}`}</p>`;

const noteView = (note: Said): Markup =>
  note.tone === 'bad' || note.tone === 'warn'
    ? html`<p class="callout ${note.tone}">${breakable(note.text)}</p>`
    : saidView(note);

/** The purpose of a command, by its name. */
const AGAIN: Readonly<Record<string, string>> = {
  again: 'To see it again',
  debug: 'To serve the same to a debugger',
};

function lineView({
  mark,
  tone,
  subject,
  sentence,
  beside,
  said = [],
  facts = [],
  runs,
  again = [],
  ids,
}: Line): Markup {
  const badge = { good: 'pass', bad: 'fail', warn: 'warn', fault: 'error', new: 'new', quiet: 'skip' }[tone ?? 'quiet'];
  return html`<li>${mark === '' ? undefined : html`<span class="badge ${badge}">${mark.trim()}</span> `}<b>${breakable(subject)}</b>${
    sentence === undefined ? undefined : html` ${breakable(sentence)}`
  }${beside === undefined ? undefined : html` <span class="quiet">${breakable(beside)}</span>`}${said.map(saidView)}${
    ids === undefined ? undefined : html`<p class="quiet">${ids.join(', ')}</p>`
  }${facts.map(([name, text]) => html`<h3>${name}</h3>${pre(text)}`)}${runs === undefined ? undefined : runsView(runs)}${again.map(
    ([name, text]) => html`<h3>${AGAIN[name] ?? name}</h3>${command(text)}`,
  )}</li>`;
}

function sectionView({ title, lines, after = [], table }: Section): Markup | undefined {
  if (lines.length === 0 && table === undefined) return undefined;
  return html`<section class="panel">${title === undefined ? undefined : html`<h2>${title}</h2>`}<ul class="entries">${lines.map(lineView)}</ul>${after.map(saidView)}${
    table === undefined
      ? undefined
      : html`<div class="scroll-x"><table><thead><tr>${table.head.map((one) => html`<th>${one}</th>`)}</tr></thead><tbody>${table.groups.map(
          ({ title: group, rows }) => [
            group === undefined ? undefined : html`<tr><th>${group}</th></tr>`,
            ...rows.map((row) => html`<tr>${row.map((one) => html`<td>${breakable(one)}</td>`)}</tr>`),
          ],
        )}</tbody></table></div>`
  }</section>`;
}

/** A sheet as one page. It loads nothing, and shows words of programs and targets as plain text. */
export const pageText = ({ title, verdict, word, sum, first, explained, notes, sections }: Sheet): string =>
  pageOf(
    `${title}: ${word}`,
    verdict,
    html`<header class="head"><div class="inner"><p class="verdict ${verdict}">${title}: ${word}</p><h1>${first ?? sum}</h1>${
      first === undefined ? undefined : html`<p class="coverage">${sum}</p>`
    }${explained === undefined ? undefined : saidView({ text: explained })}${notes.map(noteView)}</div></header><main id="main">${sections.map(sectionView)}</main>`,
  );
