import { counted } from '../../../emulator/contract/counted.js';
import { operationOf } from '../../probe/evidence.js';
import type { CheckResult, FindingResult, Results } from '../../run/results.js';
import { clauseOf, levelOf, shownByText } from '../clause.js';
import { seconds, value } from '../stream-text.js';
import { faultOf, titleOf } from '../title.js';
import { knownText } from '../words/coverage.js';
import { findingText } from '../words/finding.js';
import { LEVELS, labelOf, type Words } from '../words/legend.js';
import { skipWords } from '../words/skip.js';
import { exchangeView } from './exchange.js';
import { breakable, command, html, later, type Markup, pre } from './markup.js';

/** An answer to an operation, and the checks that got it. */
interface OtherAnswer {
  readonly status: number | undefined;
  /** The first few. */
  readonly checks: readonly string[];
  readonly many: number;
}

/** Most checks that are named for one answer. */
const NAMED = 6;

/** The other ids of a set, the first few by name. The loop stops early, because it runs once for each id of a long set. */
function others(ids: ReadonlySet<string>, id: string): Pick<OtherAnswer, 'checks' | 'many'> {
  const checks: string[] = [];
  for (const one of ids) {
    if (checks.length === NAMED) break;
    if (one !== id) checks.push(one);
  }
  return { checks, many: ids.size - (ids.has(id) ? 1 : 0) };
}

/** The answers to each operation in all transcripts of a report, to show one answer beside the others. */
export function answersIn({ checks }: Pick<Results, 'checks'>): (check: CheckResult) =>
  | {
      readonly operation: string;
      readonly answers: readonly OtherAnswer[];
    }
  | undefined {
  const found = new Map<string, Map<number | undefined, Set<string>>>();
  for (const { id, finding, error } of checks)
    for (const exchange of finding?.transcript ?? error?.transcript ?? []) {
      const operation = operationOf(exchange);
      const answers = found.get(operation) ?? new Map<number | undefined, Set<string>>();
      found.set(operation, answers);
      const status = exchange.response?.status;
      answers.set(status, (answers.get(status) ?? new Set()).add(id));
    }
  return ({ id, finding }) => {
    const shown = finding?.transcript.find(({ number }) => number === finding.exchange) ?? finding?.transcript.at(-1);
    // The lab's requests all come from one client.
    if (shown === undefined || shown.response?.sent) return undefined;
    const operation = operationOf(shown);
    const answers = [...(found.get(operation) ?? [])]
      .map(([status, ids]) => ({ status, ...others(ids, id) }))
      .filter(({ many }) => many > 0)
      .sort((one, other) => other.many - one.many);
    return answers.length === 0 ? undefined : { operation, answers };
  };
}

/** The parts of a page that each result needs. */
export interface ReportContext {
  readonly words: Words;
  readonly otherAnswers: ReturnType<typeof answersIn>;
}

/** The text that the search looks in: ids, titles, and the finding too. */
function searched(check: CheckResult): string {
  const { id, requirement: row, title, finding, error, skip } = check;
  const found = finding === undefined ? undefined : findingText(finding);
  const { need, why } = skip === undefined ? {} : skipWords(skip);
  const sides = [found?.expected ?? '', found?.actual ?? ''].map((side) => value(side, 300));
  return [id, row, finding?.breaks, title, found?.what, ...sides, error?.message, need, why]
    .filter((text) => text !== undefined)
    .join(' ')
    .toLowerCase();
}

function otherAnswersView(check: CheckResult, { otherAnswers }: ReportContext): Markup | undefined {
  const found = otherAnswers(check);
  if (found === undefined) return undefined;
  return html`<div><h3>The same request elsewhere in this report: ${breakable(found.operation)}</h3><ul>${found.answers.map(
    ({ status, checks, many }) =>
      html`<li><span class="code s${status === undefined ? 'x' : String(status)[0]}">${status ?? 'no answer'}</span> in ${checks.join(', ')}${many > checks.length ? ` and ${many - checks.length} more` : ''}</li>`,
  )}</ul></div>`;
}

function findingView(check: CheckResult, finding: FindingResult, context: ReportContext): Markup {
  const { what, expected, actual } = findingText(finding);
  const shownBy = shownByText(check);
  return html`<p>${breakable(what)}</p>${shownBy === undefined ? undefined : html`<p class="hint">Shown by ${shownBy}</p>`}<div class="sides"><div><h3>Expected</h3>${pre(value(expected), 'good')}</div><div><h3>Actual</h3>${pre(value(actual), 'bad')}</div></div>${
    finding.property === undefined
      ? undefined
      : html`<div><h3>Values that show it</h3>${pre(finding.property.counterexample.join('\n'))}<p class="hint">property ${finding.property.name}, run ${finding.property.runs}, ${finding.property.shrinks} shrinks</p></div>`
  }${
    finding.transcript.length === 0
      ? undefined
      : later(
          html`<div class="talk"><h3>The conversation</h3>${finding.transcript.map((one) => exchangeView(one, context.words, finding))}</div>`,
        )
  }${otherAnswersView(check, context)}${
    finding.curl === undefined
      ? undefined
      : html`<div><h3>The last request, as a command</h3>${command(finding.curl)}</div>`
  }<div><h3>Do it again</h3>${command(finding.replay)}</div>`;
}

function quietView(check: CheckResult): Markup {
  if (check.alternative !== undefined) return html`<p>Also right: ${check.alternative}</p>`;
  const tried = check.properties.map((one) => `${one.name}: ${counted(one.runs, 'run')}`).join(', ');
  return html`<p class="hint">Nothing found.${tried === '' ? '' : ` ${tried}`}</p>`;
}

/** A result: one line, which opens to show everything known about it. */
export function resultView(check: CheckResult, context: ReportContext): Markup {
  const { id: row, sentence, where, quote } = clauseOf(check);
  const { finding, error } = check;
  const label = labelOf(check);
  const line = finding === undefined && error === undefined ? check.title : titleOf(check);
  const skip = check.skip === undefined ? undefined : { kind: check.skip.kind, ...skipWords(check.skip) };
  return html`<details class="result" id="check-${check.id}" data-verdict="${label}" data-level="${levelOf(check)}" data-text="${searched(check)}">
<summary><span class="badge ${label}">${label}</span> <span class="sentence"><b>${check.id}</b> <span class="quiet">${breakable(line)}</span></span><span class="many">${row}, ${LEVELS[levelOf(check)]}</span></summary>
<div class="body">${check.clause === undefined || line === check.title ? undefined : html`<p>${check.title}</p>`}<blockquote>${sentence} <span class="quiet">(${breakable(where)})</span>${
    quote === undefined ? undefined : html`<q>${quote}</q>`
  }</blockquote>${
    check.knownAs === undefined
      ? undefined
      : html`<p class="callout">In the baseline: ${breakable(knownText(check.knownAs))}</p>`
  }${
    skip === undefined
      ? undefined
      : html`<p class="callout">No verdict: ${skip.kind === 'need' ? 'needs ' : ''}<b>${skip.need}</b>: ${breakable(skip.why)}</p>`
  }${
    error === undefined
      ? undefined
      : html`<p class="callout bad">${faultOf(check)}: ${breakable(error.message)}</p>${
          error.stack === undefined ? undefined : pre(error.stack)
        }${error.transcript.map((one) => exchangeView(one, context.words))}`
  }${finding === undefined ? undefined : findingView(check, finding, context)}${
    finding === undefined && error === undefined && skip === undefined ? quietView(check) : undefined
  }<p class="hint">${counted(check.requests, 'request')}, ${seconds(check.duration)}</p></div></details>`;
}
