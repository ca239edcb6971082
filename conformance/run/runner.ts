import type { Check } from '../framework/check.js';
import { ruleOf } from '../rules/check.js';
import { tidy } from './cleaning.js';
import { headOf, judgeCheck } from './judge.js';
import { judgeRule } from './judge-rule.js';
import { type OpenRun, openRun } from './open.js';
import type { RunnerOptions } from './options.js';
import { ALONE, asTheyStand, inOrder, isRows, nextOf, prompts } from './order.js';
import type { Results } from './results.js';
import type { RunContext } from './session.js';
import { createRun, type Done, run, type Unit, type UnitRun } from './units.js';

export type { RunnerOptions } from './options.js';

/** Keeps of what a check was handed what can serve others, and takes away the rest. */
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

/** A check as a run selects and orders it: what is chosen needs a control interface. */
export const asUnit = (check: Check) => ({
  ...headOf(check),
  needs: check.level === 'C' ? (['control', ...check.needs] as const) : check.needs,
  watches: ruleOf(check) !== undefined,
  feeds: check.sweeps === true,
});

/** Checks as units of a run. */
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

/** ms that a run has to have for its rows. */
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
        // Rows make more interns than so short a run has time to take away.
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
 * @throws SelectionError for a pattern that means nothing
 */
export const createCheckRun = (options: RunnerOptions): UnitRun => createRun(...prepared(options));

/**
 * Selects checks, does them against a target, cleans up, and answers what came of it.
 *
 * @throws SelectionError for a pattern that means nothing
 */
export const runChecks = (options: RunnerOptions): Promise<Results> => run(...prepared(options));
