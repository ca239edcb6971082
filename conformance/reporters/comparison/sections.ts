import type { Change, Diff, RunHead } from '../../engine/diff.js';
import type { CheckResult } from '../../engine/results.js';
import { groups, skips } from '../groups.js';
import { type Label, labelOf } from '../label.js';
import { oneLine } from '../stream-text.js';
import { titleOf } from '../title.js';
import { addressText } from '../tty.js';
import { headCounts, verdictText } from '../words/coverage.js';
import { incompleteText } from '../words/stop.js';

/** Checks of which the same is said. */
export interface Entry {
  readonly label: Label | 'gone';
  readonly text: string;
  readonly ids: readonly string[];
  /** The command that does one of them again. */
  readonly again?: string;
}

/** A list of a comparison, worded. */
export interface Section {
  readonly key: 'broken' | 'mended' | 'new' | 'gone' | 'unchecked';
  readonly title: string;
  readonly checks: number;
  readonly entries: readonly Entry[];
}

/** A run in one line: `https://… (live), 2026-11-22T18:30:00.000Z, kit 0.1.0: conforms`. */
export function headText(head: RunHead): string {
  const { coverage, incomplete, kit, started, target, verdict } = head;
  const { checked, of } = headCounts(coverage);
  const why = verdict === 'incomplete' ? ` (${incomplete.map(incompleteText).join('; ')})` : '';
  return oneLine(
    `${addressText(target)} (${target.kind}), ${started}, kit ${kit}: ${verdictText(head)}${why}, ${checked} of ${of} checked`,
  );
}

const failing = (checks: readonly CheckResult[]): Entry[] =>
  groups(checks).map(({ title, checks: members }) => {
    const [{ finding }] = members;
    return {
      label: labelOf(members[0]),
      text: oneLine(title),
      ids: members.map(({ id }) => id),
      ...(finding === undefined ? {} : { again: finding.replay }),
    };
  });

/** Checks that found nothing. */
const quiet = (checks: readonly CheckResult[]): Entry[] => {
  const ids = checks.filter(({ verdict }) => verdict === 'pass' || verdict === 'pass-alternative').map(({ id }) => id);
  return ids.length === 0 ? [] : [{ label: 'pass', text: 'holds', ids }];
};

const kept = (checks: readonly CheckResult[]): Entry[] =>
  skips(checks).map(({ kind, need, why, ids }) => ({
    label: 'skip',
    text: oneLine(`${kind === 'need' ? 'needs ' : ''}${need}: ${why}`),
    ids,
  }));

const now = (changes: readonly Change[]) => changes.flatMap(({ is }) => is ?? []);
const before = (changes: readonly Change[]) => changes.flatMap(({ was }) => was ?? []);

/** The lists of a comparison. */
export const sectionsOf = (diff: Diff): Section[] => [
  { key: 'broken', title: 'Broken', checks: diff.broken.length, entries: failing(now(diff.broken)) },
  {
    key: 'mended',
    title: 'Mended',
    checks: diff.mended.length,
    entries: groups(before(diff.mended)).map(({ checks, title }) => ({
      label: 'pass',
      text: oneLine(`before: ${title}`),
      ids: checks.map(({ id }) => id),
    })),
  },
  {
    key: 'new',
    title: 'New checks',
    checks: diff.new.length,
    entries: [...failing(now(diff.new)), ...quiet(now(diff.new)), ...kept(now(diff.new))],
  },
  {
    key: 'gone',
    title: 'Gone: not in the newer report',
    checks: diff.gone.length,
    entries:
      diff.gone.length === 0
        ? []
        : [{ label: 'gone', text: 'not in the newer report', ids: diff.gone.map(({ id }) => id) }],
  },
  {
    key: 'unchecked',
    title: 'No longer checked: no verdict in the newer report',
    checks: diff.unchecked.length,
    entries: [...kept(now(diff.unchecked)), ...failing(now(diff.unchecked))],
  },
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
      ...(options.failOn === 'warn' ? ['--fail-on warn'] : []),
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
export const changeOf = ({ id, was, is }: Change) => {
  const check = is ?? was;
  const found = is?.finding === undefined ? was : is;
  return {
    id,
    ...(check === undefined ? {} : { requirement: check.requirement, title: check.title }),
    ...(was === undefined ? {} : { was: labelOf(was) }),
    ...(is === undefined ? {} : { is: labelOf(is) }),
    ...(found?.finding === undefined ? {} : { what: titleOf(found), again: found.finding.replay }),
  };
};
