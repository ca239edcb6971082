import { checks as allChecks } from './checks/index.js';
/** The conformance half of the package: everything public, nothing else. */
import { connect } from './drivers/connect.js';
import { merge as mergeResults } from './engine/merge.js';
import type { Results } from './engine/results.js';
import { runChecks } from './engine/runner.js';
import { type ConformanceOptions, knownOptions, type RunnerOptions } from './options.js';
import { systemHost } from './probe/time.js';
import { type Report, reportOf } from './reporters/json.js';

export type { TargetOptions } from './drivers/connect.js';
export type { Driver } from './drivers/driver.js';
export { createEmulatorDriver } from './drivers/emulator.js';
export { createLiveDriver } from './drivers/live.js';
export { MergeError } from './engine/merge.js';
export type { CheckResult, FindingResult, RequirementResult, Results, RunEvents, Verdict } from './engine/results.js';
export { SelectionError } from './engine/select.js';
export type { Check } from './framework/check.js';
export { defineChecks } from './framework/check.js';
export type { Ctx } from './framework/context.js';
export { Finding, type Found, type Wanted } from './framework/finding.js';
export type { Need } from './framework/needs.js';
export type { Skip } from './framework/skip.js';
export type { Incomplete, Stop } from './framework/stop.js';
export type { Target } from './framework/target.js';
export { UsageError } from './framework/usage.js';
export { createJudge, type Judge, type JudgeOptions } from './judge/judge.js';
export { type Fetch, judged } from './judge/judged.js';
export type { ConformanceOptions, RunnerOptions } from './options.js';
export { REPORT_KINDS, REPORTERS, type ReportKind } from './reporters/index.js';
export type { Report, ReportedCheck, ReportedFinding } from './reporters/json.js';
export { type Level, REQUIREMENTS, type Requirement, type RequirementId } from './requirements/index.js';
export { allChecks as checks };

/** Selects checks, does them against a target, cleans up, and answers what came of it, as data and in words. */
export const run = async (options: RunnerOptions): Promise<Report> =>
  reportOf(await runChecks({ checks: allChecks, ...options }));

/**
 * One report out of those of the shards of a run. A shard that is missing keeps it from being a pass.
 *
 * @throws MergeError where targets differ or a check comes twice
 */
export const merge = (parts: readonly Results[]): Report => reportOf(mergeResults(parts));

/**
 * Runs the kit against a target and answers what came of it: an emulator in this process where no `url` is given, an
 * emulator with its control interface, or a deployment. Prints nothing.
 *
 * @throws UsageError where the target lacks what it takes to begin, SelectionError for a pattern that means nothing
 */
export async function runConformance(options: ConformanceOptions = {}): Promise<Report> {
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
