import { visible } from '../../../emulator/contract/visible.js';
import type { ShownExchange } from '../../probe/evidence.js';
import type { FindingResult } from '../../run/results.js';
import type { Sheet } from '../sheet/sheet.js';
import { streamRows } from '../stream-picture.js';
import { partIn, seconds, value } from '../stream-text.js';
import { findingText } from '../words/finding.js';
import { html, type Markup, pre, safe } from './markup.js';

const headerList = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, header]) => html`<div><b>${name}</b>: ${header}</div>`);

/** A body as it was sent, or, where it is JSON in one piece, line by line. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The name of the field that a finding is about: `created_at` of `data.created_at`. */
const fieldOf = ({ wanted }: FindingResult): string | undefined =>
  wanted.kind === 'value' ? /([\w-]+)$/.exec(wanted.path)?.[1] : undefined;

/** A body with the line marked that holds the field that is wrong. */
function marked(text: string, field: string | undefined): Markup {
  const shown = readable(text);
  const line = field === undefined ? undefined : new RegExp(`^.*"${field}"\\s*:.*$`, 'm').exec(visible(shown));
  if (line === null || line === undefined) return pre(shown);
  const safely = visible(shown);
  const [before, after] = [safely.slice(0, line.index), safely.slice(line.index + line[0].length)];
  return html`<pre tabindex="0">${before}<mark>${line[0]}</mark>${after}</pre>`;
}

/** A stream step by step, with what is wrong at its step. */
function picture(exchange: ShownExchange, finding: FindingResult | undefined): Markup | undefined {
  const rows = streamRows(exchange, finding);
  if (rows === undefined) return undefined;
  return html`<ol class="steps" aria-label="The stream, step by step">${rows.map(
    ({ at, text, kind, wrong }) =>
      html`<li class="${kind}${wrong === undefined ? '' : ' wrong'}"><span class="time">${seconds(at)}</span> <span>${text}${
        wrong === undefined ? undefined : html` <b>← ${wrong}</b>`
      }</span></li>`,
  )}</ol>`;
}

/** A stream as a line of time: a mark for each write. */
function timeline({ at: sent, response }: ShownExchange): Markup | undefined {
  if (response === undefined || response.pieces.length < 2) return undefined;
  const end = Math.max(...response.pieces.map(({ at }) => at), response.at);
  const span = Math.max(1, end - sent);
  const left = (at: number) => `${(((at - sent) / span) * 99.5).toFixed(2)}%`;
  return html`<svg class="timeline" role="img" aria-label="${`${response.pieces.length} writes in ${seconds(span)}`}"><rect class="axis" x="0" y="24" width="100%" height="2"></rect><rect class="head" x="${left(response.at)}" y="14" width="2" height="10"></rect>${response.pieces.map(
    ({ at, text }) =>
      html`<rect class="${text.includes('[DONE]') ? 'done' : text.startsWith(':') ? 'quiet' : ''}" x="${left(at)}" y="6" width="2" height="18"></rect>`,
  )}</svg>`;
}

function answerView(exchange: ShownExchange, finding: FindingResult | undefined): Markup {
  const { response } = exchange;
  if (response === undefined) return html`<p class="callout bad">${exchange.error ?? 'no answer'}</p>`;
  const field = finding === undefined ? undefined : fieldOf(finding);
  const [only, ...others] = response.pieces;
  const body =
    only !== undefined && others.length === 0
      ? marked(only.text, field)
      : response.pieces.map(
          (piece) =>
            html`<div class="piece"><span class="time">${seconds(piece.at)}</span>${
              piece.odd ? html`<pre><mark>${visible(piece.text)}</mark></pre>` : pre(piece.text)
            }</div>`,
        );
  return html`${picture(exchange, finding)}${timeline(exchange)}<div class="headers">${headerList(response.headers)}</div>${body}${
    response.ended === undefined || response.ended === 'end'
      ? undefined
      : html`<p class="ended callout warn">${response.ended}</p>`
  }`;
}

/** An address without what is the same in all of a report. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+(?:\/\S*?\/api\/v\d+|\/api\/v\d+)?(?=\/)/, '');

/** The number of the exchange that shows a finding: what it says, else the last. */
const placeOf = ({ exchange, transcript }: FindingResult): number | undefined => exchange ?? transcript.at(-1)?.number;

/** Expected statuses beside the one that came. */
function instead(finding: FindingResult): Markup | undefined {
  if (finding.wanted.kind !== 'status') return undefined;
  return html` <span class="quiet">expected ${value(findingText(finding).expected, 80)}</span>`;
}

/** A request and its answer. The one that shows what is wrong is open, and says so. */
export function exchangeView(exchange: ShownExchange, talk: Sheet['talk'], finding?: FindingResult): Markup {
  const { request, response, at } = exchange;
  const here = finding !== undefined && placeOf(finding) === exchange.number;
  const part = partIn(exchange, finding);
  const status = response === undefined ? 'no answer' : String(response.status);
  const code = `code s${response === undefined ? 'x' : status[0]}`;
  return html`<details class="${here ? 'exchange here' : 'exchange'}"${safe(here ? ' open' : '')}>
<summary><span class="time">${seconds(at)}</span> <b>${request.method}</b> <span class="url grow">${pathOf(request.url)}</span> ${
    here && finding.wanted.kind === 'status'
      ? html`<mark class="${code}">${status}</mark>${instead(finding)}`
      : html`<span class="${code}">${status}</span>`
  }${part === undefined ? undefined : html` <span class="quiet">${part}</span>`}</summary><div class="inside"><div class="said request"><h3>${talk?.request}</h3><div class="headers">${headerList(request.headers)}</div>${
    request.body === undefined ? undefined : pre(readable(request.body))
  }</div><div class="said answer"><h3>${talk?.answer}${
    response === undefined ? '' : html` <span class="time">after ${seconds(Math.max(0, response.at - at))}</span>`
  }</h3>${exchange.error === undefined || response === undefined ? undefined : html`<p class="callout bad">${exchange.error}</p>`}${answerView(exchange, here ? finding : undefined)}</div></div></details>`;
}
