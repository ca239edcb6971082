/** The conformance half of the package: everything public, nothing else. */
import { connect } from './drivers/connect.js';
import { systemHost } from './framework/time.js';
import { type ConformanceOptions, knownOptions } from './options.js';
import type { Results } from './run/results.js';
import { run } from './run/runner.js';

export { checks } from './checks/index.js';
export type { TargetOptions } from './drivers/connect.js';
export type { Driver, Target } from './drivers/driver.js';
export { createEmulatorDriver } from './drivers/emulator.js';
export { createLiveDriver } from './drivers/live.js';
export { Finding } from './framework/assert.js';
export type { Check } from './framework/check.js';
export { defineChecks } from './framework/check.js';
export type { Ctx } from './framework/context.js';
export type { Need } from './framework/needs.js';
export type { ConformanceOptions } from './options.js';
export { REPORT_KINDS, REPORTERS, type ReportKind } from './reporters/index.js';
export { type Level, REQUIREMENTS, type Requirement, type RequirementId } from './requirements/index.js';
export { MergeError, merge } from './run/merge.js';
export type { CheckResult, FindingResult, RequirementResult, Results, RunEvents, Verdict } from './run/results.js';
export { type RunnerOptions, run } from './run/runner.js';
export { SelectionError } from './run/select.js';
export { UsageError } from './run/usage.js';

/**
 * Runs the kit against a target and answers what came of it: an emulator in this process where no `url` is given, an
 * emulator with its control interface, or a deployment. Prints nothing.
 *
 * @throws UsageError where the target lacks what it takes to begin, SelectionError for a pattern that means nothing
 */
export async function runConformance(options: ConformanceOptions = {}): Promise<Results> {
  knownOptions(options);
  const host = options.host ?? systemHost;
  const tag = options.tag ?? host.tag(4);
  const { driver, close } = await connect({ settings: options, host, tag, look: true });
  try {
    return await run({ ...options, driver, tag, host });
  } finally {
    await close();
  }
}
