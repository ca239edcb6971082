import type { Driver } from '../drivers/driver.js';
import type { Check } from '../framework/check.js';
import { type Host, systemHost } from '../probe/time.js';
import type { Ending } from './budget.js';
import { BUDGETS, type BudgetOptions, limitsOf } from './budget.js';
import type { Ledger } from './ledger.js';
import { ownCommand } from './replay.js';
import type { EngineOptions } from './units.js';

/** Options of a run. Times in ms of real time. */
export interface RunnerOptions extends EngineOptions, BudgetOptions {
  readonly driver: Driver;
  readonly checks: readonly Check[];
  /** Runs of each property. Default 100 with a control interface, 1 without, and 20 in a thorough run. */
  readonly runs?: number | undefined;
  /** Seed of everything generated. Default: another one each run. */
  readonly seed?: string | undefined;
  /** Where a property goes on: its name and the path that a finding reports. */
  readonly path?: { readonly name: string; readonly path: string } | undefined;
  /** The same for several checks, by their ids. */
  readonly paths?: Readonly<Record<string, { readonly name: string; readonly path: string }>> | undefined;
  readonly readOnly?: boolean | undefined;
  /** Requests per second; 0 is no limit. Default 5 without a control interface, else none. */
  readonly rate?: number | undefined;
  /** How many checks are done at a time. Default 4 without a control interface; with one there is one clock for all, so 1. */
  readonly concurrency?: number | undefined;
  /** Until the head of an answer must be there, and again until its end. Default 10,000. */
  readonly timeout?: number | undefined;
  /** Within which an intern has to come up where no clock can be moved. Default 120,000. */
  readonly bootTimeout?: number | undefined;
  /** For the whole clean-up. Default 60,000, and more at a target that takes its time, up to 600,000. */
  readonly cleanupTime?: number | undefined;
  /** Candidates that the shrinking of one property may try. Default 300 with a control interface, 8 without. */
  readonly shrinkBudget?: number | undefined;
  /** False tries every check, whatever others have found to be in its way. Default true. */
  readonly blocking?: boolean | undefined;
  /** 4 characters that tell the names of this run from others; part of the run's id. */
  readonly tag?: string | undefined;
  /** Keeps the ledger of created interns. Default: in memory only. */
  readonly ledgerPath?: string | undefined;
  /** How the kit was called. */
  readonly command?: string | undefined;
  readonly host?: Host | undefined;
  /** When it began, by the clock of the host: a look at the target before it counts to its time. Default: when it is opened. */
  readonly began?: number | undefined;
}

/** The options of a run, with defaults filled in. Times in ms. */
export function settingsOf(options: Omit<RunnerOptions, 'checks'>) {
  const { driver, host = systemHost } = options;
  const controlled = driver.control !== undefined;
  const free = controlled && options.budget === undefined;
  const timeout = options.timeout ?? 10_000;
  const bootTimeout = options.bootTimeout ?? 120_000;
  const streamTimeout = Math.max(timeout, controlled ? 0 : 40_000);
  return {
    seed: options.seed ?? host.tag(8),
    /** An emulator under control costs nothing: without a budget all is done there. */
    free,
    runs: options.runs ?? (free ? 100 : BUDGETS[options.budget ?? 'default'].runs),
    /** Where a few of many are looked at, all of them are. */
    thorough: options.budget === 'thorough',
    readOnly: options.readOnly === true,
    rate: options.rate ?? (controlled ? 0 : 5),
    concurrency: controlled ? 1 : (options.concurrency ?? 4),
    limits: limitsOf(options, { free, shards: options.shard?.of ?? 1 }),
    timeout,
    bootTimeout,
    /** That a stream may keep a check waiting. */
    streamTimeout,
    /** Until the head of the answer to a write, where that may come when the write is done: a boot, a teardown. */
    writeTimeout: Math.max(streamTimeout, bootTimeout),
    /** After which a check is cancelled. */
    checkTimeout: 120_000 + driver.slow * 4 + (controlled ? 0 : 180_000),
    /** Undefined where the pace of the target decides. */
    cleanupTime: options.cleanupTime,
    shrinkBudget: options.shrinkBudget ?? (controlled ? 300 : 8),
    replay: options.path,
    replays: options.paths,
    command: options.command ?? ownCommand('intern-conformance'),
    blocking: options.blocking !== false,
  };
}
export type RunSettings = Readonly<ReturnType<typeof settingsOf>>;

/** A run before anything is sent. */
export interface RunBase {
  readonly driver: Driver;
  readonly host: Host;
  /** 4 characters that tell the names of this run from others. */
  readonly tag: string;
  readonly settings: RunSettings;
  readonly ledger: Ledger;
  /** When and why it ends. */
  readonly ending: Ending;
  /** Aborts when the run is over: a budget is spent, or somebody said stop. */
  readonly signal: AbortSignal;
}
