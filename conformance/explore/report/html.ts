import { type Row, sideBySide } from '../../../emulator/console/page/side-by-side.js';
import { counted } from '../../../emulator/contract/counted.js';
import { breakable, command, html, type Markup, pre } from '../../reporters/page/markup.js';
import { pageOf } from '../../reporters/page/shell.js';
import type { ExploreReport, Finding } from '../types.js';
import { entryText } from './text.js';
import {
  type Again,
  againLines,
  broughtAbout,
  CLASS_TEXTS,
  headlineOf,
  incompleteText,
  lawText,
  SURFACED_TEXTS,
  summaryText,
  TRIED_TEXTS,
  VERDICT_WORDS,
  verdictOf,
} from './words.js';

const cell = (entry: Row['left']): Markup =>
  entry === undefined ? html`<td></td>` : html`<td class="${entry.kind}">${textView(entry)}</td>`;
/** The place where it went wrong is marked, and long output is folded. */
const FOLDED = 60;
const textView = (entry: NonNullable<Row['left']>): Markup => {
  const text = breakable(entryText(entry));
  if (entry.kind === 'disturbance') return html`<mark>${text}</mark>`;
  return entry.kind === 'print' && entry.text.length > FOLDED
    ? html`<details><summary>prints</summary>${text}</details>`
    : html`${text}`;
};
const rowView = (row: Row): Markup =>
  html`<tr${row.equal ? html` class="equal"` : undefined}>${cell(row.left)}${cell(row.right)}</tr>`;

function findingView(report: ExploreReport, finding: Finding, again: Again): Markup {
  const lines = againLines(finding, again);
  return html`<section class="panel"><h3><span class="badge breach">${finding.law}</span> ${breakable(finding.sentence)}</h3>
<p class="quiet">${lawText(finding.law)} ${broughtAbout(finding)}</p>
<table class="runs"><thead><tr><th>undisturbed</th><th>disturbed</th></tr></thead><tbody>${sideBySide((finding.test ?? report.straight).timeLine, finding.timeLine).map(rowView)}</tbody></table>${lines.map(
    (line, at) => html`<h3>${at === 0 ? 'To see it again' : 'To serve the same to a debugger'}</h3>${command(line)}`,
  )}<details><summary>The schedule</summary>${pre(JSON.stringify(finding.schedule, null, 2))}</details></section>`;
}

/** One self-contained page: no request leaves it, and it holds what a program said as text. */
export function exploreHtml(report: ExploreReport, again: Again = {}): string {
  const verdict = verdictOf(report);
  const { counts, straight } = report;
  const colour = { clean: 'pass', unnoticed: 'incomplete', broken: 'fail', incomplete: 'incomplete' }[verdict];
  return pageOf(
    `Explore: ${VERDICT_WORDS[verdict]}`,
    colour,
    html`<header class="head"><div class="inner"><p class="verdict ${colour}">Explore: ${VERDICT_WORDS[verdict]}</p><h1>${headlineOf(report)}</h1><p class="coverage">${summaryText(report)}</p>
<p class="quiet">A schedule is one thing that goes wrong, or differs, at one moment: the program ran once more for each. ${Object.values(TRIED_TEXTS).join(' ')}</p>
<p class="quiet">${counted(straight.requests, 'request')} and ${counted(straight.moments.length, 'moment')} in the undisturbed run; the program read ${counts.readToEnd} of ${counted(counts.disturbed, 'disturbed answer')} to the end; seed ${report.seed}</p>${
      report.incomplete.length + report.warnings.length === 0
        ? undefined
        : html`<ul>${[...report.incomplete.map(incompleteText), ...report.warnings].map((text) => html`<li>${breakable(text)}</li>`)}</ul>`
    }</div></header><main id="main">${report.findings.length === 0 ? undefined : html`<h2>Laws that it broke</h2>`}${report.findings.map((finding) => findingView(report, finding, again))}${report.unnoticed.length === 0 ? undefined : html`<h2>Passed, and its user heard nothing</h2>`}${report.unnoticed.map((finding) => findingView(report, finding, again))}
<section class="panel"><h2>Failed in an orderly way</h2>${
      report.surfaced.length === 0
        ? html`<p>Never.</p>`
        : html`<table><thead><tr><th>times</th><th>by</th><th>message</th><th>class</th><th>disturbances</th></tr></thead><tbody>${report.surfaced.map(
            (one) =>
              html`<tr><td>${one.count}</td><td class="cells" title="${SURFACED_TEXTS[one.by]}">${one.by}</td><td>${breakable(one.message)}</td><td class="cells" title="${CLASS_TEXTS[one.class]}">${one.class}</td><td>${one.kinds.join(', ')}</td></tr>`,
          )}</tbody></table>`
    }</section>
<section class="panel"><h2>Schedules</h2><div class="scroll-x"><table><thead><tr><th>verdict</th><th>disturbance</th><th>moment</th><th>class</th></tr></thead><tbody>${report.schedules.map(
      ({ verdict: what, kind, moment, class: group, law }) =>
        html`<tr><td><span class="badge ${what}">${what}</span> ${law ?? ''}</td><td>${kind}</td><td>${`${moment.operation} ${moment.nth} ${moment.write ?? moment.state ?? ''}`}</td><td title="${CLASS_TEXTS[group]}">${group}</td></tr>`,
    )}</tbody></table></div></section></main>`,
  );
}
