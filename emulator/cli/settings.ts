import { type FlagRow, type FlagTable, grouped, MOST_USED, UsageError } from '../../conformance/cli/arguments.js';
import { parsed, readConfig, readEnvironment } from './config.js';
import { FLAG_NAMES, FLAGS, type Flag, type FlagName, type GivenFlags, kebab, variable } from './flags.js';

/** The sources of the settings. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  folder: string;
}

const GROUPS: Readonly<Record<string, readonly FlagName[]>> = {
  [MOST_USED]: [
    'port',
    'data',
    'seedFile',
    'seed',
    'scripts',
    'clock',
    'replay',
    'turnsPerMinute',
    'logFormat',
    'quiet',
  ],
  'Addresses:': ['host', 'daemonPort', 'tls', 'publicUrl', 'publicDaemonUrl', 'allowHost', 'cors', 'regionalHost'],
  'The world:': ['profile', 'matches', 'chaos', 'replayElse', 'judge', 'fsync', 'spaceIdle', 'maxSpaces'],
  'Time:': ['pace', 'keepalive', 'interactionDeadline', 'executionDeadline'],
  'Proofs, login, access:': [
    'proofWindow',
    'requireV2',
    'signingKey',
    'oidcIssuer',
    'oidcAudience',
    'controlToken',
    'agentsMayRun',
  ],
};

/**
 * The settings as flags. Values stay texts, so that one set of rules validates them wherever they come from.
 * `fallbacks` are the defaults to show in the help of a command that has others.
 */
export function flagTable(fallbacks: Partial<Record<FlagName, string>> = {}): FlagTable {
  const options: Record<string, FlagRow> = {
    config: {
      type: 'string',
      describe: 'Config file (default: intern-emulator.config.json, if it exists)',
    },
  };
  for (const name of FLAG_NAMES) {
    const flag: Flag<unknown> = FLAGS[name];
    const held = fallbacks[name] ?? flag.fallback;
    const fallback = held === undefined ? {} : { defaultDescription: held };
    const choices = flag.choices === undefined ? '' : `: ${flag.choices.join(', ')}`;
    options[kebab(name)] =
      flag.kind === 'switch'
        ? { type: 'boolean', describe: flag.describe }
        : {
            type: 'string',
            describe: flag.describe + choices,
            ...fallback,
            array: flag.kind === 'list',
          };
  }
  return grouped(
    options,
    Object.fromEntries(Object.entries(GROUPS).map(([group, names]) => [group, names.map(kebab)])),
  );
}

/**
 * The settings in force: a flag overrides a variable, a variable overrides the config file. Settings that none of them
 * gives are left out.
 *
 * @throws UsageError naming the flag, variable, or file and place, and what was expected
 */
export function resolveSettings(argv: Record<string, unknown>, { env, folder }: Surroundings): GivenFlags {
  const config = single('--config', argv.config) ?? env[variable('config')];
  return { ...readConfig(config, folder), ...readEnvironment(env), ...readFlags(argv) };
}

function readFlags(argv: Record<string, unknown>): GivenFlags {
  const given: Record<string, unknown> = {};
  for (const name of FLAG_NAMES) {
    const value = argv[kebab(name)];
    if (value === undefined) continue;
    const source = `--${kebab(name)}`;
    const flag: Flag<unknown> = FLAGS[name];
    if (flag.kind === 'list') {
      given[name] = [value].flat().flatMap((text) => parsed(source, flag, String(text)) as string[]);
    } else if (flag.kind === 'switch') {
      given[name] = [value].flat().at(-1) === true;
    } else {
      given[name] = parsed(source, flag, single(source, value) ?? '');
    }
  }
  return given as GivenFlags;
}

function single(source: string, value: unknown): string | undefined {
  if (Array.isArray(value)) throw new UsageError(`${source}: given more than once`);
  return value === undefined ? undefined : String(value);
}
