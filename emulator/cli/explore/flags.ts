import { type FlagTable, list, text, toggle, UsageError } from '../../../conformance/cli/arguments.js';
import { reportsOf } from '../../../conformance/cli/destinations.js';
import { createValues, refuseEmpty } from '../../../conformance/cli/values.js';
import { CHOICES } from '../../../conformance/explore/options.js';
import { EXPLORE_REPORT_KINDS } from '../../../conformance/explore/report/files.js';
import type { ExploreOptions, Law } from '../../../conformance/explore/types.js';
import { given } from '../../contract/given.js';
import type { Io } from '../command.js';
import { checkedSettings } from '../config.js';
import { ALL_VARIABLES } from '../exec.js';
import { type FlagName, type GivenFlags, kebab } from '../flags.js';
import { flagTable, resolveSettings } from '../settings.js';
import { readLaws, readSchedule } from './files.js';

export const EXPLORE_FLAGS: FlagTable = {
  require: text('transient: a program must get over what is over when tried again'),
  'fail-on': text('unnoticed: passing as if nothing were missing is a breach where the whole reply never came'),
  law: list('File of laws of your own (a module that exports functions); may be repeated'),
  schedule: text('Run the schedule in this file alone, as a finding names it'),
  save: text('Folder for a schedule per finding', { fallback: '.intern-explore' }),
  report: list(`${EXPLORE_REPORT_KINDS.join(', ')}, each with =FILE or to standard output; may be repeated`),
  only: list('Kinds or classes of disturbances, or operations: cut, harmless, chat; may be repeated'),
  moments: text('default: the named writes of each stream; all: each write, and each place in a character', {
    fallback: 'default',
  }),
  each: toggle('Explore a suite test by test (vitest, node --test, pytest, jest, mocha); --no-each: as one program', {
    fallback: 'where its tests are known',
  }),
  pairs: toggle('Two disturbances at a time, too'),
  seed: text('What chance draws from: same seed, same program, same report', { fallback: 'explore' }),
  shard: text('i/n: the i-th of n parts'),
  jobs: text('Runs at once', { fallback: 'one more than there are processors' }),
  'max-runs': text('Stop after this many schedules'),
  'max-time': text('Stop after this time, such as 5m'),
  patience: text('How long a program may wait for nothing', { fallback: '5m of its own time in Node, else 40s' }),
  'run-timeout': text('How long a run may take', { fallback: '60s, or ten times the undisturbed run' }),
};

/** The options of an emulator that may be chosen: its clock, addresses and faults are explore's own. */
const OWN: readonly FlagName[] = [
  'profile',
  'seedFile',
  'scripts',
  'turnsPerMinute',
  'interactionDeadline',
  'executionDeadline',
  'keepalive',
  'proofWindow',
  'pace',
  'requireV2',
];

/** All flags: its own, what `exec` has for variables, and those of the emulators. */
export function exploreFlags(): FlagTable {
  const all = flagTable();
  const own = ['config', ...OWN.map(kebab)].flatMap((name) => {
    const option = all[name];
    return option === undefined ? [] : [[name, { ...option, group: 'The emulators:' }] as const];
  });
  return { ...EXPLORE_FLAGS, ...ALL_VARIABLES, ...Object.fromEntries(own) };
}

/** The options of the emulators: from a saved schedule, and over it from flags, variables and the config file. */
export function readEmulatorSettings(
  { seed: _, ...argv }: Readonly<Record<string, unknown>>,
  { options: { schedule }, scheduleFile }: ExploreSettings,
  io: Pick<Io, 'env' | 'folder'>,
): GivenFlags {
  const saved = schedule?.explore?.emulator ?? {};
  const all = {
    ...checkedSettings(saved, `--schedule ${scheduleFile}: explore.emulator`),
    ...resolveSettings(argv, io),
  };
  return Object.fromEntries(OWN.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

/** Settings as flags that give them again. */
export const flagsOf = (given: GivenFlags): string[] =>
  Object.entries(given).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === true ? [`--${kebab(name)}`] : [`--${kebab(name)}`, String(one)])),
  );

export type ExploreSettings = Awaited<ReturnType<typeof readExploreSettings>>;

/** Puts together what was asked for. Throws {@link UsageError} with one line that names what is wrong. */
export async function readExploreSettings(argv: Readonly<Record<string, unknown>>, folder: string) {
  refuseEmpty(Object.fromEntries(Object.keys(EXPLORE_FLAGS).map((name) => [name, argv[name]])));
  const { word, many, whole, choice } = createValues(argv);
  const lawFiles = many('law');
  const laws: Record<string, Law> = {};
  for (const law of lawFiles) Object.assign(laws, await readLaws(law, folder));
  const scheduleFile = word('schedule');
  const only = many('only');
  const reports = reportsOf(argv.report, EXPLORE_REPORT_KINDS);
  const shown = reports.filter(({ file }) => file === undefined);
  if (shown.length > 1)
    throw new UsageError(
      `--report: ${shown.map(({ kind }) => kind).join(' and ')} cannot share standard output; give one a file`,
    );
  return {
    jobs: whole('jobs', 1),
    /** Test by test: needed, wanted where it can be, or not at all. */
    each: argv.each as boolean | undefined,
    reports,
    save: word('save') ?? '.intern-explore',
    /** The file of the one schedule. */
    scheduleFile,
    lawFiles,
    options: {
      pairs: argv.pairs === true,
      ...given({
        moments: choice('moments', CHOICES.moments),
        require: choice('require', CHOICES.require),
        failOn: choice('fail-on', CHOICES.failOn),
        seed: word('seed'),
        shard: word('shard'),
        only: only.length === 0 ? undefined : only,
        maxRuns: whole('max-runs', 1),
        maxTime: word('max-time'),
        patience: word('patience'),
        runTimeout: word('run-timeout'),
        laws: Object.keys(laws).length === 0 ? undefined : laws,
        schedule: scheduleFile === undefined ? undefined : readSchedule(scheduleFile),
      }),
    } satisfies ExploreOptions,
  };
}
