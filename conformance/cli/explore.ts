import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { parseDuration } from '../../emulator/contract/duration.js';
import { visible } from '../../emulator/contract/visible.js';
import { type CommandOptions, openCommand } from '../explore/command/command.js';
import { type CommandWords, testsOf } from '../explore/command/each.js';
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
  type Progress,
} from '../explore/types.js';
import { UsageError } from '../framework/usage.js';
import { systemHost } from '../probe/time.js';
import type { ExploreSettings } from './explore-settings.js';
import { folder, writeTo } from './folders.js';
import type { Io } from './io.js';

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

/** How often progress is reported where a line cannot be overwritten. */
const EVERY = 100;

function progressTo({ err, live, width }: ExploreIo): { show(progress: Progress): void; end(): void } {
  let shown = false;
  return {
    show({ done, total, breaches, last }) {
      const broke = breaches === 0 ? '' : `, ${breaches} broke a law`;
      if (live) err(`\r\u001b[2K${visible(`${done}/${total}${broke}  ${last}`).slice(0, width - 1)}`);
      else if (done % EVERY === 0 && done < total) err(`${done} of ${total} schedules${broke}\n`);
      shown = true;
    },
    end() {
      if (live && shown) err('\r\u001b[2K');
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
  const progress = progressTo(io);
  try {
    const report = await (settings.each
      ? exploreEach(call, progress.show)
      : exploreOne(call, call.command, { ...settings.options, onProgress: progress.show }));
    progress.end();
    deliver(report, call);
    if (report.counts.breach > 0) return 1;
    return report.incomplete.length > 0 ? 3 : 0;
  } finally {
    progress.end();
  }
}

/** The command sent no request: there is nothing to explore. */
class Silent extends UsageError {}

async function exploreOne(
  { settings, emulator, environmentOf, io }: ExploreCall,
  command: CommandWords,
  options: ExploreOptions,
): Promise<ExploreReport> {
  const run = await openCommand(command, { env: io.env, folder: io.folder, environmentOf });
  try {
    const jobs = settings.jobs ?? availableParallelism();
    const explored = await explore(run.program, { ...options, emulator, jobs, signal: io.signal });
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
async function exploreEach(call: ExploreCall, show: (progress: Progress) => void): Promise<ExploreReport> {
  const { settings, command, emulator, environmentOf, io } = call;
  const { maxRuns, maxTime, ...options } = settings.options;
  const began = systemHost.now();
  const limit = maxTime === undefined ? undefined : parseDuration(maxTime);
  const commandOptions = { env: io.env, folder: io.folder, environmentOf };
  const tests = await testsOf(command, commandOptions, { emulator, signal: io.signal });
  const explored: Explored[] = [];
  const silent: string[] = [];
  const incomplete: string[] = [];
  let [runs, breaches] = [0, 0];
  for (const [at, test] of tests.entries()) {
    const left = tests.length - at;
    const runsLeft = maxRuns === undefined ? undefined : Math.floor((maxRuns - runs) / left);
    const timeLeft = limit === undefined ? undefined : (limit - (systemHost.now() - began)) / left;
    if (runsLeft === 0 || (timeLeft !== undefined && timeLeft <= 0) || io.signal.aborted) {
      incomplete.push(io.signal.aborted ? 'interrupted' : runsLeft === 0 ? 'max-runs' : 'max-time');
      break;
    }
    try {
      const report = await exploreOne(call, test.command, {
        ...options,
        ...(runsLeft === undefined ? {} : { maxRuns: runsLeft }),
        ...(timeLeft === undefined ? {} : { maxTime: timeLeft }),
        onProgress: (progress) =>
          show({
            ...progress,
            breaches: breaches + progress.breaches,
            last: `test ${at + 1} of ${tests.length}, ${test.name}: ${progress.last}`,
          }),
      });
      runs += report.counts.run;
      breaches += report.counts.breach;
      explored.push({ ...test, report });
    } catch (error) {
      if (error instanceof Silent) silent.push(test.name);
      else if (error instanceof ExploreError) throw new ExploreError(`${test.name}: ${error.message}`);
      else throw error;
    }
  }
  if (silent.length === tests.length) throw new Silent(`none of ${tests.length} tests sent a request to the emulator`);
  const report = togetherOf(explored, options.seed ?? 'explore', incomplete);
  const left =
    silent.length === 0 ? [] : [`${plural(silent.length, 'test')} without a request, left out: ${silent.join(', ')}`];
  return { ...report, warnings: [...report.warnings, ...left] };
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
