import {
  FUNCTION,
  isText,
  type Kind,
  OBJECT,
  SWITCH,
  TEXT,
  TEXTS,
  wrongOption,
} from '../emulator/contract/option-kinds.js';
import { UsageError } from '../emulator/contract/problem.js';
import { isRecord } from '../emulator/contract/record.js';
import type { TargetOptions } from './drivers/connect.js';
import { BUDGETS } from './run/limits.js';
import type { RunnerOptions } from './run/options.js';

/** The target to hold against the interface, the selection, and the limits of the run. Durations are ms of real time. */
export interface ConformanceOptions
  extends Omit<TargetOptions, keyof RunnerOptions>,
    Omit<RunnerOptions, 'driver' | 'checks' | 'host' | 'began'> {}

const NUMBER: Kind = ['a number from 0', (value) => typeof value === 'number' && value >= 0];
const COUNT: Kind = ['a whole number from 1', (value) => Number.isSafeInteger(value) && Number(value) > 0];
const oneOf = (...words: readonly string[]): Kind => [words.join(' or '), (value) => words.includes(String(value))];
const LIST: Kind = ['an array', Array.isArray];
const PROFILE: Kind = ['a profile, or the name of one', (value) => isText(value) || isRecord(value)];

const KINDS: Readonly<Record<keyof ConformanceOptions | 'name', Kind>> = {
  url: TEXT,
  profile: PROFILE,
  credentials: OBJECT,
  workspaceId: TEXT,
  facts: OBJECT,
  prompts: OBJECT,
  publicKeys: LIST,
  control: SWITCH,
  controlToken: TEXT,
  readOnly: SWITCH,
  slow: NUMBER,
  timeout: NUMBER,
  seed: TEXT,
  fetch: FUNCTION,
  daemonFetch: FUNCTION,
  only: TEXTS,
  skip: TEXTS,
  levels: ['an array of S, P and C', (value) => Array.isArray(value) && value.every(oneOf('S', 'P', 'C')[1])],
  shard: OBJECT,
  runs: COUNT,
  path: OBJECT,
  paths: OBJECT,
  rate: NUMBER,
  concurrency: COUNT,
  budget: oneOf(...Object.keys(BUDGETS)),
  maxPrompts: NUMBER,
  maxRequests: NUMBER,
  maxTime: NUMBER,
  bootTimeout: NUMBER,
  cleanupTime: NUMBER,
  shrinkBudget: NUMBER,
  blocking: SWITCH,
  tag: TEXT,
  ledgerPath: TEXT,
  baseline: LIST,
  failOn: oneOf('fail', 'warn', 'once'),
  requirements: TEXT,
  minCoverage: NUMBER,
  command: TEXT,
  events: OBJECT,
  signal: OBJECT,
  name: TEXT,
};

/**
 * Holds options that no compiler need have seen against their kinds: `readonly` for `readOnly`, or the text `true`, would
 * write to a deployment.
 *
 * @throws UsageError for the first that is unknown or invalid
 */
export function knownOptions(options: object): void {
  const wrong = wrongOption(options, KINDS);
  if (wrong !== undefined) throw new UsageError(wrong);
}
