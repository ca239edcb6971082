import { visibleJson } from '../../../emulator/contract/visible.js';
import type { Diff } from '../../engine/diff.js';
import { markdownText } from '../sheet/markdown.js';
import { pageText } from '../sheet/page.js';
import type { Sheet } from '../sheet/sheet.js';
import { terminalText } from '../sheet/terminal.js';
import { changeOf, countsText, headText, remarks, sectionsOf } from './sections.js';

const sheetOf = (diff: Diff): Sheet => ({
  title: 'Conformance, compared',
  verdict: diff.broken.length > 0 ? 'fail' : 'pass',
  word: diff.broken.length > 0 ? `${diff.broken.length} broken` : 'nothing broke',
  sum: countsText(diff),
  notes: [
    { text: `old: ${headText(diff.old)}` },
    { text: `new: ${headText(diff.now)}` },
    ...remarks(diff).map((text) => ({ text, tone: 'warn' as const })),
  ],
  sections: sectionsOf(diff),
  wrong: [],
});

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
  return `${visibleJson(data, 2)}\n`;
}

/** Every kind of report of a comparison by its name. */
export const DIFF_REPORTERS = {
  tty: (diff: Diff, options?: { readonly colour?: boolean }) => terminalText(sheetOf(diff), options),
  markdown: (diff: Diff) => markdownText(sheetOf(diff)),
  json,
  html: (diff: Diff) => pageText(sheetOf(diff)),
} as const;
