import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXPLORE_REPORT_KINDS } from '../explore/report/index.js';
import { CLASSES, type ExploreOptions, type Law, type ScheduleFile, type VerdictRests } from '../explore/types.js';
import { UsageError } from '../framework/usage.js';
import { isRecord } from '../probe/json.js';
import type { FlagRow, FlagTable } from './arguments.js';
import { readJson } from './files.js';
import { createValues, given, refuseEmpty, reportOf } from './values.js';

const text = (describe: string): FlagRow => ({ type: 'string', describe });
const list = (describe: string): FlagRow => ({ type: 'string', array: true, describe });
const toggle = (describe: string): FlagRow => ({ type: 'boolean', describe });

/** Flags of `intern-emulator explore`, beside those of the emulators that it runs. */
export const EXPLORE_FLAGS: FlagTable = {
  require: text('transient: a program must get over what is over when tried again'),
  'fail-on': text('unnoticed: passing as if nothing were missing is a breach where the whole reply never came'),
  law: list('File of laws of your own (a module that exports functions); may be repeated'),
  schedule: text('Run the schedule in this file alone, as a finding names it'),
  save: { ...text('Folder for a schedule per finding'), defaultDescription: '.intern-explore' },
  report: list(`${EXPLORE_REPORT_KINDS.join(', ')}, each with =FILE or to standard output; may be repeated`),
  only: list('Kinds or classes of disturbances, or operations: cut, harmless, chat; may be repeated'),
  moments: {
    ...text('default: the named writes of each stream; all: each write, and each place in a character'),
    defaultDescription: 'default',
  },
  each: {
    ...toggle('Explore a suite test by test (vitest, node --test, pytest, jest, mocha); --no-each: as one program'),
    defaultDescription: 'where its tests are known',
  },
  pairs: toggle('Two disturbances at a time, too'),
  seed: { ...text('What chance draws from: same seed, same program, same report'), defaultDescription: 'explore' },
  shard: text('i/n: the i-th of n parts'),
  jobs: { ...text('Runs at once'), defaultDescription: 'one more than there are processors' },
  'max-runs': text('Stop after this many schedules'),
  'max-time': text('Stop after this time, such as 5m'),
  patience: {
    ...text('How long a program may wait for nothing'),
    defaultDescription: '5m of its own time in Node, else 40s',
  },
  'run-timeout': { ...text('How long a run may take'), defaultDescription: '60s, or ten times the undisturbed run' },
};

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean => isText(value) || typeof value === 'number';

/** What the verdict of a schedule rested on, as it stands in its file. */
const RESTS: Readonly<Record<keyof VerdictRests, (value: unknown) => boolean>> = {
  class: (value) => CLASSES.some((one) => one === value),
  law: isText,
  seed: isText,
  require: (value) => value === 'transient',
  failOn: (value) => value === 'unnoticed',
  patience: isTime,
  runTimeout: isTime,
  laws: (value) => Array.isArray(value) && value.every(isText),
  emulator: isRecord,
  test: isText,
};

function restsIn(explore: unknown, place: string): VerdictRests {
  if (!isRecord(explore)) throw new UsageError(`${place}: explore: expected an object`);
  const needed = (['class', 'seed'] as const).find((name) => explore[name] === undefined);
  const wrong =
    needed ?? Object.keys(explore).find((name) => RESTS[name as keyof VerdictRests]?.(explore[name]) !== true);
  if (wrong !== undefined)
    throw new UsageError(`${place}: explore.${wrong}: found ${JSON.stringify(explore[wrong]) ?? 'nothing'}`);
  return explore as unknown as VerdictRests;
}

/** A schedule as `--save` writes it. What its faults hold is validated by the emulators that serve them. */
function readSchedule(file: string): ScheduleFile {
  const place = `--schedule ${file}`;
  const { format, name = file, faults, explore } = (readJson(file, '--schedule') ?? {}) as Record<string, unknown>;
  if (!Array.isArray(faults) || faults.length === 0)
    throw new UsageError(`${place}: expected a schedule that --save has written, with faults; found none`);
  const odd = faults.findIndex((fault) => !isRecord(fault));
  if (odd >= 0)
    throw new UsageError(`${place}: faults.${odd}: expected an object, found ${JSON.stringify(faults[odd])}`);
  if (format !== undefined && format !== 2)
    throw new UsageError(`${place}: format: expected 2, or none, found ${JSON.stringify(format)}`);
  return {
    ...(format && { format }),
    name: String(name),
    faults,
    ...(explore !== undefined && { explore: restsIn(explore, place) }),
  };
}

/** The laws of a module: what it exports as `laws` or by default, a function or an object of functions. */
async function readLaws(file: string, folder: string): Promise<Record<string, Law>> {
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(resolve(folder, file)).href);
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
        ? 'it does not exist, or imports what does not'
        : String(error);
    throw new UsageError(`--law ${file}: cannot be loaded: ${why.split('\n')[0]}`);
  }
  const given = module.laws ?? module.default;
  const laws = typeof given === 'function' ? { [given.name || file]: given } : given;
  const entries = typeof laws === 'object' && laws !== null ? Object.entries(laws) : [];
  if (entries.length === 0 || !entries.every(([, law]) => typeof law === 'function'))
    throw new UsageError(
      `--law ${file}: expected laws or a default export of functions, which throw where they are broken`,
    );
  return Object.fromEntries(entries) as Record<string, Law>;
}

/** What a call asks for. */
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
  const reports = many('report').map((one) => reportOf(one, EXPLORE_REPORT_KINDS));
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
        moments: choice('moments', ['default', 'all']),
        require: choice('require', ['transient']),
        failOn: choice('fail-on', ['unnoticed']),
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
