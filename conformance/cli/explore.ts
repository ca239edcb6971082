import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { parseDuration } from '../../emulator/contract/duration.js';
import { commandLine } from '../../emulator/contract/pasted.js';
import { visible } from '../../emulator/contract/visible.js';
import { type CommandOptions, openCommand } from '../explore/command/command.js';
import { type CommandWords, type Learnt, learn } from '../explore/command/each.js';
import { type Explored, togetherOf } from '../explore/each.js';
import { explore } from '../explore/index.js';
import { exploreMarkdown } from '../explore/report/files.js';
import { EXPLORE_REPORTERS } from '../explore/report/index.js';
import type { TextOptions } from '../explore/report/text.js';
import { plural } from '../explore/report/words.js';
import {
  ExploreError,
  type ExploreOptions,
  type ExploreReport,
  type Finding,
  NothingFits,
  type Progress,
} from '../explore/types.js';
import { UsageError } from '../framework/usage.js';
import { systemHost } from '../probe/time.js';
import type { ExploreSettings } from './explore-settings.js';
import { folder, refuseLink, writeTo } from './folders.js';
import type { Io } from './io.js';
import { given } from './values.js';

export { EXPLORE_FLAGS, readExploreSettings } from './explore-settings.js';

/** Whether an error says in one line what was called wrongly. */
export const isMisuse = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof ExploreError;

/** Where a call writes, and what ends it early. */
export interface ExploreIo extends Pick<Io, 'out' | 'err' | 'colour' | 'live' | 'width' | 'signal'> {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

export interface ExploreCall extends Pick<CommandOptions, 'environmentOf'> {
  readonly settings: ExploreSettings;
  readonly command: CommandWords;
  readonly emulator: NonNullable<ExploreOptions['emulator']>;
  /** The settings that were given for the emulators: flags in camelCase, and as they are given. */
  readonly chosen: Readonly<Record<string, unknown>>;
  readonly emulatorFlags: readonly string[];
  readonly io: ExploreIo;
}

/** How often progress is reported where a line cannot be overwritten, in ms. */
const EVERY = 30_000;
/** After which it is said how it takes less time, in ms. */
const LONG = 300_000;

const about = (ms: number): string =>
  ms < 90_000 ? `${Math.ceil(ms / 1_000)} s` : plural(Math.ceil(ms / 60_000), 'minute');

/** Says what was tried and found, and what is left; once, how less is left where that is long. */
export function progressTo(
  { err, live, width }: Pick<ExploreIo, 'err' | 'live' | 'width'>,
  now: () => number = systemHost.now,
): { show(progress: Progress): void; end(): void } {
  let [shown, warned, said] = [false, false, now()];
  return {
    show({ done, total, breaches, last, test, left }) {
      const broke = breaches === 0 ? '' : `, ${breaches} broke a law`;
      const text = `${test === undefined ? '' : `${test}: `}${done} of ${plural(total, 'schedule')} tried${broke}, about ${about(left)} left`;
      if (left > LONG && !warned) {
        warned = true;
        err(
          `${live && shown ? '\r\u001b[2K' : ''}It will take about ${about(left)}. --shard 1/2 tries half of it, --only final,transient leaves out what is harmless; --max-time 5m ends in time, with the most telling tried.\n`,
        );
      }
      if (live) err(`\r\u001b[2K${visible(`${text}  ${last}`).slice(0, width - 1)}`);
      else if (now() - said >= EVERY && done < total) {
        said = now();
        err(`${visible(text)}\n`);
      }
      shown = true;
    },
    end() {
      if (live && shown) err('\r\u001b[2K');
      shown = false;
    },
  };
}

/** Writes a schedule per finding, and says where each is. */
function saveSchedules(
  dir: string,
  { findings, unnoticed }: ExploreReport,
  chosen: ExploreCall['chosen'],
): (finding: Finding) => string | undefined {
  const files = new Map<Finding, string>();
  const taken = new Set<string>();
  for (const finding of [...findings, ...unnoticed]) {
    const base = `${finding.law}-${finding.kind}-${finding.operation}`.replaceAll(/[^\w]+/g, '-');
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
    taken.add(name);
    const file = join(dir, `${name}.json`);
    const { schedule } = finding;
    const explore = Object.keys(chosen).length === 0 ? schedule.explore : { ...schedule.explore, emulator: chosen };
    writeTo(`--save ${dir}`, file, `${JSON.stringify({ ...schedule, explore }, null, 2)}\n`);
    files.set(finding, file);
  }
  return (finding) => files.get(finding);
}

/** Explores a command as requested and returns its exit status (EXP-6): 0, 1 with a breach, 3 incomplete. */
export async function exploreCommand(call: ExploreCall): Promise<number> {
  const { settings, io } = call;
  for (const { kind, file } of settings.reports)
    if (file !== undefined) folder(`--report ${kind}=${file}`, join(file, '..'));
  refuseLink(`--save ${settings.save}`, settings.save);
  const progress = progressTo(io);
  try {
    const report = await explored(call, progress.show);
    progress.end();
    deliver(report, call);
    if (report.counts.breach > 0) return 1;
    return report.incomplete.length > 0 ? 3 : 0;
  } finally {
    progress.end();
  }
}

/** A suite by those of its tests that talk, anything else as one program. */
async function explored(call: ExploreCall, show: (progress: Progress) => void): Promise<ExploreReport> {
  const { settings, command, emulator, environmentOf, io } = call;
  const { maxTime, ...options } = settings.options;
  const limit = maxTime === undefined ? undefined : parseDuration(maxTime);
  const began = systemHost.now();
  const left = () => (limit === undefined ? undefined : Math.round(limit - (systemHost.now() - began)));
  if (settings.each !== false) {
    const over = new AbortController();
    const end = () => over.abort();
    io.signal.addEventListener('abort', end, { once: true });
    const late = systemHost.later(limit ?? Number.POSITIVE_INFINITY, end);
    const learnt = await learn(
      command,
      { env: io.env, folder: io.folder, environmentOf },
      { emulator, signal: over.signal, seed: options.seed ?? 'explore' },
    );
    late();
    io.signal.removeEventListener('abort', end);
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

/** Commands that run at once where it is not said: one more than there are processors, as each waits at times. */
export const JOBS = availableParallelism() + 1;

/** The command sent no request: there is nothing to explore. */
class Silent extends UsageError {}

async function exploreOne(
  { settings, emulator, environmentOf, io }: ExploreCall,
  command: CommandWords,
  options: ExploreOptions,
): Promise<ExploreReport> {
  const run = await openCommand(command, { env: io.env, folder: io.folder, environmentOf });
  try {
    const explored = await explore(run.program, {
      ...options,
      emulator,
      jobs: settings.jobs ?? JOBS,
      signal: io.signal,
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

/** Test by test, each with its own undisturbed runs. What is left of a budget is shared by the tests that are left. */
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
    if (call.io.signal.aborted || late || (maxRuns !== undefined && runs >= maxRuns)) {
      incomplete.push(call.io.signal.aborted ? 'interrupted' : late ? 'max-time' : 'max-runs');
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
            // The tests to come take as long as those before them, the first one's too.
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
  // Requests that tests send only together are tried nowhere.
  const lacks = wanted === undefined && unfit === undefined && report.incomplete.length === 0 && met < 0.9 * requests;
  return {
    ...report,
    incomplete: lacks ? [...report.incomplete, 'not-theirs'] : report.incomplete,
    warnings: [
      ...report.warnings,
      ...failed,
      ...(lacks
        ? [`${requests - met} of ${plural(requests, 'request')} are of no test that is known to send them`]
        : []),
      ...(silent.length === 0
        ? []
        : [`${plural(silent.length, 'test')} without a request alone: ${silent.join(', ')}`]),
    ],
  };
}

function deliver(report: ExploreReport, { settings, command, chosen, emulatorFlags, io }: ExploreCall): void {
  const fileOf =
    settings.scheduleFile === undefined ? saveSchedules(settings.save, report, chosen) : () => settings.scheduleFile;
  const flags = settings.lawFiles.flatMap((law) => ['--law', law]);
  const options: TextOptions = { fileOf, command, flags, emulatorFlags };
  const reports = settings.reports.some(({ file }) => file === undefined)
    ? settings.reports
    : [...settings.reports, { kind: 'tty' as const, file: undefined }];
  for (const { kind, file } of reports) {
    const toTerminal = { colour: io.colour && file === undefined, width: file === undefined ? io.width : 120 };
    const text = EXPLORE_REPORTERS[kind](report, { ...options, ...toTerminal });
    const summary = kind === 'github' ? io.env.GITHUB_STEP_SUMMARY : undefined;
    if (summary) appendFileSync(summary, exploreMarkdown(report, options));
    if (file === undefined) io.out(text);
    else writeTo(`--report ${kind}=${file}`, file, text);
  }
}
