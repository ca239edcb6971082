import { byKey } from '../../emulator/contract/by-key.js';
import { counted } from '../../emulator/contract/counted.js';
import type { CheckResult, RequirementResult, Results } from '../run/results.js';
import { clauseOf } from './clause.js';
import { type FindingGroup, groups, skips } from './groups.js';
import { breakable, html, type Markup, pageOf } from './page/markup.js';
import { answersIn, type ReportContext, resultView } from './page/result.js';
import { areaOf, exchangesText } from './requirements.js';
import { sheetOf } from './tty.js';
import { headlineOf, headVerdict, LIKELY, neverCameUp, shownOf } from './words/coverage.js';
import { type Label, LEVELS, labelOf, wordsOf } from './words/legend.js';
import { keptBy } from './words/skip.js';

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

/** Most findings that are named because they follow from the first. */
const FOLLOWERS = 3;

/** The further sentences of a cause. */
function followersView([, ...others]: FindingGroup['parts']): Markup | undefined {
  if (others.length === 0) return undefined;
  const more = others.length - FOLLOWERS;
  const named = others.slice(0, FOLLOWERS).map(({ title }, at) => [at === 0 ? '' : '; ', breakable(title)]);
  return html`<span class="follows">${LIKELY}: ${named}${more > 0 ? `; and ${more} more` : undefined}</span>`;
}

/** How many results of one group a page shows: each is kilobytes, and those of one group say the same. */
const SHOWN = 100;

/** Results, the first of them in full. */
function membersView(checks: readonly CheckResult[], context: ReportContext): Markup {
  const more = checks.length - SHOWN;
  return html`<div class="members">${checks.slice(0, SHOWN).map((check) => resultView(check, context))}${
    more > 0 ? html`<p class="hint">and ${more} more: <code>--report json</code> has all.</p>` : undefined
  }</div>`;
}

/** One mistake in a sentence, which opens to every result that shows it. */
function groupView({ title, many, checks, parts }: FindingGroup, context: ReportContext): Markup {
  const label = labelOf(checks[0]);
  return html`<details class="group"><summary><span class="badge ${label}">${label}</span> <span class="sentence">${breakable(title)}${followersView(parts)}</span><span class="many">${
    checks.length > 1 ? many : checks[0].id
  }</span></summary>${membersView(checks, context)}</details>`;
}

/** The headline of a run: of checks in the words of every report, of others in their own. */
function headingOf(results: Results): string {
  const words = wordsOf(results);
  const said = headVerdict(results);
  return words.one === 'check' ? `${said.charAt(0).toUpperCase()}${said.slice(1)}` : words.verdicts[results.verdict];
}

function headView(results: Results): Markup {
  const { kit, options, started, target } = results;
  const { notes, sum } = sheetOf(results);
  const words = wordsOf(results);
  const { counts, of } = headlineOf(results);
  const shown = ORDER.filter((label) => counts[label] > 0);
  const callout = { good: 'good', bad: 'bad', warn: 'warn', fault: 'bad', new: '', quiet: '' } as const;
  return html`<header class="head"><div class="inner"><p class="verdict ${results.verdict}">${words.title}</p><h1>${headingOf(results)}</h1>
<p class="coverage">${breakable(sum)}</p>
${barView(counts, of)}<p class="legend">${shown.map(
    (label) => html`<span><span class="badge ${label}">${counts[label]} ${label}</span> ${words.legend[label]}</span>`,
  )}</p>${notes.map(({ text, tone = 'quiet' }) =>
    callout[tone] === '' ? html`<p class="hint">${text}</p>` : html`<p class="callout ${callout[tone]}">${text}</p>`,
  )}
<p class="hint">${started}${target.published ? ', published' : ''}${
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

/** Results folded behind one line, because a reader looks for mistakes. */
const folded = (label: Label, said: string, many: number | string, inside: readonly (Markup | undefined)[]): Markup =>
  html`<details class="group fold"><summary><span class="badge ${label}">${label}</span> <span class="sentence">${breakable(said)}</span><span class="many">${many}</span></summary><div class="members">${inside}</div></details>`;

/** The exchanges and situations in which rules judged a requirement. */
function judgedText({ exchanges = 0, situations = [] }: RequirementResult): string {
  return exchanges === 0 ? '' : `, ${exchangesText(exchanges)} in ${counted(situations.length, 'situation')}`;
}

/** The requirements by area: kept ones, how often they were judged, and ones that never came up. Each opens to its passed checks. */
function requirementsView(
  results: Results,
  passes: readonly CheckResult[],
  context: ReportContext,
): Markup | undefined {
  const { requirements } = results;
  if (passes.length === 0 && requirements.length === 0) return undefined;
  const by = byKey(passes, (check) => clauseOf(check).id);
  const rows = new Map(requirements.map((row) => [row.id, row]));
  const areas = byKey([...new Set([...rows.keys(), ...by.keys()])], areaOf);
  const never = neverCameUp(results);
  const absent = new Set(
    requirements.filter(({ verdict }) => verdict === 'none' || verdict === 'skip').map(({ id }) => id),
  );
  const rowView = (id: string): Markup | undefined => {
    const [first, ...others] = by.get(id) ?? [];
    const row = rows.get(id);
    if (first === undefined)
      return row === undefined || absent.has(id)
        ? undefined
        : html`<p class="hint"><span class="badge ${row.verdict}">${row.verdict}</span> ${id}: ${row.excluded ?? row.sentence}</p>`;
    const mine = [first, ...others];
    return folded(
      'pass',
      `${id}${row === undefined ? '' : `, ${LEVELS[row.level]}`}: ${clauseOf(first).sentence}`,
      `${mine.length}${row === undefined ? '' : judgedText(row)}`,
      mine.map((one) => resultView(one, context)),
    );
  };
  const areaView = ([area, ids]: readonly [string, readonly string[]]): Markup | undefined => {
    const held = ids.filter((id) => by.has(id));
    return held.length === 0
      ? undefined
      : folded('pass', `${area}: ${held.length} of ${counted(ids.length, 'requirement')} held`, '', ids.map(rowView));
  };
  return html`<section class="panel" id="requirements"><h2>Requirements</h2>${[...areas].map(areaView)}${
    never.length === 0
      ? undefined
      : html`<p class="hint">Never came up, for the reasons below: ${never.join(', ')}.</p>`
  }</section>`;
}

/** The checks without a verdict, by reason. */
function skipsView(checks: readonly CheckResult[], context: ReportContext): Markup | undefined {
  if (checks.length === 0) return undefined;
  const by = new Map(checks.map((check) => [check.id, check]));
  const each = skips(checks).map((group) =>
    folded(
      'skip',
      `${keptBy(group)}: ${group.why}`,
      group.ids.length,
      group.ids.flatMap((id) => by.get(id) ?? []).map((one) => resultView(one, context)),
    ),
  );
  return folded('skip', `not looked at, for ${counted(each.length, 'reason')}`, checks.length, each);
}

/** One page with a whole run (KIT-14). It loads nothing, and shows words of the target as plain text. */
export function htmlReport(results: Results): string {
  const context: ReportContext = { words: wordsOf(results), otherAnswers: answersIn(results) };
  const found = groups(results.checks);
  const inGroups = new Set(found.flatMap(({ checks }) => checks));
  const others = shownOf(results).filter((check) => !inGroups.has(check));
  const quiet = others.filter(({ verdict }) => verdict === 'pass' || verdict === 'pass-alternative');
  const skipped = others.filter(({ verdict }) => verdict === 'skip');
  const { title } = context.words;
  return pageOf(
    `${title}: ${headingOf(results).toLowerCase()}`,
    results.verdict,
    html`${headView(results)}<main id="main">${filtersView(results)}<section class="panel" id="wrong"><h2>What is wrong</h2>${
      found.length === 0 ? html`<p class="hint">Nothing.</p>` : found.map((group) => groupView(group, context))
    }</section>${requirementsView(results, quiet, context)}${
      skipped.length === 0
        ? undefined
        : html`<section class="panel"><h2>Not looked at</h2>${skipsView(skipped, context)}</section>`
    }</main>`,
  );
}
