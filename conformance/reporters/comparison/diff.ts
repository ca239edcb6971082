import pc from 'picocolors';
import { counted } from '../../../emulator/contract/counted.js';
import { visible } from '../../../emulator/contract/visible.js';
import type { Diff } from '../../engine/diff.js';
import { plain } from '../markdown.js';
import { type Content, command, html } from '../page/markup.js';
import { pageOf } from '../page/shell.js';
import { changeOf, countsText, headText, remarks, sectionsOf } from './sections.js';

/** Ids of a list that stand in one line, at most. */
const NAMED = 40;
const named = (ids: readonly string[]): string =>
  ids.length > NAMED ? `${ids.slice(0, NAMED).join(', ')} and ${ids.length - NAMED} more` : ids.join(', ');

function tty(diff: Diff, { colour = false } = {}): string {
  const c = pc.createColors(colour);
  const lines = [
    c.bold(diff.broken.length > 0 ? c.red(countsText(diff)) : c.green(countsText(diff))),
    `  old  ${headText(diff.old)}`,
    `  new  ${headText(diff.now)}`,
    ...remarks(diff).map((remark) => c.yellow(`  ${visible(remark)}`)),
  ];
  for (const { title, checks, entries } of sectionsOf(diff)) {
    if (checks === 0) continue;
    lines.push('', c.bold(`${title} (${counted(checks, 'check')})`));
    for (const { label, text, ids, again } of entries) {
      lines.push(`  ${label.padEnd(5)} ${text}`, c.dim(`        ${named(ids)}`));
      if (again !== undefined) lines.push(c.dim(`        again  ${visible(again)}`));
    }
  }
  return `${lines.join('\n')}\n`;
}

function markdown(diff: Diff): string {
  const lines = [
    `## Conformance, compared: ${countsText(diff)}`,
    '',
    `- old: ${plain(headText(diff.old))}`,
    `- new: ${plain(headText(diff.now))}`,
    ...remarks(diff).map((remark) => `- ${plain(remark)}`),
  ];
  for (const { title, checks, entries } of sectionsOf(diff)) {
    if (checks === 0) continue;
    lines.push('', `### ${title} (${counted(checks, 'check')})`, '');
    for (const { text, ids } of entries) lines.push(`- ${plain(text)}: ${plain(named(ids))}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Everything, for machines. No text of a target is a command to a runner of GitHub Actions. */
function json(diff: Diff): string {
  const { old, now, broken, mended, new: fresh, gone, unchecked } = diff;
  const lists = { broken, mended, new: fresh, gone, unchecked };
  const data = {
    format: 'intern-conformance-diff',
    version: 1,
    old,
    now,
    remarks: remarks(diff),
    ...Object.fromEntries(Object.entries(lists).map(([key, changes]) => [key, changes.map(changeOf)])),
  };
  return `${JSON.stringify(data, null, 2).replaceAll('##[', '#\\u0023[')}\n`;
}

const LABELS = { broken: 'bad', mended: 'good', new: 'live', gone: '', unchecked: 'busy' } as const;

function page(diff: Diff): string {
  const lists: Content = sectionsOf(diff)
    .filter(({ checks }) => checks > 0)
    .map(
      ({ key, title, checks, entries }) =>
        html`<section class="panel"><h2>${title} <span class="tag ${LABELS[key]}">${checks}</span></h2><ul class="entries">${entries.map(
          ({ label, text, ids, again }) =>
            html`<li><span class="badge ${label}">${label}</span> ${text}<p class="quiet">${named(ids)}</p>${again === undefined ? undefined : command(again)}</li>`,
        )}</ul></section>`,
    );
  const head = html`<header class="head"><div class="inner"><p class="verdict ${diff.broken.length > 0 ? 'fail' : 'pass'}">${
    diff.broken.length > 0 ? `${diff.broken.length} broken` : 'nothing broke'
  }</p><h1>${countsText(diff)}</h1><dl class="facts"><div><dt>old</dt><dd>${headText(diff.old)}</dd></div><div><dt>new</dt><dd>${headText(diff.now)}</dd></div></dl>${remarks(
    diff,
  ).map((remark) => html`<p class="callout warn">${remark}</p>`)}</div></header>`;
  return pageOf(
    'Conformance, compared',
    diff.broken.length > 0 ? 'fail' : 'pass',
    html`${head}<main id="main">${lists}</main>`,
  );
}

/** Every kind of report of a comparison by its name. */
export const DIFF_REPORTERS = { tty, markdown, json, html: page } as const;
