import type { Diff } from '../../run/diff.js';
import { sheetReporters } from '../sheet/reporters.js';
import type { Sheet } from '../sheet/sheet.js';
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

/** Everything, for machines. */
function dataOf(diff: Diff) {
  const { old, now, broken, mended, new: fresh, gone, unchecked } = diff;
  const lists = { broken, mended, new: fresh, gone, unchecked };
  return {
    format: 'intern-conformance-diff',
    version: 1,
    old,
    now,
    remarks: remarks(diff),
    ...Object.fromEntries(Object.entries(lists).map(([key, changes]) => [key, changes.map(changeOf)])),
  };
}

/** Every kind of report of a comparison by its name. */
export const DIFF_REPORTERS = sheetReporters(sheetOf, dataOf);
