import { availableParallelism } from 'node:os';
import { UsageError } from '../../../conformance/cli/arguments.js';
import { type CommandOptions, openCommand } from '../../../conformance/explore/command/command.js';
import { type CommandWords, type Learnt, learn } from '../../../conformance/explore/command/each.js';
import { type Explored, togetherOf } from '../../../conformance/explore/each.js';
import { explore } from '../../../conformance/explore/index.js';
import { durationOf } from '../../../conformance/explore/options.js';
import {
  ExploreError,
  type ExploreOptions,
  type ExploreReport,
  NothingFits,
  type Progress,
} from '../../../conformance/explore/types.js';
import { systemHost } from '../../../conformance/probe/time.js';
import { counted } from '../../contract/counted.js';
import { given } from '../../contract/given.js';
import { commandLine } from '../../contract/pasted.js';
import type { Io } from '../command.js';
import type { GivenFlags } from '../flags.js';
import { optionsOf } from '../start.js';
import type { ExploreSettings } from './flags.js';

/** A call of the command line, with its surroundings. */
export interface ExploreCall {
  readonly settings: ExploreSettings;
  readonly command: CommandWords;
  /** The options given for the emulators. */
  readonly given: GivenFlags;
  readonly environmentOf: CommandOptions['environmentOf'];
  readonly io: Io;
  /** Ends the exploration early; it still reports. */
  readonly signal: AbortSignal;
}

/** Explores each test of a suite that sends requests. Any other command is explored as one program. */
export async function explored(call: ExploreCall, show: (progress: Progress) => void): Promise<ExploreReport> {
  const { settings, command, environmentOf, io, signal } = call;
  const emulator = optionsOf(call.given, {});
  const { maxTime, ...options } = settings.options;
  const limit = maxTime === undefined ? undefined : durationOf('maxTime', maxTime, 0);
  const began = systemHost.now();
  const left = () => (limit === undefined ? undefined : Math.round(limit - (systemHost.now() - began)));
  if (settings.each !== false) {
    const over = new AbortController();
    const end = () => over.abort();
    signal.addEventListener('abort', end, { once: true });
    const late = systemHost.later(limit ?? Number.POSITIVE_INFINITY, end);
    const learnt = await learn(
      command,
      { env: io.env, folder: io.folder, environmentOf },
      { emulator, signal: over.signal, seed: options.seed ?? 'explore' },
    );
    late();
    signal.removeEventListener('abort', end);
    if (learnt !== undefined) return exploreEach(call, learnt, left, show);
    if (settings.each && !over.signal.aborted)
      throw new UsageError(
        `--each: ${commandLine(command)} is no command of vitest, node --test, pytest, jest or mocha, or fails, or no test of it sends a request`,
      );
  }
  return exploreOne(call, command, {
    ...options,
    ...given({ maxTime: limit && Math.max(1, left() ?? 1) }),
    onProgress: show,
  });
}

/** How many commands run at once by default: one more than there are processors, as each waits at times. */
export const JOBS = availableParallelism() + 1;

/** The command sent no request: there is nothing to explore. */
class Silent extends UsageError {}

async function exploreOne(
  { settings, given: chosen, environmentOf, io, signal }: ExploreCall,
  command: CommandWords,
  options: ExploreOptions,
): Promise<ExploreReport> {
  const run = await openCommand(command, { env: io.env, folder: io.folder, environmentOf });
  try {
    const explored = await explore(run.program, {
      ...options,
      emulator: optionsOf(chosen, {}),
      jobs: settings.jobs ?? JOBS,
      signal,
    });
    return { ...explored, warnings: [...explored.warnings, ...run.warnings] };
  } catch (error) {
    if (run.notStarted !== undefined) throw new UsageError(run.notStarted);
    if (error instanceof ExploreError && run.silent)
      throw new Silent('the command sent no request to the emulator: let it read INTERN_BASE_URL and INTERN_API_KEY');
    throw error;
  } finally {
    run.close();
  }
}

/** Explores test by test, each with its own undisturbed runs. The tests that are left share the rest of the budget. */
async function exploreEach(
  call: ExploreCall,
  { tests: known, requests }: Learnt,
  timeLeft: () => number | undefined,
  show: (progress: Progress) => void,
): Promise<ExploreReport> {
  const { maxRuns, maxTime: _, ...options } = call.settings.options;
  const wanted = options.schedule?.explore?.test;
  const tests = known.filter(({ name }) => wanted === undefined || name === wanted);
  if (tests.length === 0) throw new UsageError(`--schedule: no test is called ${JSON.stringify(wanted)} and talks`);
  const began = systemHost.now();
  const explored: Explored[] = [];
  const silent: string[] = [];
  const failed: string[] = [];
  let unfit: NothingFits | undefined;
  const incomplete: string[] = [];
  let [runs, breaches] = [0, 0];
  for (const [at, test] of tests.entries()) {
    const left = tests.length - at;
    const time = timeLeft();
    const late = time !== undefined && time <= 0;
    if (call.signal.aborted || late || (maxRuns !== undefined && runs >= maxRuns)) {
      incomplete.push(call.signal.aborted ? 'interrupted' : late ? 'max-time' : 'max-runs');
      break;
    }
    try {
      const report = await exploreOne(call, test.command, {
        ...options,
        ...given({
          maxRuns: maxRuns && Math.ceil((maxRuns - runs) / left),
          maxTime: time && Math.ceil(time / left),
        }),
        onProgress: (progress) =>
          show({
            ...progress,
            breaches: breaches + progress.breaches,
            test: `test ${at + 1} of ${tests.length}, ${test.name}`,
            // An estimate: each later test takes as long as the tests so far.
            left: progress.left + (left - 1) * (at === 0 ? progress.left : (systemHost.now() - began) / at),
          }),
      });
      runs += report.counts.run;
      breaches += report.counts.breach;
      explored.push({ ...test, report });
    } catch (error) {
      if (error instanceof Silent) silent.push(test.name);
      else if (error instanceof NothingFits) unfit = error;
      else if (error instanceof ExploreError) failed.push(`${test.name}: run alone, ${error.message}`);
      else throw error;
    }
  }
  const [first] = failed;
  if (explored.length === 0 && first !== undefined) throw new ExploreError(first);
  if (explored.length === 0 && unfit !== undefined) throw unfit;
  if (failed.length > 0) incomplete.push('not-alone');
  const report = togetherOf(explored, options.seed ?? 'explore', incomplete);
  const met = report.straight.requests;
  // No test that runs alone sends these requests.
  const lacks = wanted === undefined && unfit === undefined && report.incomplete.length === 0 && met < 0.9 * requests;
  return {
    ...report,
    incomplete: lacks ? [...report.incomplete, 'not-theirs'] : report.incomplete,
    warnings: [
      ...report.warnings,
      ...failed,
      ...(lacks
        ? [`${requests - met} of ${counted(requests, 'request')} are of no test that is known to send them`]
        : []),
      ...(silent.length === 0
        ? []
        : [`${counted(silent.length, 'test')} without a request alone: ${silent.join(', ')}`]),
    ],
  };
}
