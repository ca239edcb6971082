import { Semaphore } from 'async-mutex';
import { brief } from '../model/assert.js';
import { type Because, isLimit, isOfBudget, type Skip, type Stop, Stopped, stoppedBy } from '../model/skip.js';
import type { Host } from '../probe/time.js';
import type { Level } from '../requirements/index.js';
import { decidedBy } from '../requirements/views.js';
import type { CleanupResult } from './cleanup.js';
import type { Ending } from './limits.js';
import type { CheckResult, FailOn, Results, RowHead, RunEvents } from './results.js';
import { checksOfSet, chosenOf, type Selection, type UnitKind } from './select.js';
import { type Assembled, asKnown, asNew, assemble, type Baseline } from './verdict.js';

export interface UnitContext {
  /** The number of its lane, from 0. */
  readonly lane: number;
  /** Whether other units may run at the same time. */
  readonly together: boolean;
  /** Aborts when the run is over. */
  readonly signal: AbortSignal;
  /**
   * Waits until no other unit runs, and lets none begin. `found`: the unit has a finding, and may use the reserve for second looks.
   *
   * @throws Stopped if the run is over by then
   */
  alone(found: boolean): Promise<void>;
  /** Lets the next unit begin, because this one only waits from now on. */
  free(): void;
}

/** The outcome of a unit. */
export interface Done {
  /** A row for each head of the unit. */
  readonly rows: readonly CheckResult[];
  /** Whether the target gave no answer. */
  readonly lost?: boolean;
  /** The stop of the run that the unit found. */
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
  readonly heads: readonly RowHead[];
  /** Whether it never runs beside others. */
  readonly alone?: boolean;
  /** Whether it judges the exchanges of all others. It runs after them, sends nothing, and is never left out. */
  readonly watches?: boolean;
  /** Whether it sends requests for the watching units to judge. */
  readonly feeds?: boolean;
  /** Called before the run begins. */
  prepare?(): void;
  /** Runs the unit. An exception is a fault of the kit, unless it ends the run. */
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
  /** Units at a time. */
  readonly concurrency: number;
  /** Whether it has room for only one unit at a time now. */
  readonly scarce: boolean;
  /** Why no further unit can run. */
  readonly lost?: Stop | undefined;
  /** Requests so far. */
  readonly sent: number;
  /** The part of a need that the target lacks. */
  lacks(need: string): Because<'need'> | undefined;
  /** Makes the target ready. With `look`, evaluates it first (KIT-5). Returns the reason if it is unusable. */
  begin(look: boolean): Promise<Stop | undefined>;
  /** Data as JSON, without secrets. */
  clean<Data>(data: Data): Data;
  /** Removes everything that the run made, and releases the target. */
  close(): Promise<CleanupResult | undefined>;
  /** A row, revised by what the run learned after it. */
  revised?(row: CheckResult): CheckResult;
  /** The part of the results that is not its rows. */
  summary(): Pick<Assembled, 'asked' | 'exchanges' | 'options' | 'others'>;
}

/** The options of every run, of any kind of unit. Times in ms. */
export interface EngineOptions extends Selection {
  /** Most requests, the clean-up included. Default 3,000 for checks without a control interface. */
  readonly maxRequests?: number | undefined;
  /** Most ms, the clean-up included. Default 300,000 for checks without a control interface. */
  readonly maxTime?: number | undefined;
  /** The baseline: ids of rows, or entries that say more. */
  readonly baseline?: Baseline | undefined;
  /** The name of a published set of checks: the results of others do not count (KIT-9). */
  readonly requirements?: string | undefined;
  /** The findings that fail the target. Default: `fail`. */
  readonly failOn?: FailOn | undefined;
  /** Percent of the selected rows that must come to a verdict. Default 0. */
  readonly minCoverage?: number | undefined;
  readonly events?: RunEvents | undefined;
  /** Ends the run early; its clean-up still runs. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a caller with units of its own. */
interface UnitOptions extends EngineOptions {
  /** The word for a unit. Default: a check. */
  readonly kind?: UnitKind;
  /** Puts the units in the order of the run. */
  order?(units: readonly Unit[]): readonly Unit[];
  /** Why there is no room for a unit; undefined if there is. */
  without?(unit: Unit): Stop | undefined;
  /** Chooses the next of the waiting units. Default: the first. */
  next?(waiting: readonly Unit[]): number;
  /** Whether further units exist, which a baseline may name. */
  readonly partial?: boolean;
}

/** The run is given up after this many units in a row without an answer. */
const LOST_IN_A_ROW = 5;

/** After a unit has run for so many ms, others may start before a waiting exclusive one. */
const HOLDS_UP = 4_000;

const withheld = ({ finding: _, ...rest }: CheckResult, stop: Stop): CheckResult => ({
  ...rest,
  verdict: 'skip',
  skip: stoppedBy(stop),
});

/**
 * A run in steps, for callers that run units one by one. Selects the units and prepares them. Prints nothing.
 *
 * @throws SelectionError for a pattern that matches nothing, UsageError for a set that is not published
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
  /** A place for each lane. A unit takes one, an exclusive unit takes all. */
  const floor = new Semaphore(concurrency);
  /** When each lane began a unit that is not exclusive. */
  const busySince = new Map<number, number>();
  let started = 0;
  let ended = 0;
  let lost = 0;

  const put = (unit: Unit, rows: readonly CheckResult[]) => {
    results.set(unit, rows);
    ended += rows.length;
    return rows;
  };
  /** The rows of a unit, all with the same outcome. */
  const rowsOf = ({ heads }: Unit, outcome: Pick<CheckResult, 'verdict' | 'skip' | 'error'>) =>
    heads.map(
      (head): CheckResult =>
        asNew(target.clean({ ...head, duration: 0, requests: 0, properties: [], ...outcome }), set),
    );
  const skipped = (unit: Unit, skip: Skip) => rowsOf(unit, { verdict: 'skip', skip });

  const conclude = async (unit: Unit, done: Done) => {
    // Several lanes may meet the end of the run at the same time. It is reported once.
    const before = done.stopped === undefined ? undefined : ending.stopped;
    const rows = done.rows.map((row) =>
      before === undefined ? asNew(asKnown(row, options.baseline, host.now(), failOn), set) : withheld(row, before),
    );
    const first = ended;
    put(unit, rows);
    for (const [at, row] of rows.entries()) events.checkEnd?.(row, { index: first + at, of });
    if (done.stopped !== undefined) ending.stop(done.stopped);
    // The other lanes would only repeat the cause of the stop.
    if (done.stopped !== undefined && rows.some(({ finding }) => finding !== undefined)) ending.end(done.stopped);
    if (done.lost === true) lost++;
    else if (rows.some(({ verdict }) => verdict !== 'skip')) lost = 0;
    if (lost >= LOST_IN_A_ROW) ending.stop({ kind: 'silent', checks: lost });
    await done.settle?.();
    return rows;
  };
  /** Why a unit cannot begin any more. `found`: it has a finding, and may use the reserve for second looks. */
  const stopFor = (unit: Unit, found = false): Stop | undefined => {
    if (target.lost !== undefined) ending.stop(target.lost);
    // Monitors judge the exchanges so far.
    if (unit.watches === true && isLimit(ending.stopped)) return undefined;
    return ending.stopped ?? (found ? undefined : options.without?.(unit));
  };
  /** Runs a unit if that is still possible. */
  const attempt = async (unit: Unit, context: Omit<UnitContext, 'signal'>) => {
    const because = unit.needs.map((need) => target.lacks(need)).find((lack) => lack !== undefined);
    const stop = stopFor(unit);
    // A missing need is the reason even after a limit: more time would not have met it.
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
  /** Runs a unit with one place, or with all, until it ends or frees them. Calls `freed` when its lane is free. */
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
    return attempt(unit, {
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
    /** Units at a time. */
    concurrency,
    /** Looks at the target and makes it ready. Returns why no unit can run. */
    async begin(): Promise<Stop | undefined> {
      const why = await target.begin(selected.length > 0);
      if (why === undefined) events.start?.({ checks: of, target: about, kind: options.kind ?? 'check' });
      return why;
    },

    /**
     * Runs one unit. A unit that cannot run any more is a skip. `at` is the number of its lane, below `concurrency`. `freed` is
     * called when the lane may take the next unit, although this one is not evaluated yet.
     */
    async do(unit: Unit, at = 0, freed = () => {}): Promise<readonly CheckResult[]> {
      if (at >= concurrency) throw new RangeError(`lane: expected less than ${concurrency}, got ${at}`);
      // Other units would take the little room that a scarce target has.
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

/** Gives each unit to the first lane that asks. */
function* oneByOne(units: readonly Unit[], next: NonNullable<UnitOptions['next']> = () => 0): Generator<Unit> {
  const waiting = [...units];
  while (waiting.length > 0) yield* waiting.splice(next(waiting), 1);
}

/** The stop of the run that skipped a row; undefined for any other skip. */
const stopOf = (skip: Skip | undefined): Stop | undefined =>
  skip?.because.kind === 'over' ? skip.because.stop : undefined;

/**
 * Selects units, runs them at a target, cleans up, and returns the results.
 *
 * @throws SelectionError for a pattern that matches nothing
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
