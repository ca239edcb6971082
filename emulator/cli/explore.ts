import { EXPLORE_FLAGS, exploreCommand, isMisuse, readExploreSettings } from '../../conformance/cli/explore.js';
import { OptionError } from '../index.js';
import type { CommandModule } from './command.js';
import { checkedSettings } from './config.js';
import { ALL_VARIABLES, environmentOf } from './exec.js';
import type { FlagName, Given } from './flags.js';
import { kebab } from './flags.js';
import { flagTable, resolveSettings } from './settings.js';
import { optionsOf } from './start.js';
import { UsageError } from './usage.js';

/** What of an emulator may be chosen: its clock, addresses and faults are explore's own. */
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

/** After which a Ctrl-C leaves without a report, in ms: it has been due for long. */
const STUCK = 5_000;
const pick = (all: Given): Given =>
  Object.fromEntries(OWN.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));

const flagsOf = (given: Given): string[] =>
  Object.entries(given).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === true ? [`--${kebab(name)}`] : [`--${kebab(name)}`, String(one)])),
  );

/** `intern-emulator explore -- <command>`: a command, once per thing that can go wrong. */
const explore: CommandModule = {
  options() {
    const all = flagTable();
    const own = ['config', ...OWN.map(kebab)].flatMap((name) => {
      const option = all[name];
      return option === undefined ? [] : [[name, { ...option, group: 'The emulators:' }] as const];
    });
    return { ...EXPLORE_FLAGS, ...ALL_VARIABLES, ...Object.fromEntries(own) };
  },
  async run({ argv, rest, io }) {
    const [file, ...args] = rest;
    if (file === undefined) throw new UsageError('explore: give the command after --, as in: explore -- npm test');
    const { seed: _, ...emulator } = argv;
    const all = resolveSettings(emulator, io);
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
      const saved = settings.options.schedule?.explore?.emulator ?? {};
      const given = pick({ ...checkedSettings(saved, `--schedule ${argv.schedule}: explore.emulator`), ...all });
      return await exploreCommand({
        settings,
        command: [file, ...args],
        emulator: optionsOf(given, {}),
        chosen: given,
        emulatorFlags: flagsOf(given),
        environmentOf: (target, at) => environmentOf(target, at, argv.all === true),
        io: {
          out: io.stdout,
          err: io.stderr,
          colour: process.stdout.isTTY === true && !io.env.NO_COLOR,
          live: process.stderr.isTTY === true,
          width: process.stdout.columns ?? 120,
          env: io.env,
          folder: io.folder,
          signal: over.signal,
        },
      });
    } catch (error) {
      // A schedule that this version does not know.
      if (error instanceof OptionError)
        throw new UsageError(`explore: --schedule ${argv.schedule}: ${error.message}`, { cause: error });
      if (isMisuse(error)) throw new UsageError(`explore: ${error.message}`, { cause: error });
      throw error;
    } finally {
      for (const signal of signals) process.off(signal, interrupt);
    }
  },
};

export default explore;
