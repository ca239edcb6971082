import { suggestion } from '../emulator/contract/nearest.js';
import type { TargetOptions } from './drivers/connect.js';
import { UsageError } from './framework/usage.js';
import type { RunnerOptions } from './run/options.js';

/** The target to hold against the interface, the selection, and the limits of the run. Durations are ms of real time. */
export interface ConformanceOptions
  extends Omit<TargetOptions, keyof RunnerOptions>,
    Omit<RunnerOptions, 'driver' | 'checks' | 'host'> {}

const NAMES = {
  url: true,
  profile: true,
  credentials: true,
  workspaceId: true,
  facts: true,
  prompts: true,
  publicKeys: true,
  control: true,
  controlToken: true,
  readOnly: true,
  slow: true,
  timeout: true,
  seed: true,
  fetch: true,
  daemonFetch: true,
  only: true,
  skip: true,
  levels: true,
  shard: true,
  runs: true,
  path: true,
  paths: true,
  rate: true,
  concurrency: true,
  budget: true,
  maxPrompts: true,
  maxRequests: true,
  maxTime: true,
  bootTimeout: true,
  cleanupTime: true,
  shrinkBudget: true,
  blocking: true,
  tag: true,
  ledgerPath: true,
  baseline: true,
  failOn: true,
  requirements: true,
  minCoverage: true,
  command: true,
  events: true,
  signal: true,
  name: true,
} as const satisfies Record<keyof ConformanceOptions | 'name', true>;

/**
 * Holds the names of options that no compiler need have seen: `readonly` for `readOnly` would write to a deployment.
 *
 * @throws UsageError for an unknown one, with the nearest known one
 */
export function knownOptions(options: object): void {
  const known = Object.keys(NAMES);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`unknown option ${unknown}${suggestion(unknown, known)}`);
}
