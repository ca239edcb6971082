import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../framework/usage.js';

/** What a run may cost: requests, its clean-up included, and runs of each property. */
export const BUDGETS = {
  quick: { requests: 150, runs: 1 },
  default: { requests: 900, runs: 1 },
  thorough: { requests: 5_000, runs: 20 },
} as const;

export type BudgetName = keyof typeof BUDGETS;
export const BUDGET_NAMES = Object.keys(BUDGETS) as readonly BudgetName[];

/** What a run may cost, by its name and by the number that was given with it. */
export interface Budget {
  readonly name: BudgetName;
  readonly requests: number;
  /** The number was given: what it keeps from being done was wanted all the same. */
  readonly hard: boolean;
}

/** What was given of a budget. */
export interface BudgetOptions {
  /** How much is done: about 150, 900 or 5,000 requests. Default `default` without a control interface, else none. */
  readonly budget?: BudgetName;
  /** The run stops after so many. Without `budget`, in the place of what the default one allows. */
  readonly maxRequests?: number;
}

/** The budget that was given: the smaller of the two numbers, where both were. */
export function budgetOf({ budget, maxRequests: most = Number.POSITIVE_INFINITY }: BudgetOptions): Budget {
  const name = budget ?? 'default';
  const hard = Number.isFinite(most);
  const requests = budget === undefined && hard ? most : Math.min(BUDGETS[name].requests, most);
  return { name, requests, hard };
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
