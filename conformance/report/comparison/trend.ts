import { counted } from '../../../emulator/contract/counted.js';
import type { RunHead, Trend, TrendRow } from '../../run/diff.js';
import type { Sheet } from '../sheet/sheet.js';
import { joinLines } from '../stream-text.js';
import { titleOf } from '../title.js';
import { labelOf } from '../words/legend.js';
import { headText, sheetReporters } from './diff.js';

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
const LEGEND = '. holds, F fails, w warns, k known, n new, - not checked, E error of the kit, _ no such check';

const day = ({ started }: RunHead): string => started.slice(0, 16).replace('T', ' ');

/** Whether a check has anything to say over time: it failed or warned, or came to different verdicts. */
const interesting = ({ results }: TrendRow): boolean => {
  const labels = new Set(results.flatMap((one) => (one === undefined ? [] : [labelOf(one)])));
  return labels.size > 1 || ['fail', 'warn', 'known', 'new', 'error'].some((label) => labels.has(label as 'fail'));
};

const signs = ({ results }: TrendRow): string =>
  results.map((one) => (one === undefined ? '_' : SIGNS[labelOf(one)])).join('');

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
  return joinLines(parts.join(', '));
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

const headline = ({ runs, checks }: Trend): readonly [string, string] => {
  const failing = checks.filter(({ failingSince }) => failingSince !== undefined).length;
  return [counted(runs.length, 'run'), `${counted(checks.length, 'check')}, ${failing} failing now`];
};

const quietText = (trend: Trend, shown: readonly TrendRow[]): string =>
  `${counted(trend.checks.length - shown.length, 'check')} always came to the same, and never failed`;

function sheetOf(trend: Trend): Sheet {
  const [word, sum] = headline(trend);
  const shown = shownOf(trend);
  const storyOf = (row: TrendRow) => {
    const sentence = story(row, trend);
    return { mark: signs(row), subject: row.id, ...(sentence !== '' && { sentence }) };
  };
  return {
    title: 'Conformance over time',
    verdict: trend.runs.at(-1)?.verdict ?? 'incomplete',
    word,
    sum,
    notes: [{ text: quietText(trend, shown) }],
    sections: [
      { title: 'Runs', lines: trend.runs.map((run) => ({ mark: '', subject: headText(run) })) },
      { title: 'Checks', lines: shown.map(storyOf), after: [{ text: LEGEND, tone: 'quiet' }] },
    ],
  };
}

/** Everything, for machines. */
const dataOf = ({ runs, checks }: Trend) => ({
  format: 'intern-conformance-trend',
  version: 1,
  runs,
  checks: checks.map(({ id, last, results, firstSeen, failingSince, failed, of }) => ({
    id,
    requirement: last.requirement,
    title: last.title,
    verdicts: results.map((one) => (one === undefined ? null : labelOf(one))),
    first_seen: runs[firstSeen]?.started,
    ...(failingSince === undefined ? {} : { failing_since: runs[failingSince]?.started, what: titleOf(last) }),
    failed,
    of,
  })),
});

/** Every kind of report of many runs by its name. */
export const TREND_REPORTERS = sheetReporters(sheetOf, dataOf);
