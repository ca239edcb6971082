import { counted } from '../../../emulator/contract/counted.js';
import { visibleJson } from '../../../emulator/contract/visible.js';
import type { CheckChange, Diff, RunHead } from '../../run/diff.js';
import type { CheckResult } from '../../run/results.js';
import { groups, skips } from '../groups.js';
import { toneOf } from '../result-line.js';
import { markdownText } from '../sheet/markdown.js';
import { pageText } from '../sheet/page.js';
import type { Line, Section, Sheet, Tone } from '../sheet/sheet.js';
import { type TerminalOptions, terminalText } from '../sheet/terminal.js';
import { joinLines } from '../stream-text.js';
import { titleOf } from '../title.js';
import { addressText, headCounts, verdictText } from '../words/coverage.js';
import { type Label, labelOf } from '../words/legend.js';
import { keptBy } from '../words/skip.js';
import { incompleteText } from '../words/stop.js';

/** A run in one line: `https://… (live), 2026-11-22T18:30:00.000Z, kit 0.1.0: conforms`. */
export function headText(head: RunHead): string {
  const { coverage, incomplete, kit, started, target, verdict } = head;
  const { checked, of } = headCounts(coverage);
  const why = verdict === 'incomplete' ? ` (${incomplete.map(incompleteText).join('; ')})` : '';
  return joinLines(
    `${addressText(target)} (${target.kind}), ${started}, kit ${kit}: ${verdictText(head)}${why}, ${checked} of ${of} checked`,
  );
}

/** Ids of a list that stand in one line, at most. */
const NAMED = 40;
const named = (ids: readonly string[]): string =>
  ids.length > NAMED ? `${ids.slice(0, NAMED).join(', ')} and ${ids.length - NAMED} more` : ids.join(', ');

const entry = (label: Label | 'gone', tone: Tone, subject: string, ids: readonly string[], again?: string): Line => ({
  mark: label.padEnd(5),
  tone,
  subject,
  said: [{ text: named(ids), tone: 'quiet' }],
  ...(again !== undefined && { again: [['again', again]] }),
});
const idsIn = (checks: readonly CheckResult[]): string[] => checks.map(({ id }) => id);

const failing = (checks: readonly CheckResult[]): Line[] =>
  groups(checks).map(({ title, checks: members }) => {
    const [first] = members;
    return entry(labelOf(first), toneOf(first), title, idsIn(members), first.finding?.replay);
  });

/** Checks that found nothing. */
const quiet = (checks: readonly CheckResult[]): Line[] => {
  const ids = idsIn(checks.filter(({ verdict }) => verdict === 'pass' || verdict === 'pass-alternative'));
  return ids.length === 0 ? [] : [entry('pass', 'good', 'holds', ids)];
};

const kept = (checks: readonly CheckResult[]): Line[] =>
  skips(checks).map((group) => entry('skip', 'quiet', `${keptBy(group)}: ${group.why}`, group.ids));

const now = (changes: readonly CheckChange[]) => changes.flatMap(({ is }) => is ?? []);
const before = (changes: readonly CheckChange[]) => changes.flatMap(({ was }) => was ?? []);

const section = (title: string, { length }: readonly CheckChange[], lines: readonly Line[]): Section[] =>
  length === 0 ? [] : [{ title: `${title} (${counted(length, 'check')})`, lines }];

/** The lists of a comparison. */
export const sectionsOf = ({ broken, mended, new: fresh, gone, unchecked }: Diff): Section[] => [
  ...section('Broken', broken, failing(now(broken))),
  ...section(
    'Mended',
    mended,
    groups(before(mended)).map(({ checks, title }) => entry('pass', 'good', `before: ${title}`, idsIn(checks))),
  ),
  ...section('New checks', fresh, [...failing(now(fresh)), ...quiet(now(fresh)), ...kept(now(fresh))]),
  ...section('Gone: not in the newer report', gone, [
    entry(
      'gone',
      'quiet',
      'not in the newer report',
      gone.map(({ id }) => id),
    ),
  ]),
  ...section('No longer checked: no verdict in the newer report', unchecked, [
    ...kept(now(unchecked)),
    ...failing(now(unchecked)),
  ]),
];

/** `1 broken, 2 mended, 0 new, 0 gone, 3 no longer checked`. */
export const countsText = ({ broken, mended, new: fresh, gone, unchecked }: Diff): string =>
  `${broken.length} broken, ${mended.length} mended, ${fresh.length} new, ${gone.length} gone, ${unchecked.length} no longer checked`;

/** The reasons why two reports are not two runs of the same. */
export function remarks({ old, now: newer }: Diff): string[] {
  const differs = (what: string, one: string, other: string) =>
    one === other ? [] : [`the ${what} differ: ${one} and ${other}`];
  const chosen = ({ options }: RunHead) =>
    [
      ...options.only.map((id) => `--only ${id}`),
      ...options.skip.map((id) => `--skip ${id}`),
      ...(options.failOn === undefined || options.failOn === 'fail' ? [] : [`--fail-on ${options.failOn}`]),
    ].join(' ') || 'everything';
  return [
    ...differs('targets', addressText(old.target), addressText(newer.target)),
    ...differs('profiles', old.target.profile, newer.target.profile),
    ...differs('selections', chosen(old), chosen(newer)),
    ...differs('budgets', old.options.budget ?? 'default', newer.options.budget ?? 'default'),
    ...differs('sets of checks', old.options.requirements ?? 'all', newer.options.requirements ?? 'all'),
    ...(Date.parse(old.started) > Date.parse(newer.started) ? ['the first report is newer than the second'] : []),
  ];
}

/** A change as data, with its sentence. */
export const changeOf = ({ id, was, is }: CheckChange) => {
  const check = is ?? was;
  const found = is?.finding === undefined ? was : is;
  return {
    id,
    requirement: check?.requirement,
    title: check?.title,
    was: was && labelOf(was),
    is: is && labelOf(is),
    ...(found?.finding === undefined ? {} : { what: titleOf(found), again: found.finding.replay }),
  };
};

/** Every kind of report of a comparison by its name, from its sheet and from its data. */
export const sheetReporters = <Compared>(
  sheetOf: (compared: Compared) => Sheet,
  dataOf: (compared: Compared) => object,
) => ({
  tty: (compared: Compared, looks?: TerminalOptions) => terminalText(sheetOf(compared), looks),
  markdown: (compared: Compared) => markdownText(sheetOf(compared)),
  // No text of a target is a command to a runner of GitHub Actions.
  json: (compared: Compared) => `${visibleJson(dataOf(compared), 2)}\n`,
  html: (compared: Compared) => pageText(sheetOf(compared)),
});

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
