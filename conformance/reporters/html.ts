import type { CheckResult, FindingResult, Results } from '../engine/results.js';
import type { Exchange } from '../probe/exchange.js';
import { clauseOf } from './clause.js';
import { type FindingGroup, groups, skips } from './groups.js';
import { SCRIPT, STYLE } from './html-assets.js';
import { labelOf, labels } from './label.js';
import { streamRows } from './stream-picture.js';
import { seconds, value, visible } from './stream-text.js';
import { faultOf } from './title.js';
import { addressText, choices, LIKELY, unseen } from './tty.js';
import { hindranceText } from './words/cleanup.js';
import { notChecked } from './words/coverage.js';
import { findingText } from './words/finding.js';
import { knownText } from './words/known.js';
import { skipWords } from './words/skip.js';
import { incompleteText } from './words/stop.js';

/** Markup that is safe to join. Only {@link html} and {@link safe} make it. */
export interface Markup {
  readonly markup: string;
}
type Content = Markup | string | number | undefined | readonly Content[];

/** Text for HTML, in elements and in quoted attributes. */
const entities = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
const escaped = (text: string): string => entities(visible(text));

const render = (content: Content): string => {
  if (content === undefined) return '';
  if (typeof content === 'string' || typeof content === 'number') return escaped(String(content));
  if ('markup' in content) return content.markup;
  return content.map(render).join('');
};

/** Escapes every value, so that nothing from a target is ever read as markup. */
export const html = (strings: TemplateStringsArray, ...values: Content[]): Markup => ({
  markup: strings.reduce((text, string, at) => text + string + render(values[at]), ''),
});
export const safe = (markup: string): Markup => ({ markup });

/** Where JSON, addresses and headers may be broken, so that no word in them is. */
const JOINTS = /(?<=[,:;{}[\]()/=?&.|>])(?=[\w"{[<])|(?=\\)/;
export const breakable = (text: string): Markup => safe(visible(text).split(JOINTS).map(entities).join('<wbr>'));
export const pre = (text: string, kind = ''): Markup => html`<pre class="${kind}">${breakable(text)}</pre>`;

const VERDICTS = { pass: 'conforms', fail: 'does not conform', incomplete: 'incomplete' } as const;
const LEVELS = { S: 'stated', P: 'published', C: 'chosen' } as const;

const headerList = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, header]) => html`<div><b>${name}</b>: ${breakable(header)}</div>`);

function exchangeView(exchange: Exchange, last: boolean, finding?: FindingResult): Markup {
  const { request, response } = exchange;
  const status =
    response === undefined ? html`<span class="bad">no answer</span>` : html`<span>${response.status}</span>`;
  return html`<details class="exchange"${last ? safe(' open') : ''}>
<summary><span class="time">${seconds(exchange.at)}</span> <b>${request.method}</b> <span class="url">${breakable(request.url)}</span> → ${status}</summary>
${picture(exchange, finding)}${timeline(exchange)}<div class="sides"><div class="side"><h5>Request</h5><div class="headers">${headerList(request.headers)}</div>${
    request.body === undefined ? undefined : pre(request.body)
  }</div><div class="side"><h5>Answer${response === undefined ? '' : html` <span class="time">${seconds(response.at)}</span>`}</h5>${
    exchange.error === undefined ? undefined : html`<p class="bad">${breakable(exchange.error)}</p>`
  }${
    response === undefined
      ? undefined
      : html`<div class="headers">${headerList(response.headers)}</div>${response.pieces.map(
          (piece) => html`<div class="piece"><span class="time">${seconds(piece.at)}</span>${pre(piece.text)}</div>`,
        )}${response.ended === undefined || response.ended === 'end' ? undefined : html`<p class="ended">${response.ended}</p>`}`
  }</div></div></details>`;
}

/** What the search looks in: also what was found, asked and answered. */
function searched({ id, requirement: row, title, finding, error, skip }: CheckResult): string {
  const found = finding === undefined ? undefined : findingText(finding);
  const { need, why } = skip === undefined ? {} : skipWords(skip);
  const sides = [found?.expected ?? '', found?.actual ?? ''].map((side) => value(side, 300));
  return [id, row, finding?.breaks, title, found?.what, ...sides, error?.message, need, why]
    .filter((text) => text !== undefined)
    .join(' ')
    .toLowerCase();
}

/** A stream step by step, with what is wrong at its step. */
function picture(exchange: Exchange, finding: FindingResult | undefined): Markup | undefined {
  const rows = streamRows(exchange, finding);
  if (rows === undefined) return undefined;
  return html`<ol class="steps" aria-label="The stream, step by step">${rows.map(
    ({ at, text, kind, wrong }) =>
      html`<li class="${kind}${wrong === undefined ? '' : ' wrong'}"><span class="time">${seconds(at)}</span> <span>${breakable(text)}${
        wrong === undefined ? undefined : html` <b>← ${wrong}</b>`
      }</span></li>`,
  )}</ol>`;
}

/** A stream as a line of time: a mark for each write, and how it ended. */
function timeline(exchange: Exchange): Markup | undefined {
  const { response } = exchange;
  if (response === undefined || response.pieces.length < 2) return undefined;
  const end = Math.max(...response.pieces.map(({ at }) => at), response.at);
  const span = Math.max(1, end - exchange.at);
  const left = (at: number) => (((at - exchange.at) / span) * 100).toFixed(2);
  return html`<div class="timeline" role="img" aria-label="${`${response.pieces.length} writes in ${seconds(span)}`}"><i class="head" style="left:${left(response.at)}%"></i>${response.pieces.map(
    ({ at, text }) =>
      html`<i class="${text.includes('[DONE]') ? 'done' : text.startsWith(':') ? 'quiet' : ''}" style="left:${left(at)}%" title="${`${seconds(at)} ${text.slice(0, 80)}`}"></i>`,
  )}<span class="time">0</span><span class="time right">${seconds(span)}, ${response.ended ?? 'still open'}</span></div>`;
}

/** How many findings are named that follow from the first. */
const FOLLOWERS = 3;

/** What else a cause shows as. */
function followersView([, ...others]: FindingGroup['parts']): Markup | undefined {
  if (others.length === 0) return undefined;
  const more = others.length - FOLLOWERS;
  return html`<span class="follows dim">${LIKELY}: ${others
    .slice(0, FOLLOWERS)
    .map(({ title }, at) => [
      at === 0 ? '' : '; ',
      breakable(title),
    ])}${more > 0 ? `; and ${more} more` : undefined}</span>`;
}

/** What is wrong, largest group first: the part of the page that most readers need. */
function groupsView(results: Results): Markup | undefined {
  const found = groups(results.checks);
  if (found.length === 0) return undefined;
  return html`<ol class="groups">${found
    .slice(0, 12)
    .map(
      ({ title, many, checks, parts }) =>
        html`<li><span class="badge ${labelOf(checks[0])}">${labelOf(checks[0])}</span> <a href="#" data-open="${checks.map(({ id }) => id).join(' ')}">${
          checks.length > 1
            ? html`<b>${many}: ${breakable(title)}</b>`
            : html`<b>${breakable(title)}</b> <span class="dim">${checks[0].id}</span>`
        }${followersView(parts)}</a></li>`,
    )}${found.length > 12 ? html`<li class="dim">and ${found.length - 12} more below</li>` : undefined}</ol><p class="dim">fail: breaks what the interface states. warn: differs from the published API, which this target need not follow.</p>`;
}

/** Every requirement as a tile in the colour of its verdict. */
function mapView(results: Results): Markup | undefined {
  if (results.requirements.length === 0) return undefined;
  return html`<div class="map">${results.requirements.map(
    (row) =>
      html`<a href="#" class="tile ${row.verdict}" data-requirement="${row.id}" title="${row.sentence}">${row.id}</a>`,
  )}</div>`;
}

function checkView(check: CheckResult): Markup {
  const { id: row, sentence, where, quote } = clauseOf(check);
  const { finding, error } = check;
  const skip = check.skip === undefined ? undefined : { kind: check.skip.kind, ...skipWords(check.skip) };
  const found = finding === undefined ? undefined : findingText(finding);
  const verdict = labelOf(check);
  const open = finding !== undefined || error !== undefined;
  return html`<details class="check" id="check-${check.id}" data-verdict="${verdict}" data-level="${check.level}" data-text="${searched(check)}">
<summary><span class="badge ${verdict}">${verdict}</span> <b>${check.id}</b> <span class="dim">${row}, ${LEVELS[check.level]}</span><span class="title">${check.title}</span><span class="dim right">${check.requests} requests, ${seconds(check.duration)}</span></summary>
<div class="body"><blockquote>${sentence} <span class="dim">(${where})</span>${
    quote === undefined ? undefined : html`<p class="dim">The interface: <q>${quote}</q></p>`
  }</blockquote>${check.knownAs === undefined ? undefined : html`<p>In the baseline: ${breakable(knownText(check.knownAs))}</p>`}${skip === undefined ? undefined : html`<p>Skipped: ${skip.kind === 'need' ? 'needs ' : ''}<b>${skip.need}</b>: ${breakable(skip.why)}</p>`}${
    error === undefined
      ? undefined
      : html`<p class="bad">${faultOf(check)}: ${breakable(error.message)}</p>${pre(error.stack ?? '')}${error.transcript.map((one) => exchangeView(one, false))}`
  }${
    finding === undefined
      ? undefined
      : html`<p>${breakable(found?.what ?? '')}</p><div class="sides"><div class="side"><h5>Expected</h5>${pre(value(found?.expected), 'good')}</div><div class="side"><h5>Actual</h5>${pre(value(found?.actual), 'bad')}</div></div>${
          finding.property === undefined
            ? undefined
            : html`<h5>Values</h5>${pre(finding.property.counterexample.join('\n'))}<p class="dim">property ${finding.property.name}, run ${finding.property.runs}, ${finding.property.shrinks} shrinks</p>`
        }<h5>Again</h5><pre class="copy">${finding.replay}</pre>${
          finding.curl === undefined ? undefined : html`<h5>The last request</h5>${pre(finding.curl, 'copy')}`
        }<h5>Transcript</h5>${finding.transcript.map((one, at) => exchangeView(one, at === finding.transcript.length - 1, finding))}`
  }${
    !open && skip === undefined
      ? html`<p class="dim">${
          check.properties.length === 0
            ? 'Nothing found.'
            : check.properties.map((one) => `${one.name}: ${one.runs} runs`).join(', ')
        }</p>`
      : undefined
  }</div></details>`;
}

function matrixView(results: Results): Markup {
  return html`<table><thead><tr><th>requirement</th><th>level</th><th>verdict</th><th>sentence</th><th>checks</th></tr></thead><tbody>${results.requirements.map(
    (row) =>
      html`<tr data-verdict="${row.verdict}"><td><a href="#" data-requirement="${row.id}">${row.id}</a></td><td>${LEVELS[row.level]}</td><td><span class="badge ${row.verdict}">${row.verdict}</span></td><td>${row.sentence}${
        row.excluded === undefined ? undefined : html` <span class="dim">Not checked: ${row.excluded}</span>`
      }</td><td>${row.checks.length}</td></tr>`,
  )}</tbody></table>`;
}

function skippedView(results: Results): Markup | undefined {
  const found = skips(results.checks);
  if (found.length === 0) return undefined;
  return html`<h2>Skipped</h2><ul class="skips">${found.map(
    ({ need, why, ids }) =>
      html`<li><b>${need}</b>: ${why} <span class="dim">${ids.length} checks: ${ids.join(', ')}</span></li>`,
  )}</ul>`;
}

/** One self-contained page: no request leaves it, and it holds everything a target said as text. */
export function htmlReport(results: Results): string {
  const { cleanup, target } = results;
  const order = ['fail', 'error', 'warn', 'skip', 'pass-alternative', 'pass'];
  const sorted = [...results.checks].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const many = labels(results.checks);
  const filters = (['fail', 'warn', 'error', 'known', 'new', 'skip', 'pass-alternative', 'pass'] as const).map(
    (verdict) =>
      html`<label><input type="checkbox" name="verdict" value="${verdict}" checked> <span class="badge ${verdict}">${verdict}</span> ${many[verdict]}</label>`,
  );
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>Conformance: ${VERDICTS[results.verdict]}</title><style>${safe(STYLE)}</style></head><body>
<header class="${results.verdict}"><h1>${VERDICTS[results.verdict]}</h1><p>${addressText(target)} <span class="dim">${target.kind}${target.kind === 'client' ? '' : `, profile ${target.profile}`}${target.published ? ', published' : ''}</span></p>
<p class="coverage">${results.coverage.checked} of ${results.coverage.of} checked${
    results.coverage.checked === results.coverage.of
      ? undefined
      : html`, ${results.coverage.of - results.coverage.checked} not: ${notChecked(results.checks)
          .map(({ why, count }) => `${count} ${why}`)
          .join(', ')}`
  }.${unseen(results) === undefined ? undefined : html` <b>${unseen(results)}</b>`}</p>${groupsView(results)}${mapView(results)}
<p class="dim">${results.started}, ${seconds(results.duration)}, ${results.requests} requests${choices(results)}, kit ${results.kit}</p>${
    results.incomplete.length === 0
      ? undefined
      : html`<ul>${results.incomplete.map((reason) => html`<li>${incompleteText(reason)}</li>`)}</ul>`
  }<p class="dim">Each check of this kit is known to fail where it should: it catches at least one emulator that was made wrong on purpose.</p></header>
<main><h2>Checks</h2><form class="filters">${filters}<label>level <select name="level"><option value="">all</option><option value="S">stated</option><option value="P">published</option><option value="C">chosen</option></select></label><label>find <input type="search" name="find" placeholder="id, requirement or words"></label><span class="shown" aria-live="polite"></span></form>
<section id="checks">${sorted.map(checkView)}</section>
<h2>Requirements</h2>${matrixView(results)}
${skippedView(results)}
<h2>Clean-up</h2><p>${
    cleanup.created === 0
      ? 'Nothing was created.'
      : `Deleted ${cleanup.deleted} of the ${cleanup.created} that the run created.`
  } ${cleanup.unsearched === undefined ? '' : hindranceText(cleanup.unsearched)}</p>${
    cleanup.failed.length === 0
      ? undefined
      : html`<ul class="bad">${cleanup.failed.map((left) => html`<li>left behind: ${left.id} ${left.name} (${hindranceText(left.because)})</li>`)}</ul>`
  }</main><script>${safe(SCRIPT)}</script></body></html>
`;
  return page.markup;
}
