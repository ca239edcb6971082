import { MARKS, type Row } from '../../../emulator/contract/side-by-side.js';
import type { Fact } from '../clause.js';
import { exchangeView } from '../page/exchange.js';
import { breakable, type Content, command, html, later, type Markup, pageOf, pre } from '../page/markup.js';
import type { Line, Said, Section, Sheet, Table, TableRow } from './sheet.js';

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

const saidView = ({ text, beside, tone }: Said): Markup =>
  html`<p class="${tone === 'bad' || tone === 'warn' ? `callout ${tone}` : 'quiet'}">${breakable(text)}${
    beside === undefined ? undefined : html` ${breakable(beside)}`
  }</p>`;

const TONES = { good: 'pass', bad: 'fail', warn: 'warn', fault: 'error', new: 'new', quiet: 'skip' } as const;

const badgeView = ({ mark, tone = 'quiet' }: Line): Markup | undefined => {
  const word = mark.trim();
  return word === '' ? undefined : html`<span class="badge ${TONES[tone]} ${word}">${word}</span> `;
};

/** The headings of facts, by their names. */
const HEADINGS: Readonly<Record<string, string>> = {
  interface: 'The interface says',
  expected: 'Expected',
  actual: 'Actual',
  values: 'Values that show it',
  known: 'In the baseline',
  'shown by': 'Shown by',
  again: 'To see it again',
  curl: 'The last request, as a command',
  debug: 'To serve the same to a debugger',
};

const factView = ([name, text]: Fact, kind = ''): Markup =>
  html`<div><h3>${breakable(HEADINGS[name] ?? name)}</h3>${pre(text, kind)}</div>`;

/** Facts in their order, the expected value beside the actual one. */
function factsView(facts: readonly Fact[]): (Markup | undefined)[] {
  const actual = facts.find(([name]) => name === 'actual');
  return facts.map((fact) => {
    if (fact === actual) return undefined;
    if (fact[0] === 'what') return html`<p>${breakable(fact[1])}</p>`;
    if (fact[0] !== 'expected' || actual === undefined) return factView(fact);
    return html`<div class="sides">${factView(fact, 'good')}${factView(actual, 'bad')}</div>`;
  });
}

type Talk = Sheet['talk'];

/** Everything about a line, below its first row. */
function bodyView({ said = [], facts = [], exchanges = [], finding, runs, again = [], ids }: Line, talk: Talk) {
  const conversation = html`<div class="talk"><h3>The conversation</h3>${exchanges.map((one) => exchangeView(one, talk, finding))}</div>`;
  return html`${said.map(saidView)}${ids === undefined ? undefined : html`<p class="quiet">${ids.join(', ')}</p>`}${factsView(facts)}${
    exchanges.length === 0 ? undefined : later(conversation)
  }${runs === undefined ? undefined : runsView(runs)}${again.map(
    ([name, text]) => html`<h3>${HEADINGS[name] ?? name}</h3>${command(text)}`,
  )}`;
}

/** Most characters of a text that the search looks in. */
const SEARCHED = 300;

/** A result: one row, which opens to show everything known about it. */
function resultView(line: Line, talk: Talk): Markup {
  const { mark, subject, sentence = '', beside = '', level, said = [], facts = [] } = line;
  const texts = [subject, beside, sentence, ...said.map(({ text }) => text), ...facts.map(([, text]) => text)];
  const text = texts.map((one) => one.slice(0, SEARCHED)).join(' ');
  return html`<details class="result" id="check-${subject}" data-verdict="${mark.trim()}" data-level="${level}" data-text="${text.toLowerCase()}"><summary>${badgeView(line)}<span class="sentence"><b>${subject}</b> <span class="quiet">${breakable(sentence)}</span></span><span class="many">${beside}</span></summary><div class="body">${bodyView(line, talk)}</div></details>`;
}

/** A row that opens to others. `isQuiet`: it opens by itself only where the search finds something in it. */
const foldView = (first: Markup, many: string, inside: Content, isQuiet = true): Markup =>
  html`<details class="${isQuiet ? 'group fold' : 'group'}"><summary>${first}<span class="many">${many}</span></summary><div class="members">${inside}</div></details>`;

/** How many results of one line a page shows: each is kilobytes, and those of one line say the same. */
const SHOWN = 100;

function membersView(members: NonNullable<Line['members']>, talk: Talk): Markup {
  const more = members.length - SHOWN;
  return html`${members.slice(0, SHOWN).map((lineOf) => resultView(lineOf(), talk))}${
    more > 0 ? html`<p class="hint">and ${more} more: <code>--report json</code> has all.</p>` : undefined
  }`;
}

/** A line that opens to others. */
function groupView(line: Line, talk: Talk, isQuiet: boolean): Markup {
  const { beside, members = [], said = [], sentence, subject } = line;
  const follows = [beside, ...said.map(({ text }) => text)].flatMap((text) =>
    text === undefined ? [] : html`<span class="follows">${breakable(text)}</span>`,
  );
  const text = isQuiet && sentence ? `${subject}: ${sentence}` : sentence || subject;
  const first = html`${badgeView(line)}<span class="sentence">${breakable(text)}${follows}</span>`;
  return foldView(first, isQuiet ? '' : subject, membersView(members, talk), isQuiet);
}

/** A line without anything to open. */
const entryView = (line: Line, talk: Talk): Markup =>
  html`<li>${badgeView(line)}<b>${breakable(line.subject)}</b>${
    line.sentence === undefined ? undefined : html` ${breakable(line.sentence)}`
  }${line.beside === undefined ? undefined : html` <span class="quiet">${breakable(line.beside)}</span>`}${bodyView(line, talk)}</li>`;

/** Cells of a row that make a sentence. The others are numbers beside it. */
const SAID = 3;

/** A row of a table, which opens to what it sums up. */
function rowView({ cells, members }: TableRow, head: Table['head'], talk: Talk): Markup {
  const sentence = breakable(cells.slice(0, SAID).join(' '));
  if (members === undefined) return html`<p class="hint">${sentence}</p>`;
  const beside = cells.slice(SAID).flatMap((text, at) => {
    if (text === '') return [];
    return /^\d+$/.test(text) ? `${text} ${head[SAID + at]}` : text;
  });
  return foldView(html`<span class="sentence">${sentence}</span>`, beside.join(', '), membersView(members, talk));
}

function tableView({ head, groups }: Table, talk: Talk): Content {
  if (groups.some(({ rows }) => rows.some(({ members }) => members !== undefined)))
    return groups.map(({ title, rows }) => {
      const views = rows.map((row) => rowView(row, head, talk));
      return title === undefined ? views : foldView(html`<span class="sentence">${title}</span>`, '', views);
    });
  return html`<div class="scroll-x"><table><thead><tr>${head.map((one) => html`<th>${one}</th>`)}</tr></thead><tbody>${groups.map(
    ({ title: group, rows }) => [
      group === undefined ? undefined : html`<tr><th>${group}</th></tr>`,
      ...rows.map(({ cells }) => html`<tr>${cells.map((one) => html`<td>${breakable(one)}</td>`)}</tr>`),
    ],
  )}</tbody></table></div>`;
}

function sectionView({ title, lines, after = [], table }: Section, talk: Talk): Markup | undefined {
  if (lines.length === 0 && table === undefined) return undefined;
  const folds = lines.some(({ members }) => members !== undefined);
  return html`<section class="panel">${title === undefined ? undefined : html`<h2>${title}</h2>`}${
    folds
      ? lines.map((line) => groupView(line, talk, true))
      : lines.length === 0
        ? undefined
        : html`<ul class="entries">${lines.map((line) => entryView(line, talk))}</ul>`
  }${after.map(saidView)}${table && tableView(table, talk)}</section>`;
}

type Counts = NonNullable<Sheet['counts']>;

/** The verdicts as one bar, each as wide as it is frequent. */
function barView(counts: Counts): Markup {
  const of = counts.reduce((sum, { many }) => sum + many, 0);
  let x = 0;
  const parts = counts.toReversed().map(({ label, many }) => {
    const width = (many / Math.max(1, of)) * 100;
    const part = html`<rect class="${label}" x="${x.toFixed(3)}" y="0" width="${width.toFixed(3)}" height="10"></rect>`;
    x += width;
    return part;
  });
  const said = counts.map(({ label, many }) => `${many} ${label}`).join(', ');
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${said}">${parts}</svg>
<p class="legend">${counts.map(
    ({ label, many, means }) => html`<span><span class="badge ${label}">${many} ${label}</span> ${means}</span>`,
  )}</p>`;
}

const filtersView = (counts: Counts): Markup =>
  html`<form class="filters" aria-label="Filters">${counts.map(
    ({ label }) =>
      html`<label><input type="checkbox" name="verdict" value="${label}" checked> <span class="badge ${label}">${label}</span></label>`,
  )}<label>level <select name="level"><option value="">all</option><option value="S">stated</option><option value="P">published</option><option value="C">chosen</option></select></label><label>find <input type="search" name="find" placeholder="id, requirement or words"></label><span class="shown quiet" aria-live="polite"></span><span class="hint"><kbd>/</kbd> find, <kbd>j</kbd> <kbd>k</kbd> down and up, <kbd>Enter</kbd> open</span></form>`;

/** The results of a run that are wrong, and the filters of all. */
const wrongView = (found: readonly Line[], talk: Talk): Markup =>
  html`<section class="panel" id="wrong"><h2>What is wrong</h2>${
    found.length === 0 ? html`<p class="hint">Nothing.</p>` : found.map((line) => groupView(line, talk, false))
  }</section>`;

/** A sheet as one page. It loads nothing, and shows words of programs and targets as plain text (KIT-14). */
export function pageText(sheet: Sheet): string {
  const { counts, explained, first, notes, sections, sum, talk, title, verdict, word, heading = word } = sheet;
  const said = `${heading.charAt(0).toUpperCase()}${heading.slice(1)}`;
  const isGroup = ({ findings = [] }: Section) => findings.some(({ members }) => members !== undefined);
  const found = sections.filter(isGroup).flatMap(({ findings = [] }) => findings);
  return pageOf(
    `${title}: ${heading.toLowerCase()}`,
    verdict,
    html`<header class="head"><div class="inner"><p class="verdict ${verdict}">${first === undefined ? title : `${title}: ${word}`}</p><h1>${first ?? said}</h1><p class="coverage">${breakable(sum)}</p>${
      counts && barView(counts)
    }${notes.map(saidView)}${explained && html`<p class="hint">${explained}</p>`}</div></header><main id="main">${
      counts && html`${filtersView(counts)}${wrongView(found, talk)}`
    }${sections.filter((one) => !isGroup(one)).map((one) => sectionView(one, talk))}</main>`,
  );
}
