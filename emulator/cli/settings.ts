import { type FlagTable, grouped, MOST_USED, text, UsageError } from '../../conformance/cli/arguments.js';
import { given } from '../contract/given.js';
import type { Io } from './command.js';
import { parsed, readConfig, readEnvironment } from './config.js';
import { FLAGS, type FlagName, type GivenFlags, kebab, type Setting, settingsFrom, variable } from './flags.js';

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
  const rows = Object.entries<Setting<unknown>>(FLAGS).map(([name, setting]) => {
    const values = setting.values === undefined ? '' : `: ${setting.values.join(', ')}`;
    const describe = setting.describe + values;
    return [kebab(name), { ...setting, describe, ...given({ fallback: fallbacks[name as FlagName] }) }] as const;
  });
  return grouped(
    {
      config: text('Config file (default: intern-emulator.config.json, if it exists)'),
      ...Object.fromEntries(rows),
    },
    Object.fromEntries(Object.entries(GROUPS).map(([group, names]) => [group, names.map(kebab)])),
  );
}

/**
 * The settings in force: a flag overrides a variable, a variable overrides the config file. Settings that none of them
 * gives are left out.
 *
 * @throws UsageError naming the flag, variable, or file and place, and what was expected
 */
export function resolveSettings(
  argv: Readonly<Record<string, unknown>>,
  { env, folder }: Pick<Io, 'env' | 'folder'>,
): GivenFlags {
  const config = single('--config', argv.config) ?? env[variable('config')];
  return { ...readConfig(config, folder), ...readEnvironment(env), ...readFlags(argv) };
}

const readFlags = (argv: Readonly<Record<string, unknown>>): GivenFlags =>
  settingsFrom((setting, name) => {
    const source = `--${kebab(name)}`;
    const value = argv[kebab(name)];
    if (value === undefined || setting.type === 'boolean') return value;
    if (!setting.array) return parsed(source, setting, single(source, value) ?? '');
    return [value].flat().flatMap((text) => parsed(source, setting, String(text)));
  });

function single(source: string, value: unknown): string | undefined {
  if (Array.isArray(value)) throw new UsageError(`${source}: given more than once`);
  return value === undefined ? undefined : String(value);
}
