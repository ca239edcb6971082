import { given } from '../../emulator/contract/given.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { visible } from '../../emulator/contract/visible.js';
import type { Driver } from '../drivers/driver.js';
import { DIFF_REPORTERS } from '../report/comparison/diff.js';
import { TREND_REPORTERS } from '../report/comparison/trend.js';
import { REPORTERS } from '../report/index.js';
import type { TerminalOptions } from '../report/sheet/terminal.js';
import { diff, trend } from '../run/diff.js';
import { merge } from '../run/merge.js';
import { asUnit, runChecks } from '../run/runner.js';
import { chosenOf } from '../run/select.js';
import { checks } from '../scenarios/index.js';
import { cleanupCommand } from './cleanup.js';
import { deliver, makeFolders, reportsOf } from './destinations.js';
import { driftCommand, driftTargets } from './drift.js';
import { agreed, atTarget, concluded, connected } from './engine.js';
import { readReport, readReports } from './files.js';
import {
  CLEANUP_FLAGS,
  CLIENT_FLAGS,
  DRIFT_FLAGS,
  JUDGE_FLAGS,
  REPLAY_FLAGS,
  REPORT_FLAGS,
  RUN_FLAGS,
} from './flags.js';
import type { Io } from './io.js';
import { plan } from './plan.js';
import { saveFindings } from './save.js';
import { readSettings, type Settings } from './settings.js';
import type { Call, Command, CommandRow } from './table.js';

/** Does a run as requested and returns its exit code. */
export async function runCommand(settings: Settings, io: Io): Promise<number> {
  const units = chosenOf(
    checks.map((check) => ({ ...asUnit(check), check })),
    settings,
  );
  if (settings.plan) {
    const { host, signal } = io;
    const planned = (driver: Driver) =>
      plan({ settings, driver, checks: units.map(({ check }) => check), host, signal });
    const said = await connected(settings, io, planned, { look: false });
    if (signal.aborted) io.err('interrupted: there is no plan\n');
    else io.out(said);
    return signal.aborted ? 3 : 0;
  }
  return concluded(settings, io, async (options) => {
    const { budget, maxPrompts, path, requirements, runs, seed } = settings;
    const more = { ...options, checks, budget, maxPrompts, path, requirements, runs, seed };
    const results = await atTarget(settings, io, (target) => runChecks({ ...target, ...more }));
    if (settings.save !== undefined) saveFindings(settings.save, results);
    return results;
  });
}

/** A command of the kit. Its `argv` has flags by their names in snake case. */
export interface KitCommand extends CommandRow, Command<Io> {
  /** The meaning of each positional, for the help. */
  readonly positionals?: Readonly<Record<string, string>>;
}

/** Reads reports, writes what comes of them in the kinds that a call asks for, and returns it. */
function reported<Made, Kind extends string>(
  reporters: Readonly<Record<Kind | 'markdown', (made: Made, looks?: TerminalOptions) => string>>,
  { argv, io }: Call<Io>,
  read: () => Made,
): Made {
  const reports = reportsOf(argv.report, Object.keys(reporters) as Kind[]);
  makeFolders({ reports });
  const made = read();
  deliver(reports, (kind, looks) => reporters[kind](made, looks), io);
  return made;
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Commands of the emulator that people try here. */
const OTHERS = ['explore', 'record', 'serve', 'verify'];

/** Refuses a word that is nearly a command. As an address it would only be unknown. */
function refuseMisspelt(word: unknown) {
  if (typeof word !== 'string' || /[.:/]/.test(word)) return;
  const near = suggestion(word, [...COMMANDS.flatMap(({ words: [first] }) => first ?? []), ...OTHERS], (name) =>
    OTHERS.includes(name) ? `intern-emulator ${name}` : name,
  );
  if (near === '') return;
  throw new UsageError(`unknown command ${JSON.stringify(word)}${near}; as a host it is http://${word}`);
}

export const COMMANDS: readonly KitCommand[] = [
  {
    words: ['report', 'merge'],
    takes: '<files..>',
    describe: 'one report out of those of the shards of a run',
    flags: REPORT_FLAGS,
    missing: 'report merge: name the reports to merge, as in: report merge shards/*.json',
    run: async (call) => reported(REPORTERS, call, () => merge(texts(call.argv.files).map(readReport))).exit,
  },
  {
    words: ['report', 'diff'],
    takes: '<files..>',
    describe: 'what broke, was mended, is new, gone or no longer checked: report diff OLD.json NEW.json',
    positionals: { files: 'two JSON reports, the older one first' },
    flags: REPORT_FLAGS,
    missing: 'report diff: name two reports, the older one first, as in: report diff old.json new.json',
    async run(call) {
      const files = texts(call.argv.files);
      const [old, now] = files;
      if (old === undefined || now === undefined || files.length > 2)
        throw new UsageError(`report diff: expected two reports, the older one first, got ${files.length}`);
      // Exit 1 where something broke.
      return reported(DIFF_REPORTERS, call, () => diff(readReport(old), readReport(now))).broken.length > 0 ? 1 : 0;
    },
  },
  {
    words: ['report', 'trend'],
    takes: '<folder>',
    describe: 'what became of each check over the JSON reports of a folder',
    flags: REPORT_FLAGS,
    missing: 'report trend: name a folder of JSON reports, as in: report trend reports --report html=trend.html',
    async run(call) {
      const warn = (line: string) => call.io.err(`intern-conformance: ${visible(line)}\n`);
      reported(TREND_REPORTERS, call, () => trend(readReports(String(call.argv.folder), warn)));
      return 0;
    },
  },
  {
    words: ['replay'],
    takes: '<report> [url]',
    describe: 'do every finding of a JSON report again, at its target or another: FIXED, STILL or NOT REACHED',
    positionals: {
      report: 'a JSON report',
      url: "base address, ending in /api/v1; without it, the report's",
    },
    flags: REPLAY_FLAGS,
    missing: 'replay: name a JSON report, as in: replay conformance.json',
    async run({ argv: { report: file, url, ...rest }, rest: adapter, io }) {
      const { replayable, replayCommand, targetOf } = await import('./replay.js');
      const report = replayable(String(file), adapter);
      const alone = url === undefined && rest.config === undefined && !io.env.INTERN_BASE_URL;
      const target = alone ? targetOf(report) : url;
      const settings = readSettings({ ...rest, ...(target === undefined ? {} : { url: target }) }, io.env);
      if (alone && settings.url !== undefined)
        await agreed({ file: String(file), url: settings.url, naming: `replay ${file} ${settings.url}` }, settings, io);
      return replayCommand(report, settings, adapter, io);
    },
  },
  {
    words: ['drift'],
    takes: '[words..]',
    describe: 'compare a target with recordings of another: drift FILE… [URL]',
    positionals: { words: 'recordings, and a base address' },
    flags: DRIFT_FLAGS,
    async run({ argv: { words, ...rest }, io }) {
      const { files, url } = driftTargets(texts(words));
      return driftCommand(files, readSettings({ ...rest, ...(url === undefined ? {} : { url }) }, io.env), io);
    },
  },
  {
    words: ['judge'],
    takes: '[files..]',
    describe: 'judge what others sent, and send nothing: recordings, HAR files, or what passes a port (docs/judge.md)',
    positionals: { files: 'recordings and HAR files' },
    flags: JUDGE_FLAGS,
    async run({ argv: { files, fail_on, listen, to, ...rest }, io }) {
      const { judgeCommand } = await import('./judge.js');
      return judgeCommand(texts(files), given({ fail_on, listen, to }), readSettings(rest, {}), io);
    },
  },
  {
    words: ['client'],
    describe: 'run a client through the cases of the lab: client [options] -- COMMAND of its adapter (docs/lab.md)',
    flags: CLIENT_FLAGS,
    async run({ argv: { cuts, show, ...rest }, rest: adapter, io }) {
      const { clientCommand } = await import('./client.js');
      return clientCommand(readSettings(rest, {}), { cuts, show }, adapter, io);
    },
  },
  {
    words: ['cleanup'],
    takes: '<run>',
    describe: 'delete what a run left behind',
    flags: CLEANUP_FLAGS,
    missing: 'cleanup: name the run, as its end or its ledger does, as in: cleanup k3v9',
    run: ({ argv: { run, ...rest }, io }) =>
      cleanupCommand(String(run), readSettings(rest, { ...io.env, INTERN_BASE_URL: undefined }), io),
  },
  {
    words: ['report'],
    describe: 'work with JSON reports',
    flags: {},
    async run() {
      throw new UsageError('report: expected merge or diff or trend');
    },
  },
  {
    words: [],
    takes: '[url]',
    describe: 'Tells whether a deployment keeps the interface. Without a URL: the emulator, on a virtual clock.',
    positionals: { url: 'base address, ending in /api/v1' },
    flags: RUN_FLAGS,
    run({ argv, io }) {
      refuseMisspelt(argv.url);
      return runCommand(readSettings(argv, io.env), io);
    },
  },
];
