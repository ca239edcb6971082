import { join } from 'node:path';
import { UsageError } from '../../../conformance/cli/arguments.js';
import { deliver, makeFolders, refuseLink, writeTo } from '../../../conformance/cli/destinations.js';
import { EXPLORE_REPORTERS } from '../../../conformance/explore/report/files.js';
import { ExploreError, type ExploreReport, type Finding } from '../../../conformance/explore/types.js';
import { FileInvalid } from '../../contract/file.js';
import { OptionError } from '../../index.js';
import type { CommandModule } from '../command.js';
import { environmentOf } from '../exec.js';
import type { GivenFlags } from '../flags.js';
import { exploreFlags, flagsOf, readEmulatorSettings, readExploreSettings } from './flags.js';
import { progressTo } from './progress.js';
import { type ExploreCall, explored } from './suite.js';

/** Writes a schedule per finding, and says where each is. */
function saveSchedules(
  dir: string,
  { findings, unnoticed }: ExploreReport,
  chosen: GivenFlags,
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

function report(found: ExploreReport, { settings, command, given, io }: ExploreCall, width: number): void {
  const fileOf =
    settings.scheduleFile === undefined ? saveSchedules(settings.save, found, given) : () => settings.scheduleFile;
  const flags = settings.lawFiles.flatMap((law) => ['--law', law]);
  const again = { fileOf, command, flags, emulatorFlags: flagsOf(given) };
  const colour = process.stdout.isTTY === true && !io.env.NO_COLOR;
  const reports = settings.reports.some(({ file }) => file === undefined)
    ? settings.reports
    : [...settings.reports, { kind: 'tty' as const, file: undefined }];
  const output = { out: io.out, env: io.env, colour, width };
  deliver(reports, (kind, looks) => EXPLORE_REPORTERS[kind](found, { ...again, ...looks }), output);
}

/** Explores a command and resolves with its exit status (EXP-6): 0, 1 with a breach, 3 incomplete. */
async function explores(call: ExploreCall): Promise<number> {
  const { settings, io } = call;
  const terminal = { live: process.stderr.isTTY === true, width: process.stdout.columns ?? 120 };
  makeFolders({ reports: settings.reports });
  refuseLink(`--save ${settings.save}`, settings.save);
  const progress = progressTo({ ...terminal, err: io.err });
  try {
    const found = await explored(call, progress.show);
    progress.end();
    report(found, call, terminal.width);
    if (found.counts.breach > 0) return 1;
    return found.incomplete.length > 0 ? 3 : 0;
  } finally {
    progress.end();
  }
}

/** After which a Ctrl-C leaves without a report, in ms: it has been due for long. */
const STUCK = 5_000;

/** `intern-emulator explore -- <command>`: a command, once per thing that can go wrong. */
const explore: CommandModule = {
  flags: exploreFlags(),
  async run({ argv, rest, io }) {
    const [file, ...args] = rest;
    if (file === undefined) throw new UsageError('explore: give the command after --, as in: explore -- npm test');
    const over = new AbortController();
    let asked = 0;
    const interrupt = () => {
      if (over.signal.aborted && performance.now() - asked > STUCK) io.exit(130);
      if (!over.signal.aborted) asked = performance.now();
      // The report follows soon, whatever is under way: one more has nothing to add.
      over.abort(new Error('interrupted'));
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, interrupt);
    try {
      const settings = await readExploreSettings(argv, io.folder);
      return await explores({
        settings,
        command: [file, ...args],
        given: readEmulatorSettings(argv, settings, io),
        environmentOf: (target, at) => environmentOf(target, at, argv.all === true),
        io,
        signal: over.signal,
      });
    } catch (error) {
      // A schedule that this version does not know, or a flag of the emulators.
      const place = error instanceof OptionError && argv.schedule !== undefined ? `--schedule ${argv.schedule}: ` : '';
      if ([OptionError, UsageError, ExploreError, FileInvalid].some((kind) => error instanceof kind))
        throw new UsageError(`explore: ${place}${(error as Error).message}`, { cause: error });
      throw error;
    } finally {
      for (const signal of signals) process.off(signal, interrupt);
    }
  },
};

export default explore;
