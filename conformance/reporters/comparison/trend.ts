import pc from 'picocolors';
import { counted } from '../../../emulator/contract/counted.js';
import type { RunHead } from '../../engine/diff.js';
import type { Trend, TrendRow } from '../../engine/trend.js';
import { labelOf } from '../label.js';
import { plain } from '../markdown.js';
import { html } from '../page/markup.js';
import { pageOf } from '../page/shell.js';
import { oneLine } from '../stream-text.js';
import { titleOf } from '../title.js';
import { headCounts, verdictText } from '../words/coverage.js';
import { headText } from './sections.js';

/** A result in one character, where many runs stand beside each other. */
const SIGNS = {
  pass: '.',
  'pass-alternative': '.',
  fail: 'F',
  warn: 'w',
  skip: '-',
  error: 'E',
  known: 'k',
  new: 'n',
} as const;
const LEGEND = '. holds, F fails, w warns, k known, n new, - not checked, E error of the kit, blank: no such check';

const day = ({ started }: RunHead): string => started.slice(0, 16).replace('T', ' ');

/** Whether a check has anything to say over time: it failed or warned, or came to different verdicts. */
const interesting = ({ results }: TrendRow): boolean => {
  const labels = new Set(results.flatMap((one) => (one === undefined ? [] : [labelOf(one)])));
  return labels.size > 1 || ['fail', 'warn', 'known', 'new', 'error'].some((label) => labels.has(label as 'fail'));
};

const signs = ({ results }: TrendRow): string =>
  results.map((one) => (one === undefined ? ' ' : SIGNS[labelOf(one)])).join('');

function story(row: TrendRow, { runs }: Trend): string {
  const since = row.failingSince === undefined ? undefined : runs[row.failingSince];
  const first = runs[row.firstSeen];
  const warned = row.results.filter((one) => one !== undefined && labelOf(one) === 'warn').length;
  const parts = [
    ...(since === undefined ? [] : [`failing since ${day(since)}: ${titleOf(row.last)}`]),
    ...(row.failed > 0 ? [`failed ${row.failed} of ${row.of}`] : []),
    ...(warned > 0 ? [`warned ${warned} of ${row.of}`] : []),
    ...(first === undefined || row.firstSeen === 0 ? [] : [`first seen ${day(first)}`]),
  ];
  return oneLine(parts.join(', '));
}

/** Checks that fail now first, then those that failed most often. */
const shownOf = (trend: Trend): TrendRow[] =>
  trend.checks
    .filter(interesting)
    .sort(
      (one, other) =>
        Number(other.failingSince !== undefined) - Number(one.failingSince !== undefined) ||
        other.failed - one.failed ||
        one.id.localeCompare(other.id, 'en'),
    );

const headline = (trend: Trend): string => {
  const failing = trend.checks.filter(({ failingSince }) => failingSince !== undefined).length;
  return `${counted(trend.runs.length, 'run')}, ${counted(trend.checks.length, 'check')}, ${failing} failing now`;
};

function tty(trend: Trend, { colour = false } = {}): string {
  const c = pc.createColors(colour);
  const lines = [c.bold(headline(trend)), ...trend.runs.map((run) => `  ${headText(run)}`), ''];
  const shown = shownOf(trend);
  if (shown.length > 0) lines.push(c.dim(LEGEND));
  for (const row of shown) {
    const said = story(row, trend);
    lines.push(`  ${signs(row)}  ${row.id}${said === '' ? '' : `: ${said}`}`);
  }
  lines.push(`  ${counted(trend.checks.length - shown.length, 'check')} always came to the same, and never failed`);
  return `${lines.join('\n')}\n`;
}

function markdown(trend: Trend): string {
  return [
    `# Conformance over time: ${headline(trend)}`,
    '',
    ...trend.runs.map((run) => `- ${plain(headText(run))}`),
    '',
    `\`${LEGEND}\``,
    '',
    '| check | runs | |',
    '|---|---|---|',
    ...shownOf(trend).map((row) => `| ${plain(row.id)} | \`${signs(row)}\` | ${plain(story(row, trend))} |`),
    '',
  ].join('\n');
}

function json(trend: Trend): string {
  const data = {
    format: 'intern-conformance-trend',
    version: 1,
    runs: trend.runs,
    checks: trend.checks.map(({ id, last, results, firstSeen, failingSince, failed, of }) => ({
      id,
      requirement: last.requirement,
      title: last.title,
      verdicts: results.map((one) => (one === undefined ? null : labelOf(one))),
      first_seen: trend.runs[firstSeen]?.started,
      ...(failingSince === undefined ? {} : { failing_since: trend.runs[failingSince]?.started, what: titleOf(last) }),
      failed,
      of,
    })),
  };
  return `${JSON.stringify(data, null, 2).replaceAll('##[', '#\\u0023[')}\n`;
}

/** Coverage of each run as a column, in the colour of its verdict. */
function columns({ runs }: Trend) {
  const width = 100 / Math.max(1, runs.length);
  const most = Math.max(1, ...runs.map(({ coverage }) => headCounts(coverage).of));
  return html`<svg class="chart" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label="${`Checks with a verdict, run by run: ${runs.map(({ coverage }) => headCounts(coverage).checked).join(', ')}`}">${runs.map(
    ({ coverage, verdict }, at) => {
      const height = (headCounts(coverage).checked / most) * 30;
      return html`<rect class="${verdict}" x="${(at * width + width * 0.1).toFixed(2)}" width="${(width * 0.8).toFixed(2)}" y="${(30 - height).toFixed(2)}" height="${height.toFixed(2)}"></rect>`;
    },
  )}</svg>`;
}

function page(trend: Trend): string {
  const last = trend.runs.at(-1);
  const shown = shownOf(trend);
  const runs = html`<section class="panel"><h2>Runs</h2>${columns(trend)}<div class="scroll-x"><table><thead><tr><th>when</th><th>verdict</th><th>checked</th><th>target</th><th>kit</th></tr></thead><tbody>${trend.runs.map(
    (run) =>
      html`<tr><td>${day(run)}</td><td><span class="badge ${run.verdict}">${verdictText(run)}</span></td><td>${headCounts(run.coverage).checked} of ${headCounts(run.coverage).of}</td><td>${run.target.url}</td><td>${run.kit}</td></tr>`,
  )}</tbody></table></div></section>`;
  const checks = html`<section class="panel"><h2>Checks that failed, warned or changed</h2><p class="hint">${LEGEND}</p><div class="scroll-x"><table><thead><tr><th>check</th><th>from the oldest run to the newest</th><th></th></tr></thead><tbody>${shown.map(
    (row) =>
      html`<tr><td><b>${row.id}</b><p class="quiet small">${row.last.requirement}</p></td><td class="cells">${row.results.map(
        (one, at) => {
          const label = one === undefined ? 'none' : labelOf(one);
          const run = trend.runs[at];
          return html`<i class="cell ${label}" title="${`${run === undefined ? '' : day(run)}: ${label}`}">${one === undefined ? '' : SIGNS[labelOf(one)]}</i>`;
        },
      )}</td><td>${story(row, trend)}</td></tr>`,
  )}</tbody></table></div><p class="hint">${counted(trend.checks.length - shown.length, 'check')} always came to the same, and never failed.</p></section>`;
  const head = html`<header class="head"><div class="inner">${
    last === undefined ? undefined : html`<p class="verdict ${last.verdict}">${verdictText(last)}</p>`
  }<h1>Conformance over time</h1><p>${headline(trend)}</p></div></header>`;
  return pageOf(
    'Conformance over time',
    last?.verdict ?? 'incomplete',
    html`${head}<main id="main">${runs}${checks}</main>`,
  );
}

/** Every kind of report of many runs by its name. */
export const TREND_REPORTERS = { tty, markdown, json, html: page } as const;
