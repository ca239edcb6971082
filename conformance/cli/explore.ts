import { appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { type CommandOptions, createCommand } from '../explore/command/command.js';
import { explore } from '../explore/index.js';
import { exploreMarkdown } from '../explore/report/files.js';
import { EXPLORE_REPORTERS } from '../explore/report/index.js';
import type { TextOptions } from '../explore/report/text.js';
import {
  ExploreError,
  type ExploreOptions,
  type ExploreReport,
  type Finding,
  type Progress,
} from '../explore/types.js';
import { UsageError } from '../framework/usage.js';
import { visible } from '../reporters/stream-text.js';
import type { ExploreSettings } from './explore-settings.js';
import { folder, writeTo } from './folders.js';

export { EXPLORE_FLAGS, readExploreSettings } from './explore-settings.js';

/** Whether an error says in one line what was called wrongly. */
export const isMisuse = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof ExploreError;

/** Where a call writes, and what ends it early. */
export interface ExploreIo {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
  /** Whether `err` is a terminal whose line can be overwritten. */
  readonly live: boolean;
  readonly width: number;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly signal: AbortSignal;
}

export interface ExploreCall extends Pick<CommandOptions, 'environmentOf'> {
  readonly settings: ExploreSettings;
  readonly command: readonly [string, ...string[]];
  readonly emulator: NonNullable<ExploreOptions['emulator']>;
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
function saveSchedules(dir: string, { findings }: ExploreReport): (finding: Finding) => string | undefined {
  const files = new Map<Finding, string>();
  const taken = new Set<string>();
  for (const finding of findings) {
    const base = `${finding.law}-${finding.kind}-${finding.operation}`.replaceAll(/[^\w]+/g, '-');
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
    taken.add(name);
    const file = join(dir, `${name}.json`);
    writeTo(`--save ${dir}`, file, `${JSON.stringify(finding.schedule, null, 2)}\n`);
    files.set(finding, file);
  }
  return (finding) => files.get(finding);
}

/** Explores a command as requested and returns its exit status (EXP-6): 0, 1 with a breach, 3 incomplete. */
export async function exploreCommand(call: ExploreCall): Promise<number> {
  const { settings, command, emulator, environmentOf, io } = call;
  for (const { kind, file } of settings.reports)
    if (file !== undefined) folder(`--report ${kind}=${file}`, join(file, '..'));
  const run = createCommand(command, { env: io.env, folder: io.folder, environmentOf });
  const progress = progressTo(io);
  try {
    const explored = await explore(run.program, {
      ...settings.options,
      emulator,
      jobs: settings.jobs ?? availableParallelism(),
      signal: io.signal,
      onProgress: progress.show,
    });
    progress.end();
    const report = { ...explored, warnings: [...explored.warnings, ...run.warnings] };
    deliver(report, call);
    if (report.counts.breach > 0) return 1;
    return report.incomplete.length > 0 ? 3 : 0;
  } catch (error) {
    progress.end();
    if (run.notStarted !== undefined) throw new UsageError(run.notStarted);
    if (error instanceof ExploreError && run.silent)
      throw new UsageError(
        'the command sent no request to the emulator: let it read INTERN_BASE_URL and INTERN_API_KEY',
      );
    throw error;
  } finally {
    run.close();
  }
}

function deliver(report: ExploreReport, { settings, command, io }: ExploreCall): void {
  const fileOf =
    settings.scheduleFile === undefined ? saveSchedules(settings.save, report) : () => settings.scheduleFile;
  const options: TextOptions = { fileOf, command };
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
