import { suggestion } from '../../emulator/contract/nearest.js';
import { Skipped, stoppedBy } from '../framework/skip.js';
import type { LimitStop } from '../framework/stop.js';
import { type Stop, Stopped } from '../framework/stop.js';
import { UsageError } from '../framework/usage.js';

const NONE = Number.POSITIVE_INFINITY;

/**
 * The limits of a run, its clean-up included: prompts, ms, requests; runs of each property; and ms that one wait may take,
 * while other checks go on.
 */
export const BUDGETS = {
  quick: { prompts: 20, time: 30_000, requests: 3_000, runs: 1, wait: 0 },
  default: { prompts: 150, time: 300_000, requests: 3_000, runs: 1, wait: 65_000 },
  thorough: { prompts: NONE, time: NONE, requests: NONE, runs: 20, wait: 310_000 },
} as const;

/** No limits: for what is done whatever it costs. */
export const UNLIMITED = { maxPrompts: NONE, maxRequests: NONE, maxTime: NONE } as const;

export type BudgetName = keyof typeof BUDGETS;
const BUDGET_NAMES = Object.keys(BUDGETS) as readonly BudgetName[];

/** The limits that were given. */
export interface BudgetOptions {
  /** Its limits where none of its own is given. Default `default` without a control interface, else none. */
  readonly budget?: BudgetName | undefined;
  /** Prompts that may be taken. Default 150 without a control interface. */
  readonly maxPrompts?: number | undefined;
  /** Requests, its clean-up included. Default 3,000 without a control interface. */
  readonly maxRequests?: number | undefined;
  /** ms, its clean-up included. Default 300,000 without a control interface. */
  readonly maxTime?: number | undefined;
}

/** The limit that stops a run, and its number. */
export interface Limit {
  readonly most: number;
  /** The run stops so, where it does. */
  readonly stop: LimitStop;
}

/** The limits that a run never exceeds. */
export interface Limits {
  readonly prompts: Limit;
  readonly time: Limit;
  readonly requests: Limit;
}

/**
 * The limits of a run: each that was given, and those of its budget in the place of the others. `free`: nothing is spent at
 * the target, so that without a budget there are none. Shards share what their budget has of prompts and requests.
 */
export function limitsOf(
  { budget, maxPrompts, maxRequests, maxTime }: BudgetOptions,
  { free, shards = 1 }: { readonly free: boolean; readonly shards?: number },
): Limits {
  const name = budget ?? (free ? 'thorough' : 'default');
  const usual = BUDGETS[name];
  const limit = (given: number | undefined, own: number, stop: (most: number) => LimitStop): Limit =>
    given === undefined ? { most: own, stop: { ...stop(own), budget: name } } : { most: given, stop: stop(given) };
  return {
    prompts: limit(maxPrompts, Math.floor(usual.prompts / shards), (most) => ({ kind: 'prompts', most })),
    time: limit(maxTime, usual.time, (ms) => ({ kind: 'time', ms })),
    requests: limit(maxRequests, Math.floor(usual.requests / shards), (most) => ({ kind: 'requests', most })),
  };
}

/**
 * The budget of a name.
 *
 * @throws UsageError that names those that there are
 */
export function budgetNamed(text: string): BudgetName {
  const name = BUDGET_NAMES.find((one) => one === text);
  if (name !== undefined) return name;
  const known = 'quick, default or thorough';
  throw new UsageError(`--budget: expected ${known}, got ${JSON.stringify(text)}${suggestion(text, BUDGET_NAMES)}`);
}

/** The reserve for units under way. Where less is left beside what second looks take, no unit begins. */
const LAST = { share: 0.1, prompts: 2, requests: 12 };

/** Requests of a second look at one thing that was found, and at the habits that may explain it. */
export const REQUESTS_OF_LOOK = 12;
/** Requests that the measures of habits take, and things that are looked at again where little is left. */
const MEASURES = 48;
const FEW = 6;

/** Requests that second looks take at so many things that were found. */
export const requestsOfLooks = (found: number): number =>
  found === 0 ? 0 : MEASURES + Math.min(found, FEW) * REQUESTS_OF_LOOK;

/**
 * The room that the limits of a run leave: every request but those of the clean-up is let in here. `owed`: how many the
 * clean-up would take now; `looks`: how many second looks would at what was found.
 */
export function createRoom({ prompts: turns, requests }: Limits, owed: () => number, looks: () => number = () => 0) {
  let sent = 0;
  let prompts = 0;
  /** Whether so many more requests, and those of the clean-up, are too many. Without a limit nobody counts them. */
  const areTooMany = (more: number) => requests.most !== NONE && sent + more + owed() > requests.most;
  return {
    /**
     * Lets a request in. `prompt`: it may be taken as one; `owes`: what the clean-up has to send for it.
     *
     * @throws Stopped where no more may be sent, Skipped where no more prompts may be
     */
    enter({ prompt, owes }: { readonly prompt: boolean; readonly owes: number }) {
      if (areTooMany(1 + owes)) throw new Stopped(requests.stop);
      if (prompt && prompts >= turns.most) throw new Skipped(stoppedBy(turns.stop));
      sent++;
      if (prompt) prompts++;
    },
    /** A prompt was refused: it cost nothing. */
    refused: () => void prompts--,
    /** Units that were let in and have not left. */
    back(prompt: boolean) {
      sent--;
      if (prompt) prompts--;
    },
    /** Why no further unit is begun, where none is. `prompts`: it is about what an intern says. */
    without(unit: { readonly prompts: boolean }): Stop | undefined {
      const kept = (of: 'prompts' | 'requests', most: number) => Math.max(1, Math.min(LAST[of], LAST.share * most));
      const last = kept('requests', requests.most) + Math.min(looks(), LAST.share * requests.most);
      if (areTooMany(last)) return requests.stop;
      return unit.prompts && prompts + kept('prompts', turns.most) > turns.most ? turns.stop : undefined;
    },
    /** Requests that the clean-up may still send. */
    left: (all: number) => requests.most - all,
    /** Prompts that were taken, or may have been. */
    get prompts() {
      return prompts;
    },
  };
}
