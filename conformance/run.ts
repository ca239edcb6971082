import { type Report, reportOf } from './report/json.js';
import { type RunnerOptions, runChecks } from './run/runner.js';
import { checks } from './scenarios/index.js';

type RunOptions = Omit<RunnerOptions, 'checks'> & Partial<Pick<RunnerOptions, 'checks'>>;

/** Selects checks, does them against a target, cleans up, and answers what came of it, as data and in words. Default: all checks. */
export const run = async (options: RunOptions): Promise<Report> => reportOf(await runChecks({ checks, ...options }));
