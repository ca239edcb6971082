import { ownCommand } from '../../emulator/contract/pasted.js';
import type { Driver } from '../drivers/driver.js';
import { type Host, systemHost } from '../probe/time.js';
import type { Check } from './check.js';
import type { Ledger } from './ledger.js';
import { BUDGETS, type BudgetOptions, type Ending, limitsOf } from './limits.js';
import type { EngineOptions } from './units.js';

/** Options of a run. Times in ms of real time. */
export interface RunnerOptions extends EngineOptions, BudgetOptions {
  readonly driver: Driver;
  readonly checks: readonly Check[];
  /** Runs of each property. Default 100 with a control interface, 1 without, and 20 in a thorough run. */
  readonly runs?: number | undefined;
  /** Seed of all generated values. Default: a new one each run. */
  readonly seed?: string | undefined;
  /** The property, and the path from a finding, at which to continue. */
  readonly path?: { readonly name: string; readonly path: string } | undefined;
  /** The same for several checks, by their ids. */
  readonly paths?: Readonly<Record<string, { readonly name: string; readonly path: string }>> | undefined;
  readonly readOnly?: boolean | undefined;
  /** Requests a second; 0 is no limit. Default 5 without a control interface, else none. */
  readonly rate?: number | undefined;
  /** Checks at a time. Default 4 without a control interface, else 1. */
  readonly concurrency?: number | undefined;
  /** ms until an answer must begin, and again until it must end. Default 10,000. */
  readonly timeout?: number | undefined;
  /** ms within which an intern must boot where no clock can be moved. Default 120,000. */
  readonly bootTimeout?: number | undefined;
  /** ms for the whole clean-up. Default 60,000, and up to 600,000 at a slow target. */
  readonly cleanupTime?: number | undefined;
  /** Candidates that the shrinking of one property may try. Default 300 with a control interface, 8 without. */
  readonly shrinkBudget?: number | undefined;
  /** Whether obstacles that some checks met skip the others. Default true. */
  readonly blocking?: boolean | undefined;
  /** 4 characters that tell the names of this run from others; part of the run's id. */
  readonly tag?: string | undefined;
  /** The file of the ledger of created interns. Default: in memory only. */
  readonly ledgerPath?: string | undefined;
  /** The command line of the kit. */
  readonly command?: string | undefined;
  readonly host?: Host | undefined;
  /** The beginning of the run by the clock of the host, if a look at the target before it counts. Default: when it is opened. */
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
    /** Whether the run has no limits: requests to an emulator under control cost nothing. */
    free,
    runs: options.runs ?? (free ? 100 : BUDGETS[options.budget ?? 'default'].runs),
    /** Whether checks look at all items where they usually sample a few. */
    thorough: options.budget === 'thorough',
    readOnly: options.readOnly === true,
    rate: options.rate ?? (controlled ? 0 : 5),
    concurrency: controlled ? 1 : (options.concurrency ?? 4),
    limits: limitsOf(options, { free, shards: options.shard?.of ?? 1 }),
    timeout,
    bootTimeout,
    /** ms for which a stream may keep a check waiting. */
    streamTimeout,
    /** ms until the answer to a write must begin: some services answer when a boot or a teardown is done. */
    writeTimeout: Math.max(streamTimeout, bootTimeout),
    /** ms after which a check is cancelled. */
    checkTimeout: 120_000 + driver.slow * 4 + (controlled ? 0 : 180_000),
    /** ms for the clean-up; undefined if the pace of the target decides. */
    cleanupTime: options.cleanupTime,
    shrinkBudget: options.shrinkBudget ?? (controlled ? 300 : 8),
    replay: options.path,
    replays: options.paths,
    command: options.command ?? ownCommand('intern-conformance'),
    blocking: options.blocking !== false,
  };
}

/** A run before anything is sent. */
export interface RunBase {
  readonly driver: Driver;
  readonly host: Host;
  /** 4 characters that tell the names of this run from others. */
  readonly tag: string;
  readonly settings: Readonly<ReturnType<typeof settingsOf>>;
  readonly ledger: Ledger;
  /** The end of the run, and its reason. */
  readonly ending: Ending;
  /** Aborts when the run is over. */
  readonly signal: AbortSignal;
}
