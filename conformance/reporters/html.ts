import type { CheckResult, Results } from '../engine/results.js';
import { clauseOf } from './clause.js';
import { counted } from './counted.js';
import { type FindingGroup, groups, skips } from './groups.js';
import { type Label, LEVELS, labelOf } from './label.js';
import { answersIn } from './other-answers.js';
import { breakable, html, type Markup } from './page/markup.js';
import { type ReportContext, resultView } from './page/result.js';
import { pageOf } from './page/shell.js';
import { seconds } from './stream-text.js';
import { addressText, choices, LIKELY, unseen } from './tty.js';
import { hindranceText } from './words/cleanup.js';
import { comesTo, type Headline, headlineOf, shownOf } from './words/coverage.js';
import { wordsOf } from './words/legend.js';
import { incompleteText } from './words/stop.js';

const ORDER: readonly Label[] = ['fail', 'error', 'warn', 'new', 'known', 'skip', 'pass-alternative', 'pass'];

/** The verdicts as one bar, each as wide as it is frequent. */
function barView(counts: Readonly<Record<Label, number>>, of: number): Markup {
  let x = 0;
  const parts = [...ORDER].reverse().map((label) => {
    const width = (counts[label] / Math.max(1, of)) * 100;
    const part = html`<rect class="${label}" x="${x.toFixed(3)}" y="0" width="${width.toFixed(3)}" height="10"></rect>`;
    x += width;
    return width === 0 ? undefined : part;
  });
  const said = ORDER.filter((label) => counts[label] > 0).map((label) => `${counts[label]} ${label}`);
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${said.join(', ')}">${parts}</svg>`;
}

/** How many findings are named that follow from the first. */
const FOLLOWERS = 3;

/** What else a cause shows as. */
function followersView([, ...others]: FindingGroup['parts']): Markup | undefined {
  if (others.length === 0) return undefined;
  const more = others.length - FOLLOWERS;
  const named = others.slice(0, FOLLOWERS).map(({ title }, at) => [at === 0 ? '' : '; ', breakable(title)]);
  return html`<span class="follows">${LIKELY}: ${named}${more > 0 ? `; and ${more} more` : undefined}</span>`;
}

/** One thing that is wrong, in one sentence; behind it every result that shows it. */
function groupView({ title, many, checks, parts }: FindingGroup, context: ReportContext): Markup {
  const label = labelOf(checks[0]);
  return html`<details class="group"><summary><span class="badge ${label}">${label}</span> <span class="sentence">${breakable(title)}${followersView(parts)}</span><span class="many">${
    checks.length > 1 ? many : checks[0].id
  }</span></summary><div class="members">${checks.map((check) => resultView(check, context))}</div></details>`;
}

function coverageText({ checked, of, not, requirements }: Headline, one: string): string {
  const also = requirements === undefined ? '' : ` ${requirements}.`;
  if (checked === of) return `All ${counted(of, one)} came to a verdict.${also}`;
  const why = not.map(({ count, why: reason }) => `${count} ${reason}`);
  return `${checked} of ${counted(of, one)} came to a verdict. ${of - checked} did not: ${why.join(', ')}.${also}`;
}

/** What a run comes to: of checks in the words of every report, of others in their own. */
function headingOf(results: Results): string {
  const words = wordsOf(results);
  const said = comesTo(results);
  return words.one === 'check' ? `${said.charAt(0).toUpperCase()}${said.slice(1)}` : words.verdicts[results.verdict];
}

function headView(results: Results, found: readonly FindingGroup[]): Markup {
  const { kit, options, requests, started, target } = results;
  const words = wordsOf(results);
  const what =
    target.kind === 'client'
      ? ''
      : ` (${target.kind}, profile ${target.profile}${target.published ? ', published' : ''})`;
  const missed = unseen(results);
  const headline = headlineOf(results);
  const { counts } = headline;
  const shown = ORDER.filter((label) => counts[label] > 0);
  const sum = found.length === 0 ? 'Nothing is wrong.' : `${counted(found.length, 'thing')} to look at.`;
  return html`<header class="head"><div class="inner"><p class="verdict ${results.verdict}">${words.title}</p><h1>${headingOf(results)}</h1>
<p><b>${breakable(addressText(target))}</b><span class="quiet">${what}</span></p>
<p class="coverage">${coverageText(headline, words.one)} ${sum}</p>${headline.emulatorsOnly === undefined ? undefined : html`<p class="hint">${headline.emulatorsOnly}.</p>`}${missed === undefined ? undefined : html`<p class="callout warn">${missed}</p>`}
${barView(counts, headline.of)}<p class="legend">${shown.map(
    (label) => html`<span><span class="badge ${label}">${counts[label]} ${label}</span> ${words.legend[label]}</span>`,
  )}</p>${results.incomplete.map((reason) => html`<p class="callout warn">${incompleteText(reason)}</p>`)}
<p class="hint">${started}, ${seconds(results.duration)}, ${counted(requests, 'request')}${choices(results)}${
    options.requirements === undefined ? '' : `, held to the set ${options.requirements}`
  }, kit ${kit}. ${words.proof}</p></div></header>`;
}

function filtersView(results: Results): Markup {
  const { counts } = headlineOf(results);
  const boxes = ORDER.filter((label) => counts[label] > 0).map(
    (label) =>
      html`<label><input type="checkbox" name="verdict" value="${label}" checked> <span class="badge ${label}">${label}</span></label>`,
  );
  return html`<form class="filters" aria-label="Filters">${boxes}<label>level <select name="level"><option value="">all</option><option value="S">stated</option><option value="P">published</option><option value="C">chosen</option></select></label><label>find <input type="search" name="find" placeholder="id, requirement or words"></label><span class="shown quiet" aria-live="polite"></span><span class="hint"><kbd>/</kbd> find, <kbd>j</kbd> <kbd>k</kbd> down and up, <kbd>Enter</kbd> open</span></form>`;
}

/** Every requirement as a tile in the colour of its verdict, and as a table. */
function requirementsView({ requirements }: Results): Markup | undefined {
  if (requirements.length === 0) return undefined;
  return html`<section class="panel"><h2>Requirements</h2><div class="map">${requirements.map(
    (row) =>
      html`<a href="#find=${row.id}" class="tile ${row.verdict}" data-find="${row.id}" title="${row.sentence}">${row.id}</a>`,
  )}</div><details><summary>As a table</summary><div class="scroll-x" tabindex="0" role="region" aria-label="Requirements, as a table"><table><thead><tr><th>requirement</th><th>level</th><th>verdict</th><th>sentence</th><th>checks and rules</th><th>exchanges judged</th></tr></thead><tbody>${requirements.map(
    (row) =>
      html`<tr><td>${row.id}</td><td>${LEVELS[row.level]}</td><td><span class="badge ${row.verdict}">${row.verdict}</span></td><td>${row.sentence}${
        row.excluded === undefined ? undefined : html` <span class="quiet">Not checked: ${row.excluded}</span>`
      }</td><td>${row.checks.length}</td><td>${row.judged ?? 0}</td></tr>`,
  )}</tbody></table></div></details></section>`;
}

function cleanupView({ cleanup }: Results): Markup | undefined {
  if (cleanup.created === 0 && cleanup.failed.length === 0 && cleanup.unsearched === undefined) return undefined;
  return html`<section class="panel"><h2>Clean-up</h2><p>Deleted ${cleanup.deleted} of the ${cleanup.created} that the run created. ${
    cleanup.unsearched === undefined ? '' : hindranceText(cleanup.unsearched)
  }</p>${cleanup.failed.map(
    (left) => html`<p class="callout bad">left behind: ${left.id} ${left.name} (${hindranceText(left.because)})</p>`,
  )}</section>`;
}

/** Results behind one line: a reader looks for what is wrong. */
const folded = (label: Label, said: string, many: number, inside: Markup[]): Markup =>
  html`<details class="group fold"><summary><span class="badge ${label}">${label}</span> <span class="sentence">${breakable(said)}</span><span class="many">${many}</span></summary><div class="members">${inside}</div></details>`;

/** What passed, by requirement. */
function passesView(checks: readonly CheckResult[], context: ReportContext): Markup | undefined {
  if (checks.length === 0) return undefined;
  const by = new Map<string, CheckResult[]>();
  for (const check of checks) {
    const { id, sentence } = clauseOf(check);
    by.set(`${id}: ${sentence}`, [...(by.get(`${id}: ${sentence}`) ?? []), check]);
  }
  const each = [...by].map(([said, mine]) =>
    folded(
      'pass',
      said,
      mine.length,
      mine.map((one) => resultView(one, context)),
    ),
  );
  return folded('pass', `what holds, by ${counted(by.size, 'requirement')}`, checks.length, each);
}

/** What came to no verdict, by its reason. */
function skipsView(checks: readonly CheckResult[], context: ReportContext): Markup | undefined {
  if (checks.length === 0) return undefined;
  const by = new Map(checks.map((check) => [check.id, check]));
  const each = skips(checks).map(({ kind, need, why, ids }) =>
    folded(
      'skip',
      `${kind === 'need' ? 'needs ' : ''}${need}: ${why}`,
      ids.length,
      ids.flatMap((id) => by.get(id) ?? []).map((one) => resultView(one, context)),
    ),
  );
  return folded('skip', `not looked at, for ${counted(each.length, 'reason')}`, checks.length, each);
}

/**
 * One page that holds all of a run (KIT-14): the verdict, what was checked, and what is wrong in one sentence each, behind
 * which the conversation stands. No request leaves it, and all that a target said is text.
 */
export function htmlReport(results: Results): string {
  const context: ReportContext = { words: wordsOf(results), otherAnswers: answersIn(results) };
  const found = groups(results.checks);
  const inGroups = new Set(found.flatMap(({ checks }) => checks));
  const others = shownOf(results).filter((check) => !inGroups.has(check));
  const quiet = others.filter(({ verdict }) => verdict === 'pass' || verdict === 'pass-alternative');
  const skipped = others.filter(({ verdict }) => verdict === 'skip');
  const { title, one } = context.words;
  return pageOf(
    `${title}: ${headingOf(results).toLowerCase()}`,
    results.verdict,
    html`${headView(results, found)}<main id="main">${filtersView(results)}<section class="panel" id="wrong"><h2>What is wrong</h2>${
      found.length === 0 ? html`<p class="hint">Nothing.</p>` : found.map((group) => groupView(group, context))
    }</section>${
      others.length === 0
        ? undefined
        : html`<section class="panel"><h2>${found.length === 0 ? 'All' : 'Other'} ${one}s</h2>${passesView(quiet, context)}${skipsView(skipped, context)}</section>`
    }${requirementsView(results)}${cleanupView(results)}</main>`,
  );
}
