import { Semaphore } from 'async-mutex';
import { brief } from '../framework/assert.js';
import { type Because, type Skip, stoppedBy } from '../framework/skip.js';
import { isLimit, isOfBudget, type Stop, Stopped } from '../framework/stop.js';
import type { Host } from '../probe/time.js';
import type { Level } from '../requirements/index.js';
import { decidedBy } from '../requirements/views.js';
import type { BudgetOptions, Ending } from './budget.js';
import type { CleanupResult } from './cleanup.js';
import type { CheckResult, FailOn, Results, RowHead, RunEvents } from './results.js';
import { checksOfSet, chosenOf, type Selection, type UnitKind } from './select.js';
import { type Assembled, asKnown, asNew, assemble, type Baseline } from './verdict.js';

/** How a unit is done. */
export interface UnitContext {
  /** The lane that does it, from 0. */
  readonly lane: number;
  /** Whether others may be at work. */
  readonly together: boolean;
  /** Aborts when the run is over. */
  readonly signal: AbortSignal;
  /**
   * Waits until no other unit is at work, and keeps it so. `found`: it has found something, so that there is room for it.
   *
   * @throws Stopped where the run is over by then
   */
  alone(found: boolean): Promise<void>;
  /** Lets the next unit begin: from here on this one only watches. */
  free(): void;
}

/** The outcome of a unit. */
export interface Done {
  /** A row for each of its heads. */
  readonly rows: readonly CheckResult[];
  /** The target gave no answer. */
  readonly lost?: boolean;
  /** Why the run is over, where the unit found that. */
  readonly stopped?: Stop;
  /** Work that remains before the lane takes another. */
  settle?(): Promise<void>;
}

/** A unit of a run: a check, a client case, a scenario of a recording. */
export interface Unit {
  readonly id: string;
  readonly requirement: string;
  readonly level: Level;
  /** Needs of the unit. A missing need makes it a skip that names it. */
  readonly needs: readonly string[];
  /** Its rows, before anything is known of them. */
  readonly heads: readonly RowHead[];
  /** Never done beside others. */
  readonly alone?: boolean;
  /** Looks at what all others met: it is done after them, costs nothing, and is never left out. */
  readonly watches?: boolean;
  /** It asks for what the watching ones judge. */
  readonly feeds?: boolean;
  /** It is among the units of a run, which has not begun. */
  prepare?(): void;
  /** Does it. An error that it throws is a fault of the kit, unless it ends the run. */
  run(context: UnitContext): Promise<Done>;
}

/** An error of the kit itself. */
export const faultOf = (error: unknown) => ({
  message: error instanceof Error ? `${error.name}: ${error.message}` : brief(error),
  ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}),
});

/** The target of a run: a deployment, an emulator, or a client behind its adapter. */
export interface RunTarget {
  readonly about: Results['target'];
  readonly host: Host;
  readonly tag: string;
  readonly ending: Ending;
  /** How many units may be done at a time. */
  readonly concurrency: number;
  /** Has room for one unit at a time, for now. */
  readonly scarce: boolean;
  /** Why nothing more can be done at it. */
  readonly lost?: Stop | undefined;
  /** Requests so far. */
  readonly sent: number;
  /** The part of a need that the target lacks. */
  lacks(need: string): Because<'need'> | undefined;
  /** Looks at it (KIT-5), where there is anything to do, and makes it ready. Answers why it cannot be. */
  begin(look: boolean): Promise<Stop | undefined>;
  /** Data as JSON can carry it, secrets taken out. */
  clean<Data>(data: Data): Data;
  /** Removes everything that the run made, and releases the target. */
  close(): Promise<CleanupResult | undefined>;
  /** A row in the light of what came after it. */
  revised?(row: CheckResult): CheckResult;
  /** The part of the results that is not its rows. */
  summary(): Pick<Assembled, 'asked' | 'options' | 'others'>;
}

/** The options of every run, whatever its units are. Times in ms. */
export interface EngineOptions extends Selection, Pick<BudgetOptions, 'maxRequests' | 'maxTime'> {
  /** The baseline: ids of rows, or entries that say more. */
  readonly baseline?: Baseline | undefined;
  /** The name of a published set of checks: the results of others do not count (KIT-9). */
  readonly requirements?: string | undefined;
  /** The verdict from which on the target fails. Default `fail`; `warn` holds it to published sentences too. */
  readonly failOn?: FailOn | undefined;
  /** Percent of the selected rows that have to come to a verdict for the run to be complete. Default 0. */
  readonly minCoverage?: number | undefined;
  readonly events?: RunEvents | undefined;
  /** Ends the run early; its clean-up still runs. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a part that has units of its own. */
interface UnitOptions extends EngineOptions {
  /** The word for a unit. Default: a check. */
  readonly kind?: UnitKind;
  /** Puts them in the order in which they are done. */
  order?(units: readonly Unit[]): readonly Unit[];
  /** Why there is no room for one, where there is none. */
  without?(unit: Unit): Stop | undefined;
  /** Chooses the next of the waiting units. Default: the first. */
  next?(waiting: readonly Unit[]): number;
  /** The units are not all that there are: a baseline may have others. */
  readonly partial?: boolean;
}

/** Units in a row that lose the target before the rest is given up. */
const LOST_IN_A_ROW = 5;

/** ms after which a unit at work beside others keeps exclusive ones waiting, and no others: they go before. */
const HOLDS_UP = 4_000;

const withheld = ({ finding: _, ...rest }: CheckResult, stop: Stop): CheckResult => ({
  ...rest,
  verdict: 'skip',
  skip: stoppedBy(stop),
});

/**
 * A run in steps, for those who do units one by one: selects them and prepares to do them at a target. Prints nothing.
 *
 * @throws SelectionError for a pattern that means nothing, UsageError for a set that is not published
 */
export function createRun(units: readonly Unit[], target: RunTarget, options: UnitOptions) {
  const { events = {}, failOn, requirements, order = (all: readonly Unit[]) => all } = options;
  const { about, ending, host } = target;
  const set = requirements === undefined ? undefined : checksOfSet(requirements);
  const began = host.now();
  const selected = order(chosenOf(units, options, options.kind));
  const of = selected.reduce((sum, { heads }) => sum + heads.length, 0);
  for (const unit of selected) unit.prepare?.();
  const concurrency = Math.max(1, Math.min(target.concurrency, selected.length));
  const results = new Map<Unit, readonly CheckResult[]>();
  /** As many places as lanes: a unit takes one, or all of them. */
  const floor = new Semaphore(concurrency);
  /** Since when each lane is at work beside others. */
  const busySince = new Map<number, number>();
  let started = 0;
  let ended = 0;
  let lost = 0;

  const put = (unit: Unit, rows: readonly CheckResult[]) => {
    results.set(unit, rows);
    ended += rows.length;
    return rows;
  };
  /** The rows of a unit that all come to the same. */
  const rowsOf = ({ heads }: Unit, outcome: Pick<CheckResult, 'verdict' | 'skip' | 'error'>) =>
    heads.map(
      (head): CheckResult =>
        asNew(target.clean({ ...head, duration: 0, requests: 0, properties: [], ...outcome }), set),
    );
  const skipped = (unit: Unit, skip: Skip) => rowsOf(unit, { verdict: 'skip', skip });

  const conclude = async (unit: Unit, done: Done) => {
    // The end of the run is reported once, also where several lanes meet it at the same time.
    const before = done.stopped === undefined ? undefined : ending.stopped;
    const rows = done.rows.map((row) =>
      before === undefined ? asNew(asKnown(row, options.baseline, host.now(), failOn), set) : withheld(row, before),
    );
    const first = ended;
    put(unit, rows);
    for (const [at, row] of rows.entries()) events.checkEnd?.(row, { index: first + at, of });
    if (done.stopped !== undefined) ending.stop(done.stopped);
    // The other lanes would only do more of the thing for which the run stops.
    if (done.stopped !== undefined && rows.some(({ finding }) => finding !== undefined)) ending.end(done.stopped);
    if (done.lost === true) lost++;
    else if (rows.some(({ verdict }) => verdict !== 'skip')) lost = 0;
    if (lost >= LOST_IN_A_ROW) ending.stop({ kind: 'silent', checks: lost });
    await done.settle?.();
    return rows;
  };
  /** Why a unit cannot be begun any more. `found`: it has found something, and room for that was kept free. */
  const stopFor = (unit: Unit, found = false): Stop | undefined => {
    if (target.lost !== undefined) ending.stop(target.lost);
    // Monitors judge the exchanges that they have met by then.
    if (unit.watches === true && isLimit(ending.stopped)) return undefined;
    return ending.stopped ?? (found ? undefined : options.without?.(unit));
  };
  /** Does a unit if it can still be done. */
  const tried = async (unit: Unit, context: Omit<UnitContext, 'signal'>) => {
    const because = unit.needs.map((need) => target.lacks(need)).find((lack) => lack !== undefined);
    const stop = stopFor(unit);
    // A need that the target lacks stays so, however much time there was.
    if (because !== undefined && (ending.stopped === undefined || isLimit(ending.stopped)))
      return conclude(unit, { rows: skipped(unit, { kind: 'need', because }) });
    if (ending.stopped !== undefined && stop !== undefined) return put(unit, skipped(unit, stoppedBy(stop)));
    if (stop !== undefined) return conclude(unit, { rows: skipped(unit, stoppedBy(stop)) });
    const done = unit.run({ ...context, signal: ending.signal });
    const failed = (error: unknown): Done => {
      if (error instanceof Stopped) return { rows: skipped(unit, stoppedBy(error.stop)) };
      return { rows: rowsOf(unit, { verdict: 'error', error: { ...faultOf(error), transcript: [] } }) };
    };
    return conclude(unit, await done.catch(failed));
  };
  /** Does a unit with one place, or with all of them, until it is done or frees them. `lane` is free then for another. */
  const inLane = async (unit: Unit, lane: number, together: boolean, freed: () => void) => {
    let release = () => {};
    const take = async (places: number, priority = 0) => {
      const [, back] = await floor.acquire(places, priority);
      release = () => {
        release = () => {};
        busySince.delete(lane);
        back();
      };
    };
    if (together) {
      const kept = [...busySince.values()].some((since) => host.now() - since > HOLDS_UP);
      await take(1, kept ? 1 : 0);
      busySince.set(lane, host.now());
    } else await take(concurrency);
    return tried(unit, {
      lane,
      together,
      async alone(found) {
        if (!together) return;
        release();
        await take(concurrency);
        const stop = stopFor(unit, found);
        if (stop !== undefined) throw new Stopped(stop);
      },
      free() {
        release();
        freed();
      },
    }).finally(() => release());
  };

  return {
    units: selected,
    /** How many of them may be done at a time. */
    concurrency,
    /** Looks at the target and makes it ready. Undefined where units can be done, else why not. */
    async begin(): Promise<Stop | undefined> {
      const why = await target.begin(selected.length > 0);
      if (why === undefined) events.start?.({ checks: of, target: about, kind: options.kind ?? 'check' });
      return why;
    },

    /**
     * Does one unit. One that cannot be done any more is a skip. `at` is the lane, below `concurrency`, and does one at a time;
     * `freed` is called where it may take the next one before this one is evaluated.
     */
    async do(unit: Unit, at = 0, freed = () => {}): Promise<readonly CheckResult[]> {
      if (at >= concurrency) throw new RangeError(`lane: expected less than ${concurrency}, got ${at}`);
      // Where there is room for a few interns or requests only, others would take it.
      const { scarce } = target;
      const lane = scarce ? 0 : at;
      if (ending.stopped === undefined) events.checkStart?.({ id: unit.id, index: started, of });
      started += unit.heads.length;
      return inLane(unit, lane, concurrency > 1 && unit.alone !== true && !scarce, freed);
    },

    /** Cleans up and evaluates. */
    async finish(): Promise<Results> {
      events.cleanup?.();
      const cleanup = await target.close();
      const rows = selected.flatMap((unit) => results.get(unit) ?? []).map((row) => target.revised?.(row) ?? row);
      const { only = [], skip = [], levels = ['S', 'P', 'C'], shard } = options;
      const summary = target.summary();
      const stops = [ending.stopped, ...rows.map(({ skip: why }) => stopOf(why))].filter((stop) => stop !== undefined);
      return assemble(rows, {
        ...summary,
        ledger: options.kind === undefined,
        tag: target.tag,
        began,
        now: host.now(),
        target: about,
        options: {
          only,
          skip,
          levels,
          ...(shard === undefined ? {} : { shard }),
          ...(requirements === undefined ? {} : { requirements }),
          ...summary.options,
        },
        requests: target.sent,
        ...(cleanup === undefined ? {} : { cleanup }),
        stopped: stops.find((stop) => !isOfBudget(stop)) ?? stops[0],
        minCoverage: options.minCoverage,
        failOn,
        baseline: options.baseline,
        exists: (id) =>
          options.partial === true || units.some(({ heads }) => heads.some((head) => decidedBy(id).includes(head.id))),
        clean: (data) => target.clean(data),
      });
    },
  };
}

export type UnitRun = ReturnType<typeof createRun>;

/** Each unit once, to whichever lane asks. */
function* oneByOne(units: readonly Unit[], next: NonNullable<UnitOptions['next']> = () => 0): Generator<Unit> {
  const waiting = [...units];
  while (waiting.length > 0) yield* waiting.splice(next(waiting), 1);
}

/** The reason why the run ended, where it skipped a row. */
const stopOf = (skip: Skip | undefined): Stop | undefined =>
  skip?.because.kind === 'over' ? skip.because.stop : undefined;

/**
 * Selects units, does them at a target, cleans up, and answers the results.
 *
 * @throws SelectionError for a pattern that means nothing
 */
export async function run(units: readonly Unit[], target: RunTarget, options: UnitOptions): Promise<Results> {
  const steps = createRun(units, target, options);
  const begun: Promise<unknown>[] = [];
  const errors: unknown[] = [];
  const sending = steps.units.filter(({ watches }) => watches !== true);
  const waiting = oneByOne(sending, options.next);
  const lane = async (_: unknown, at: number) => {
    for (const unit of waiting)
      await new Promise<void>((next) => {
        const done = steps.do(unit, at, next).catch((error: unknown) => errors.push(error));
        begun.push(done.finally(next));
      });
  };
  await steps.begin().catch((error: unknown) => errors.push(error));
  if (errors.length === 0) await Promise.all(Array.from({ length: steps.concurrency }, lane));
  await Promise.all(begun);
  if (errors.length === 0)
    for (const unit of steps.units)
      if (unit.watches === true) await steps.do(unit).catch((error: unknown) => errors.push(error));
  const results = await steps.finish();
  if (errors.length > 0) throw errors[0];
  return results;
}
