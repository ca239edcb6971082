import { connect } from './drivers/connect.js';
import { type ConformanceOptions, knownOptions } from './options.js';
import { systemHost } from './probe/time.js';
import { type Report, reportOf } from './report/json.js';
import { BUDGETS } from './run/limits.js';
import { merge as mergeResults } from './run/merge.js';
import type { Results } from './run/results.js';
import { run } from './run.js';

/** The conformance half of the package: everything public, nothing else. */

export { UsageError } from '../emulator/contract/problem.js';
export { createJudge, type Judge } from './judge/judge.js';
export { judged } from './judge/judged.js';
export type { ConformanceOptions } from './options.js';
export { REPORTERS } from './report/index.js';
export type { Report } from './report/json.js';
export { MergeError } from './run/merge.js';
export { SelectionError } from './run/select.js';

/**
 * One report out of those of the shards of a run. A shard that is missing keeps it from being a pass.
 *
 * @throws MergeError where targets differ or a check comes twice
 */
export const merge = (parts: readonly Results[]): Report => reportOf(mergeResults(parts));

/**
 * Runs the kit against a target: an emulator in this process where no `url` is given, an emulator with its control
 * interface, or a deployment. Prints nothing.
 *
 * @example
 * ```ts
 * import { REPORTERS, runConformance } from 'intern-emulator/conformance';
 *
 * const report = await runConformance({ only: ['LIST-1'], runs: 1 });
 * console.log(REPORTERS.tty(report));
 * process.exitCode = report.exit;
 * ```
 *
 * @throws UsageError where the target lacks what it takes to begin, SelectionError for a pattern that means nothing
 */
export async function runConformance(options: ConformanceOptions = {}): Promise<Report> {
  knownOptions(options);
  const host = systemHost;
  const { tag = host.tag(4), maxTime } = options;
  const began = host.now();
  const until = maxTime === undefined ? undefined : began + maxTime;
  const settings = { slow: BUDGETS[options.budget ?? 'default'].wait, ...options };
  const { driver, close } = await connect({ settings, host, tag, look: true, until });
  try {
    return await run({ ...options, driver, tag, host, began });
  } finally {
    await close();
  }
}
