import fc from 'fast-check';
import { type FalsifiedProperty, Finding, findingOf, isProven } from '../model/finding.js';
import type { Ctx } from './context.js';

/** The seed and the path of a property, for reports and for replaying it. */
export interface PropertyRun {
  readonly name: string;
  readonly seed: number;
  readonly runs: number;
}

interface PropertyOptions {
  seedOf(name: string): number;
  readonly runs: number;
  /** The path at which the property of this name starts. Any other property runs once. */
  readonly replay?: { readonly name: string; readonly path: string };
  /** A counterexample to try again, alone. Any other property runs once. */
  readonly again?: FalsifiedProperty;
  /** Most candidates that shrinking tries. */
  readonly shrinkBudget: number;
  /** ms. */
  now(): number;
  /** Lets other work of the process run. */
  turn(): Promise<void>;
  /** Called before each candidate: starts a fresh record of evidence, and closes earlier streams. */
  fresh(): Promise<void>;
  /** Keeps the record so far as the set-up of all candidates. */
  setUp(): void;
  done(run: PropertyRun): void;
}

/** Candidates after which other work of the process gets a turn, such as a signal. */
const IN_A_ROW = 100;

/** A counterexample is shrunk only if one try takes no more ms. */
const SHRINKABLE = 10_000;

/** The `property` of a check's context. */
export function createProperty(options: PropertyOptions): Ctx['property'] {
  return async (name, ...args) => {
    const before = options.again?.name === name ? options.again : undefined;
    const start = options.again ?? options.replay;
    const seed = before?.seed ?? options.seedOf(name);
    const replayed = start?.name === name ? start.path : undefined;
    const predicate = args[args.length - 1] as (...values: unknown[]) => Promise<void>;
    const arbitraries = args.slice(0, -1) as fc.Arbitrary<unknown>[];
    // Any other error than a finding, or a proven finding, ends the check at once; fast-check would shrink it.
    let fatal: { readonly error: unknown } | undefined;
    let failures = 0;
    let tried = 0;
    let asked = 0;
    let begun = 0;
    let longest = 0;
    options.setUp();

    const attempt = async (values: readonly unknown[]): Promise<Finding | undefined> => {
      await options.fresh();
      const began = options.now();
      try {
        await predicate(...values);
        return undefined;
      } catch (error) {
        longest = Math.max(longest, options.now() - began);
        const finding = findingOf(error);
        if (finding !== undefined && !isProven(finding.found)) return finding;
        if (fc.PreconditionFailure.isFailure(error as Error)) throw error;
        fatal ??= { error };
        throw error;
      }
    };

    const tries = fc.asyncProperty(fc.tuple(...arbitraries), async (values) => {
      const isEnough = failures > 0 && (tried >= options.shrinkBudget || longest > SHRINKABLE);
      // No other candidate is drawn.
      if (fatal !== undefined || isEnough) throw new fc.PreconditionFailure(true);
      if (options.again !== undefined && begun++ > 0) return;
      if (failures > 0) tried++;
      if (++asked % IN_A_ROW === 0) await options.turn();
      const finding = await attempt(values);
      if (finding === undefined) return;
      failures++;
      throw finding;
    });
    const checked = async (path: string | undefined) =>
      fc.check(tries, {
        seed,
        numRuns: start !== undefined && path === undefined ? 1 : options.runs,
        ...(path === undefined || path === '' ? {} : { path }),
        maxSkipsPerRun: 1_000,
        // The same values again show nothing new.
        ignoreEqualValues: true,
      });
    const found = await checked(replayed).catch((error: unknown) => {
      if (before === undefined || !/^Unable to replay/.test((error as Error).message)) throw error;
      return undefined;
    });
    // The run may have learnt since to draw other values: none is at the path of that counterexample.
    const isGone = found === undefined || (before !== undefined && begun === 0);
    const details = isGone ? await checked(undefined) : found;
    if (fatal !== undefined) throw (fatal as { error: unknown }).error;
    options.done({ name, seed, runs: before?.runs ?? details.numRuns });
    if (!details.failed) return;
    const { counterexample, errorInstance } = details;
    if (counterexample === null || !(errorInstance instanceof Finding)) {
      throw new Error(`property ${name}: no values were found that meet its preconditions`);
    }

    const property = before ?? {
      name,
      counterexample: (counterexample[0] as readonly unknown[]).map((value) => fc.stringify(value)),
      seed,
      path: details.counterexamplePath ?? '',
      runs: details.numRuns,
      shrinks: details.numShrinks,
    };
    throw new Finding(errorInstance.found, property, { cause: errorInstance });
  };
}

/** One of some rows, named in a counterexample. */
export const oneOfRows = <T extends object>(rows: readonly T[], name: (row: T) => string): fc.Arbitrary<T> =>
  fc.constantFrom(...rows.map((row) => ({ ...row, [fc.toStringMethod]: () => name(row) })));
