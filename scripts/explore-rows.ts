import { byKey } from '../emulator/contract/by-key.js';
import { DISTURBANCES } from '../emulator/contract/disturbance.js';
import real from '../test/apps/real/score.json' with { type: 'json' };
import score from '../test/apps/score.json' with { type: 'json' };
import { WRONG } from '../test/apps/wrong/index.js';
import { withRows } from './page-parts.js';

const APPS_HEAD = '| law | apps that break it |\n|---|---|\n';
const REAL_HEAD =
  '| busy processes of its own | apps | groups | of defects | true | false | missed | shown again | load |\n|---|---|---|---|---|---|---|---|---|\n';
const FOUND_HEAD = '| disturbance | class | apps found |\n|---|---|---|\n';

/** The result of one example of a library. */
export interface RealScore {
  readonly schedules: number;
  readonly groups: number;
  /** Defects that a group is of. */
  readonly defects: number;
  readonly wrong: number;
  readonly missed: number;
  /** Groups that each of so many `times` showed again. */
  readonly again: number;
  readonly times: number;
  /** Processes that ran or waited to, over five minutes. */
  readonly load: number;
}
/** By the number of busy processes beside it, and by app. */
export type RealScores = Readonly<Record<string, Readonly<Record<string, RealScore>>>>;

export function sumOf(scores: readonly RealScore[]) {
  const sum = (of: (score: RealScore) => number): number => scores.reduce((total, one) => total + of(one), 0);
  const loads = scores.map(({ load }) => load);
  const groups = sum((one) => one.groups);
  const wrong = sum((one) => one.wrong);
  const defects = sum((one) => one.defects);
  return {
    apps: scores.length,
    groups,
    defects,
    wrong,
    missed: sum((one) => one.missed),
    again: sum((one) => one.again),
    times: Math.min(...scores.map(({ times }) => times)),
    share: (100 * (1 - wrong / Math.max(1, groups))).toFixed(0),
    each: (groups / Math.max(1, defects)).toFixed(2),
    load: [Math.min(...loads), Math.max(...loads)],
  };
}

export const sumText = ({
  apps,
  groups,
  defects,
  each,
  share,
  wrong,
  missed,
  again,
  times,
}: ReturnType<typeof sumOf>) =>
  `${apps} apps: ${groups} groups of ${defects} defects, ${each} a defect; ${share} % true, ${wrong} false, ${missed} missed; ${again} of ${groups} shown again ${times} times`;

function realRow([busy, apps]: [string, RealScores[string]]): string {
  const { each, share, load, times, ...sum } = sumOf(Object.values(apps));
  return `| ${busy} | ${sum.apps} | ${sum.groups} | ${sum.defects} (${each} a defect) | ${share} % | ${sum.wrong} | ${sum.missed} | ${sum.again}, ${times} times each | ${load.join(' to ')} |`;
}

/** The name of an app, with a link to its thread, `owner/repo#12: text`. */
function linked({ id, seen }: (typeof WRONG)[number]): string {
  const [, repository = '', number = ''] = /^([^#]+)#(\d+): /.exec(seen) ?? [];
  return `[\`${id}\`](https://github.com/${repository}/issues/${number})`;
}

/** How many apps a disturbance found: an app counts for the law that it is made for. */
function foundBy(kind: string): number {
  const scores: Record<string, Record<string, readonly string[]>> = score;
  return WRONG.filter(({ id, law }) => scores[id]?.[law]?.includes(kind)).length;
}

/** Writes the scores of libraries' examples, the wrong apps, and which disturbance finds which of them, into the page about `explore`. */
export function withApps(page: string): string {
  const laws = byKey(WRONG, ({ law }) => law);
  const apps = [...laws].map(([law, broken]) => `| \`${law}\` | ${broken.map(linked).join(', ')} |`);
  const kinds = Object.entries(DISTURBANCES).filter(([, row]) => row.class !== 'broken');
  const rows = kinds.map(([kind, row]) => `| \`${kind}\` ${row.what} | ${row.class} | ${foundBy(kind)} |`);
  const scores = Object.entries(real as RealScores).map(realRow);
  return withRows(withRows(withRows(page, REAL_HEAD, scores), APPS_HEAD, apps), FOUND_HEAD, rows);
}
