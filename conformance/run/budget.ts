import { suggestion } from '../../emulator/contract/nearest.js';
import type { LimitStop } from '../framework/stop.js';
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
