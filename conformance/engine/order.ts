import type { Because } from '../framework/skip.js';
import { BUDGETS, type Budget } from './budget.js';
import measured from './measured.json' with { type: 'json' };
import type { Unit } from './unit.js';

/** Whether streams arrive decides what all that waits on one can tell. */
const BEFORE_ALL = 'chat-stream/as-it-is-said';

/** Look at what the others met. */
const AFTER_ALL = ['limiter/as-met', 'limiter/words-as-met'];

/** Need a caller over the limit of turns: they go before all others once one is, and after them where none was. */
const OVER_LIMIT = ['limiter/signing-as-met', 'limiter/invoke-as-met'];

/** Which of the units that wait is done next. */
export function nextOf(waiting: readonly Pick<Unit, 'id'>[], isLimited: () => boolean): number {
  const at = waiting.findIndex(({ id }) => OVER_LIMIT.includes(id));
  return at > 0 && isLimited() ? at : 0;
}

/** Rest on what the intern did for others. */
const LATE = ['invoke-sessions/steered-live', ...OVER_LIMIT];

/** Compares two reads of the list: what others create in between hides what one of them lacks. */
const WHILE_NOTHING_IS_MADE = 'list/by-workspace';

/** Checks that no other is done beside. */
export const ALONE: ReadonlySet<string> = new Set([BEFORE_ALL, WHILE_NOTHING_IS_MADE, ...AFTER_ALL]);

/** Requests of taking an intern away, and of looking whether it is gone. */
const CLEANED = 1.3;
/** Requests of a run that no check sends: the look at the target, the first interns, the searches of the clean-up. */
const AROUND = 42;
/** How much more the most of several runs makes than their checks were measured to: what they share differs by seed. */
const SPREAD = 1.01;
/** What a check has to add to what others are expected to find, so that it is done for that. */
const WORTH = 0.03;
/** The share of a budget that looks whether a habit of the target explains a finding: mostly how far its reads lag behind. */
const EXPLAINED = 0.045;
/** What a check is taken to cost that was never seen to send anything: it looks at what others met. */
const UNMEASURED = { requests: 3, interns: 0 };

/** What bench/kit-requests.ts measured of a check at a deployment. */
interface Measured {
  /** Requests, prompts, interns made and ms with one run of each property. */
  readonly once: readonly number[];
  /** The same in a thorough run. */
  readonly thorough: readonly number[];
  /** With how many of the seeds it sees each deviation. */
  readonly sees?: Readonly<Record<string, number>>;
}
const MEASURED: Readonly<Record<string, Measured>> = measured.checks;

/** Ids of the checks that were measured. */
export const MEASURED_IDS = Object.keys(MEASURED);

/** What a check was measured to cost at a deployment. */
export interface Cost {
  readonly requests: number;
  readonly prompts: number;
  readonly interns: number;
  /** ms */
  readonly time: number;
}

/** What a check costs with so many runs of each property. Undefined where it was never seen to send anything. */
export function costOf(id: string, runs = 1): Cost | undefined {
  const { once: row, thorough } = MEASURED[id] ?? {};
  if (row === undefined || thorough === undefined) return undefined;
  const share = (Math.min(runs, BUDGETS.thorough.runs) - 1) / (BUDGETS.thorough.runs - 1);
  const at = (which: number) => {
    const [once = 0, often = 0] = [row[which], thorough[which]];
    return once + Math.max(0, often - once) * share;
  };
  return { requests: at(0), prompts: at(1), interns: at(2), time: at(3) };
}

const SIGHTINGS = new Map(
  Object.entries(MEASURED).map(([id, { sees = {} }]) => [
    id,
    Object.entries(sees).map(([name, times]) => [name, times / measured.seeds] as const),
  ]),
);

/** How likely a check sees each deviation, as measured. Undefined where nobody measured it. */
export const sightings = (id: string): readonly (readonly [deviation: string, chance: number])[] | undefined =>
  SIGHTINGS.get(id);

/** How many deviations checks are expected to see together, and what each of them adds. */
export function createExpectation() {
  const seenBy = new Map<string, number[]>();
  const missed = (name: string) => {
    let all = 1;
    for (const chance of seenBy.get(name) ?? []) all *= 1 - chance;
    return all;
  };
  return {
    /** How many more are seen with this one too. What nobody measured may see anything. */
    more(id: string): number {
      const found = sightings(id);
      if (found === undefined) return 1;
      let sum = 0;
      for (const [name, chance] of found) sum += chance * missed(name);
      return sum;
    },
    add(id: string) {
      for (const [name, chance] of sightings(id) ?? []) seenBy.set(name, [...(seenBy.get(name) ?? []), chance]);
    },
    remove(id: string) {
      for (const [name, chance] of sightings(id) ?? []) {
        const chances = seenBy.get(name) ?? [];
        seenBy.set(name, chances.toSpliced(chances.indexOf(chance), 1));
      }
    },
    all: () => [...seenBy.keys()].reduce((sum, name) => sum + 1 - missed(name), 0),
  };
}

/** Requests that checks of such costs are: those of their interns' clean-up too. */
export const requestsOf = ({ requests, interns }: Pick<Cost, 'requests' | 'interns'>): number =>
  requests + CLEANED * interns;

type Ranked = Pick<Unit, 'id' | 'requirement' | 'level' | 'needs' | 'watches'>;

/** What is spent of a budget. */
export interface Spent {
  /** Requests that were sent, or promised to units under way. */
  readonly sent: number;
  /** Those that the clean-up would send if the run ended now. */
  readonly owed?: number | undefined;
}

/** A run's units by what they find for what they cost, and which of them its budget leaves out. */
export interface Plan<One> {
  /** The units in the order in which they are done. */
  readonly order: readonly One[];
  /** Why a unit is left out: the budget was planned without it, or what is spent by now leaves no room for it. */
  beyond(unit: One, spent: Spent): Because<'need'> | undefined;
  /** Requests that a unit is expected to send. */
  expected(unit: One): number;
  /** Those of doing it once more where it has found something, and of looking for what may explain that. */
  again(unit: One): number;
}

/**
 * Puts the units in the order in which a deployment is looked at, so that a budget cuts the tail: the unit first that sees
 * most of what none before it sees, for each request (measured.json). Then what sees nothing more: what is stated before what is
 * published, the cheapest first.
 */
function byValue<One extends Ranked>(costs: ReadonlyMap<One, number>) {
  const expectation = createExpectation();
  const looked = new Set<string>();
  const left = new Map(costs);
  const ranked: { readonly unit: One; readonly repeats: boolean }[] = [];
  while (left.size > 0) {
    let best: { unit: One; more: number; value: number } | undefined;
    for (const [unit, cost] of left) {
      const more = expectation.more(unit.id);
      const rest = (unit.level === 'S' ? 1e-3 : 1e-5) * (looked.has(unit.requirement) ? 0.1 : 1);
      const value = (more > WORTH ? more : rest) / cost;
      if (best === undefined || value > best.value) best = { unit, more, value };
    }
    if (best === undefined) break;
    const { unit, more } = best;
    left.delete(unit);
    ranked.push({ unit, repeats: more <= WORTH && looked.has(unit.requirement) });
    looked.add(unit.requirement);
    expectation.add(unit.id);
  }
  return ranked;
}

/**
 * Those of a run that add next to nothing to what all others of it see, nor look alone at their requirement: what was worth
 * most when it was chosen, others that were chosen later may see together. The dearest goes first.
 */
function needless<One extends Ranked>(done: readonly One[], costs: ReadonlyMap<One, number>): ReadonlySet<One> {
  const expectation = createExpectation();
  const looks = new Map<string, number>();
  const count = ({ requirement }: One, by: number) => looks.set(requirement, (looks.get(requirement) ?? 0) + by);
  for (const one of done) {
    expectation.add(one.id);
    count(one, 1);
  }
  const without = new Set<One>();
  for (const one of done.toSorted((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0))) {
    if ((sightings(one.id) ?? []).length === 0 || looks.get(one.requirement) === 1) continue;
    expectation.remove(one.id);
    if (expectation.more(one.id) > WORTH) expectation.add(one.id);
    else {
      without.add(one);
      count(one, -1);
    }
  }
  return without;
}

export interface PlanOptions<One> {
  /** The units of this part of the run. */
  readonly part: readonly One[];
  /** Whether the target lacks a need. */
  lacks(need: string): boolean;
  readonly budget: Budget;
  /** Runs of each property. */
  readonly runs: number;
  /** They were named: none of them is left out for what others find. */
  readonly named: boolean;
}

/** Plans what a budget is spent on. `units` are those of every part, so that each part plans the same. */
export function planned<One extends Ranked>(units: readonly One[], options: PlanOptions<One>): Plan<One> {
  const { budget, lacks, named, part, runs } = options;
  // A number that was given is that of the run alone: the clean-up is done all the same.
  const { hard } = budget;
  const cost = ({ id }: One) => {
    const measured = costOf(id, runs) ?? UNMEASURED;
    return hard ? measured.requests : SPREAD * requestsOf(measured);
  };
  // Monitors send nothing, and are done whatever else is.
  const sending = units.filter(({ needs, watches }) => watches !== true && !needs.some(lacks));
  const costs = new Map(sending.map((unit) => [unit, cost(unit)]));
  const ranked = byValue(costs);
  const again = (unit: One) => EXPLAINED * budget.requests + (costs.get(unit) ?? 0);
  const place = new Map(ranked.map(({ unit }, at) => [unit, at]));
  const why = (how: 'spent' | 'repeats') =>
    ({ kind: 'budget', how, budget: budget.name, requests: budget.requests }) as const;
  const sparing = budget.name !== 'thorough' && !hard && !named;
  /** Those that are done in any case come first; then the others by their rank, as long as there is room. */
  const leftOut = (kept: ReadonlySet<One> = new Set(), without: ReadonlySet<One> = new Set()) => {
    const out = new Map<One, Because<'need'>>();
    let spent = hard ? 0 : AROUND;
    for (const unit of kept) spent += costs.get(unit) ?? 0;
    for (const { unit, repeats } of ranked) {
      if (kept.has(unit)) continue;
      const sum = spent + (costs.get(unit) ?? 0);
      // What is stated is done all the same where there is room: it may see what nobody has measured.
      if (sparing && (without.has(unit) || repeats) && unit.level !== 'S') out.set(unit, why('repeats'));
      else if (sum > budget.requests) out.set(unit, why('spent'));
      else spent = sum;
    }
    return out;
  };
  const first = leftOut();
  const done = ranked.filter(({ unit }) => !first.has(unit));
  const without = needless(
    done.flatMap(({ unit, repeats }) => (repeats ? [] : [unit])),
    costs,
  );
  const kept = new Set(done.flatMap(({ unit }) => (without.has(unit) ? [] : [unit])));
  const out = sparing ? leftOut(kept, without) : first;
  const rank = (unit: One) => {
    if (unit.watches === true || AFTER_ALL.includes(unit.id)) return Number.POSITIVE_INFINITY;
    if (LATE.includes(unit.id)) return units.length;
    return unit.id === BEFORE_ALL ? -1 : (place.get(unit) ?? units.length - 1);
  };
  return {
    order: part
      .map((unit) => ({ unit, at: rank(unit) }))
      .sort((one, other) => (one.at === other.at ? 0 : one.at - other.at))
      .map(({ unit }) => unit),
    beyond(unit, { sent, owed = 0 }) {
      // What is done late for what others met is worth its few requests, however many those made.
      if (unit.watches === true) return undefined;
      if (out.has(unit) || (!hard && [...AFTER_ALL, ...LATE].includes(unit.id))) return out.get(unit);
      // What finds something is done once more to be sure, and what may explain it is looked for: there must be room for that too.
      const needed = hard ? (costs.get(unit) ?? 0) : owed + (costs.get(unit) ?? 0) + again(unit);
      return sent + needed > budget.requests ? why('spent') : undefined;
    },
    expected: (unit) => costs.get(unit) ?? 0,
    again,
  };
}
