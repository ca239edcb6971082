import { behaviourIn, type Need, waitIn } from '../model/target.js';
import { type Check, ruleOf } from './check.js';
import { tidy } from './cleaning.js';
import { headOf, judgeCheck } from './judge.js';
import { judgeRule } from './judge-rule.js';
import { type OpenRun, openRun } from './open.js';
import type { RunnerOptions } from './options.js';
import type { Results } from './results.js';
import type { RunContext } from './session.js';
import { createRun, type Done, run, type Unit, type UnitRun } from './units.js';

/** The check whether streams arrive at once. All checks that wait on a stream depend on it. */
const BEFORE_ALL = 'chat-stream/as-it-is-said';

/** The first rows. They are cheap, and find the most, because all rules judge them. */
const FIRST_ROWS = 'rows/first';
const ROWS = 'rows/interface';
export const isRows = (id: string): boolean => id === FIRST_ROWS || id === ROWS;

/** Checks that need a caller over the limit of turns. They come first once a caller is over it, and last otherwise. */
const OVER_LIMIT = ['limiter/signing-as-met', 'limiter/invoke-as-met'];

/** Chooses the next of the waiting units. While turns must wait: one that needs the limit, else one without prompts. */
export function nextOf(waiting: readonly Pick<Unit, 'id' | 'needs'>[], isLimited: () => boolean): number {
  if (!isLimited()) return 0;
  const at = waiting.findIndex(({ id }) => OVER_LIMIT.includes(id));
  return Math.max(0, at >= 0 ? at : waiting.findIndex((unit) => !prompts(unit)));
}

/** Checks that come after the others: they depend on behaviour in other checks, or rules judge their subject anyway. */
export const AFTER_OTHERS = [
  'chat-lock/per-intern',
  'chat-endings/suspend-while-streaming',
  'chat-endings/delete-while-streaming',
  'invoke-sessions/steered-live',
  ...OVER_LIMIT,
];

/** The units in the given order, except that BEFORE_ALL comes first. */
export const asTheyStand = <One extends Pick<Unit, 'id'>>(units: readonly One[]): readonly One[] =>
  units.toSorted((a, b) => Number(b.id === BEFORE_ALL) - Number(a.id === BEFORE_ALL));

/** Checks that run alone. */
export const ALONE: ReadonlySet<string> = new Set([BEFORE_ALL, FIRST_ROWS]);

type Ordered = Pick<Unit, 'id' | 'requirement' | 'level' | 'needs' | 'watches'>;

export const prompts = ({ needs }: Pick<Unit, 'needs'>): boolean =>
  needs.some((need) => behaviourIn(need as Need) !== undefined);

/** The cost of a unit, from the lowest: it reads, writes, boots an intern, prompts one, waits. */
function dearness(unit: Ordered): number {
  const { needs } = unit;
  if (needs.some((need) => waitIn(need as Need) !== undefined)) return 4;
  if (prompts(unit)) return 3;
  if (needs.includes('running')) return 2;
  return needs.includes('write') ? 1 : 0;
}

function byKind<One>(units: readonly One[], kindOf: (unit: One) => string): readonly (readonly One[])[] {
  const kinds = new Map<string, One[]>();
  for (const one of units) {
    const kind = kinds.get(kindOf(one)) ?? [];
    kinds.set(kindOf(one), [...kind, one]);
  }
  return [...kinds.values()];
}

/**
 * The units in their order at a deployment, so that a limit cuts the tail. Stated requirements come before published ones,
 * one check of each requirement before the second of any, and the cheap check of a requirement before the dear. Checks that no
 * rule replaces come before those that rules judge in any answer. Equal ones take turns: reads, writes, boots, prompts. A
 * check whose need the target lacks takes no place.
 */
export function inOrder<One extends Ordered>(units: readonly One[], lacks: (need: string) => boolean): readonly One[] {
  const possible = units.filter(({ needs, watches }) => watches !== true && !needs.some(lacks));
  const rounds = new Map<One, number>();
  for (const same of byKind(possible, ({ requirement, level }) => `${requirement} ${level}`))
    for (const [round, one] of same.toSorted((a, b) => dearness(a) - dearness(b)).entries()) rounds.set(one, round);
  /** The share of its kind that comes before a unit. Units with equal shares run together: a third of the reads with a third of the prompts. */
  const share = new Map<One, number>();
  for (const kind of byKind(possible, (one) => `${one.level} ${rounds.get(one)} ${dearness(one)}`))
    for (const [at, one] of kind.entries()) share.set(one, at / kind.length);
  const ruled = new Set(
    units.flatMap(({ requirement, level, watches }) => (watches === true ? `${requirement} ${level}` : [])),
  );
  const place = (one: One) => {
    if (one.watches === true) return 4;
    if (AFTER_OTHERS.includes(one.id)) return 3;
    if (!rounds.has(one)) return 2;
    return one.id === BEFORE_ALL || one.id === FIRST_ROWS ? 0 : 1;
  };
  const keys = (one: One) => [
    place(one),
    one.id === BEFORE_ALL ? 1 : 0,
    'SPC'.indexOf(one.level),
    one.id === ROWS ? 0 : (rounds.get(one) ?? 0),
    // Rows run beside all checks whose subject rules judge, too.
    one.id === ROWS ? 1 : ruled.has(`${one.requirement} ${one.level}`) ? 2 : 0,
    share.get(one) ?? 0,
    dearness(one),
  ];
  const ranked = units.map((one) => ({ one, keys: keys(one) }));
  const before = (a: readonly number[], b: readonly number[]) =>
    a.map((key, at) => key - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return ranked.sort((a, b) => before(a.keys, b.keys)).map(({ one }) => one);
}

export type { RunnerOptions } from './options.js';

/** Keeps the interns of a check that can serve others, and deletes the rest. */
async function settle(opened: OpenRun, run: RunContext, { rows }: Done): Promise<void> {
  const { lane, pool, session } = run;
  pool.reported.push(...rows.filter(({ finding }) => finding !== undefined));
  const [shared] = pool.of('shared', lane);
  const live = run.driver.control === undefined;
  // A breach may have left the shared intern in any state.
  const held = rows.every(({ verdict }) => verdict === 'pass' || verdict === 'skip');
  if (!held) pool.drop(lane);
  else if (live) pool.takeBack(lane, session.learnt.mayKeep);
  else if (shared !== undefined && session.lately(shared.id)) pool.drop(lane, { foreign: false });
  await tidy(run).catch((error) => (run.signal.aborted ? undefined : opened.putBackFailed(error)));
  pool.withhold(session.monitors.isStray);
}

/** A check as a run selects and orders it: a chosen behaviour (level C) needs a control interface. */
export const asUnit = (check: Check) => ({
  ...headOf(check),
  needs: check.level === 'C' ? (['control', ...check.needs] as const) : check.needs,
  watches: ruleOf(check) !== undefined,
  feeds: check.sweeps === true,
});

function unitsOf(checks: readonly Check[], opened: OpenRun): Unit[] {
  const { settings, session } = opened;
  const lanes = Array.from(
    { length: settings.concurrency },
    (): RunContext => ({ ...opened, lane: { made: new Set(), sent: 0 } }),
  );
  return checks.map((check) => {
    const rule = ruleOf(check);
    return {
      ...asUnit(check),
      heads: [headOf(check)],
      alone: rule !== undefined || ALONE.has(check.id),
      prepare: () => session.monitors.begin(check),
      async run({ lane, ...company }) {
        const context = lanes[lane];
        if (context === undefined) throw new RangeError(`lane: expected less than ${lanes.length}, got ${lane}`);
        if (rule !== undefined) return judgeRule(context, check, rule, (id) => checks.find((one) => one.id === id));
        const done = await judgeCheck(context, check, company);
        return { ...done, settle: () => settle(opened, context, done) };
      },
    };
  });
}

/** ms that a run needs for its rows. */
const SHORTEST = 20_000;

function prepared(options: RunnerOptions): Parameters<typeof createRun> {
  const opened = openRun(options);
  return [
    unitsOf(options.checks, opened),
    opened,
    {
      ...options,
      order: (units) =>
        opened.settings.free ? asTheyStand(units) : inOrder(units, (need) => opened.lacks(need) !== undefined),
      without(unit) {
        if (unit.watches === true) return undefined;
        const { time } = opened.settings.limits;
        // A short run has no time to delete the interns of the rows.
        if (isRows(unit.id) && time.most < SHORTEST) return time.stop;
        return opened.ending.without(prompts(unit));
      },
      next: (waiting) => nextOf(waiting, () => opened.session.turns('api_key').paused()),
    },
  ];
}

/**
 * Selects checks and prepares to do them. Prints nothing.
 *
 * @throws SelectionError for a pattern that matches nothing
 */
export const createCheckRun = (options: RunnerOptions): UnitRun => createRun(...prepared(options));

/**
 * Selects checks, does them at a target, cleans up, and returns the results.
 *
 * @throws SelectionError for a pattern that matches nothing
 */
export const runChecks = (options: RunnerOptions): Promise<Results> => run(...prepared(options));
