import { DISTURBANCE_NAMES, type DisturbanceName, disturbanceOf } from '../../emulator/contract/disturbance.js';
import { parseDuration } from '../../emulator/contract/duration.js';
import { given } from '../../emulator/contract/given.js';
import { FUNCTION, type Kind, OBJECT, SWITCH, TEXT, wrongOption } from '../../emulator/contract/option-kinds.js';
import { isRecord } from '../../emulator/contract/record.js';
import { isInShard, shardIn } from '../run/select.js';
import type { Schedule } from './schedules.js';
import { CLASSES, ExploreError, type ExploreOptions, type Law } from './types.js';

/** An option that is a duration, in ms. @throws ExploreError naming the option */
export function durationOf(name: string, given: number | string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  let ms = Number.NaN;
  try {
    ms = parseDuration(given);
  } catch {}
  if (!(ms > 0)) throw new ExploreError(`${name}: expected a duration such as "10s", found ${JSON.stringify(given)}`);
  return ms;
}

function countOf(name: string, given: number | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (!Number.isInteger(given) || given < 1)
    throw new ExploreError(`${name}: expected a whole number from 1, found ${given}`);
  return given;
}

function shardOf(given: string | undefined): (at: number) => boolean {
  const shard = given === undefined ? undefined : shardIn(given);
  if (given !== undefined && shard === undefined)
    throw new ExploreError(`shard: expected a part such as 1/4, found ${JSON.stringify(given)}`);
  return (at) => isInShard(shard, at);
}

function lawsOf(given: ExploreOptions['laws'] = []): (readonly [string, Law])[] {
  const own: (readonly [string, unknown])[] = Array.isArray(given)
    ? given.map((law: unknown, at) => [(typeof law === 'function' && law.name) || `law ${at + 1}`, law] as const)
    : Object.entries(given);
  for (const [name, law] of own)
    if (typeof law !== 'function')
      throw new ExploreError(`laws: expected a function for ${JSON.stringify(name)}, found ${JSON.stringify(law)}`);
  return own as (readonly [string, Law])[];
}

/** Options that a verdict rests on. */
type Rests = Pick<ExploreOptions, 'seed' | 'require' | 'failOn' | 'patience' | 'runTimeout'>;
const restsIn = ({ seed, require, failOn, patience, runTimeout }: Rests): Rests =>
  given({ seed, require, failOn, patience, runTimeout });

/** The evidence of a schedule's verdict when it was saved. @throws ExploreError where a law is missing */
function restsOf({ schedule, laws }: ExploreOptions): Rests {
  const saved = schedule?.explore;
  if (saved === undefined) return {};
  const known = lawsOf(laws).map(([name]) => name);
  const missing = saved.laws?.find((law) => !known.includes(law));
  if (missing !== undefined)
    throw new ExploreError(`schedule: it rests on the law ${JSON.stringify(missing)}; give it`);
  return restsIn(saved);
}

/** The wanted schedules, by their names, classes and operations. */
function onlyOf(given: ExploreOptions['only']): (schedule: Schedule) => boolean {
  if (given === undefined) return () => true;
  const wanted = new Set([given].flat());
  const kinds: ReadonlySet<string> = new Set(DISTURBANCE_NAMES);
  const operations = new Set(DISTURBANCE_NAMES.flatMap((name) => disturbanceOf(name).on ?? []));
  const known = [...CLASSES, ...kinds, ...operations, 'list', 'create', 'delete', 'scim'];
  for (const one of wanted)
    if (!known.includes(one as never))
      throw new ExploreError(
        `only: expected a kind, a class or an operation, found ${JSON.stringify(one)}; kinds: ${[...kinds].join(', ')}`,
      );
  return ({ class: its, kind, moment }) =>
    wanted.has(its) ||
    wanted.has(moment.operation) ||
    kind.split(' + ').some((name) => wanted.has(name as DisturbanceName));
}

/** Options that are one of a few words. */
export const CHOICES = {
  moments: ['default', 'all'],
  require: ['transient'],
  failOn: ['unnoticed'],
} as const satisfies { [Name in keyof ExploreOptions]?: readonly ExploreOptions[Name][] };

/** A value that is validated where it is read. */
const ANY: Kind = ['', () => true];

const KINDS: Readonly<Record<keyof ExploreOptions, Kind>> = {
  emulator: OBJECT,
  pairs: SWITCH,
  moments: ANY,
  jobs: ANY,
  seed: TEXT,
  shard: TEXT,
  only: ANY,
  maxRuns: ANY,
  maxTime: ANY,
  patience: ANY,
  runTimeout: ANY,
  require: ANY,
  failOn: ANY,
  laws: ANY,
  schedule: ['{name, faults: [fault, …]}', (value) => isRecord(value) && Array.isArray(value.faults)],
  signal: OBJECT,
  onProgress: FUNCTION,
};

/** The options with their defaults. @throws ExploreError naming the option, and what was wrong */
export function settled(chosen: ExploreOptions) {
  const wrong = wrongOption(chosen, KINDS);
  if (wrong !== undefined) throw new ExploreError(wrong);
  const options = { ...restsOf(chosen), ...chosen };
  for (const [name, words] of Object.entries(CHOICES)) {
    const found = options[name as keyof typeof CHOICES];
    if (found !== undefined && !words.some((word) => word === found))
      throw new ExploreError(
        `${name}: expected ${words.map((word) => JSON.stringify(word)).join(' or ')}, found ${JSON.stringify(found)}`,
      );
  }
  const { moments = 'default', require, failOn, patience, runTimeout, seed = 'explore' } = options;
  const own = lawsOf(options.laws);
  return {
    moments,
    pairs: options.pairs === true,
    jobs: countOf('jobs', options.jobs, 4),
    seed,
    inShard: shardOf(options.shard),
    wanted: onlyOf(options.only),
    maxRuns: countOf('maxRuns', options.maxRuns, Number.POSITIVE_INFINITY),
    maxTime: durationOf('maxTime', options.maxTime, Number.POSITIVE_INFINITY),
    patience: patience === undefined ? undefined : durationOf('patience', patience, 10_000),
    runTimeout: runTimeout === undefined ? undefined : durationOf('runTimeout', runTimeout, 30_000),
    requireTransient: require === 'transient',
    failOn: failOn === 'unnoticed',
    own,
    /** The evidence of the verdicts, for the file of a schedule. */
    rests: {
      ...restsIn(options),
      seed,
      ...(own.length === 0 ? {} : { laws: own.map(([name]) => name) }),
    },
  };
}
