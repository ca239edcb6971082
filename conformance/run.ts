import { checks } from './checks/index.js';
import { type RunnerOptions, runChecks } from './engine/runner.js';
import { type Report, reportOf } from './reporters/json.js';

type RunOptions = Omit<RunnerOptions, 'checks'> & Partial<Pick<RunnerOptions, 'checks'>>;

/** Selects checks, does them against a target, cleans up, and answers what came of it, as data and in words. Default: all checks. */
export const run = async (options: RunOptions): Promise<Report> => reportOf(await runChecks({ checks, ...options }));
