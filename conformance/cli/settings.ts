import { given } from '../../emulator/contract/given.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { shippedProfile } from '../../emulator/contract/profile.js';
import { readProfile } from '../model/target.js';
import { CREDENTIAL_NAMES } from '../probe/request.js';
import { REPORT_KINDS } from '../report/index.js';
import { flagOf } from '../report/words/stop.js';
import { BUDGETS, budgetNamed } from '../run/limits.js';
import { checksOfSet, shardIn } from '../run/select.js';
import { reportsOf } from './destinations.js';
import { readConfig, readJson, readKeys } from './files.js';
import { FACTS } from './flags.js';
import { createValues, type Flags, refuseEmpty } from './values.js';

export type { Flags } from './values.js';

const LEVELS = ['stated', 'published', 'chosen'] as const;

/** Settings that may be empty: an empty credential or fact counts as missing. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set([...CREDENTIAL_NAMES, ...Object.keys(FACTS), 'control_token', 'url']);

/** The address of the target. An empty one is refused: the kit's own emulator would pass in its place. */
function addressOf(flags: Flags, variable: string | undefined, configured: unknown): unknown {
  const address = flags.url ?? variable ?? configured;
  if (address !== '') return address;
  const where = flags.url === '' ? 'the URL' : variable === '' ? 'INTERN_BASE_URL' : 'url of the config file';
  throw new UsageError(`${where} is empty: give an address, or leave it out to check an emulator of its own`);
}

/** Flags without which a repeated check may be skipped: facts of the target, and ways to reach it. */
const SPOKEN = [
  'profile',
  'public_keys',
  ...Object.keys(FACTS),
  'read_only',
  'slow',
  'timeout',
  'boot_timeout',
  'rate',
  'concurrency',
  'fail_on',
  'requirements',
  'ledger_dir',
  'control',
];

/** The flags of the command line, without credentials, which belong into variables. */
const again = (flags: Flags): string[] =>
  SPOKEN.flatMap((name) => {
    const value = flags[name];
    const flag = flagOf(name);
    if (value === undefined || value === '') return [];
    if (value === true) return [flag];
    return value === false ? [flag.replace('--', '--no-')] : [flag, String(value)];
  });

/** The settings of a command, from flags, variables and config file, in this order. Times in ms. */
export type Settings = Readonly<ReturnType<typeof readSettings>>;

/** Reads the settings of a command. @throws UsageError with one line that names the mistake */
export function readSettings(flags: Flags, environment: Readonly<Record<string, string | undefined>>) {
  refuseEmpty(flags, MAY_BE_EMPTY);
  const file = createValues(flags).word('config') ?? environment.INTERN_CONFORMANCE_CONFIG;
  const config = readConfig(file);
  const { raw, own, text, word, many, number, whole, time, truth, choice } = createValues(flags, environment, config);
  const url = text(addressOf(flags, environment.INTERN_BASE_URL, config.url), 'url');
  const readAs = <Key extends string>(keys: readonly (readonly [string, Key])[]) =>
    given(Object.fromEntries(keys.map(([name, key]) => [key, text(raw(name), name)]))) as { [K in Key]?: string };
  const credentials = readAs(CREDENTIAL_NAMES.map((name) => [name, name] as const));
  const { workspaceId, ...others } = readAs(Object.entries(FACTS));
  if (![undefined, 'yes', 'no'].includes(others.scimSync))
    throw new UsageError(`--scim-sync: expected yes or no, got ${others.scimSync}`);

  const named = word('profile');
  const profile =
    named === undefined
      ? undefined
      : (shippedProfile(named) ?? readProfile(readJson(named, 'profile'), `profile ${named}`));
  const levels = many('level').map((entry) => {
    const level = ({ s: 'S', stated: 'S', p: 'P', published: 'P', c: 'C', chosen: 'C' } as const)[entry.toLowerCase()];
    if (level === undefined)
      throw new UsageError(
        `--level: ${entry} is not known${suggestion(entry, LEVELS)}; known are ${LEVELS.join(', ')}`,
      );
    return level;
  });
  const path = word('path');
  const pathAt = path?.indexOf(':') ?? -1;
  if (path !== undefined && pathAt <= 0)
    throw new UsageError(`--path: expected NAME:PATH as a finding gives it, got ${path}`);
  const shard = word('shard');
  const part = shard === undefined ? undefined : shardIn(shard);
  if (shard !== undefined && part === undefined)
    throw new UsageError(`--shard: expected i/n with 1 ≤ i ≤ n, got ${shard}`);
  const baseline = word('baseline');
  if (flags.update_baseline === true && baseline === undefined)
    throw new UsageError('--update-baseline: expected --baseline FILE too');
  const reports = reportsOf(own('report'), REPORT_KINDS, { '--config': file, '--baseline': baseline });
  const coverage = word('min_coverage');
  const minCoverage = coverage === undefined ? undefined : Number(coverage.replace(/%$/, ''));
  if (minCoverage !== undefined && !(minCoverage >= 0 && minCoverage <= 100))
    throw new UsageError(`--min-coverage: expected a percentage such as 60%, got ${JSON.stringify(coverage)}`);

  const requirements = word('requirements');
  if (requirements !== undefined) checksOfSet(requirements);
  const limits = word('budget');
  const budget = limits === undefined ? undefined : budgetNamed(limits);

  return {
    /** The file that other settings come from. */
    config: file,
    url,
    profile,
    credentials,
    workspaceId,
    facts: others,
    prompts: config.prompts ?? {},
    publicKeys: readKeys(word('public_keys')),
    control: truth('control', true),
    controlToken: text(
      flags.control_token ?? environment.INTERN_CONTROL_TOKEN ?? config.control_token,
      'control_token',
    ),
    only: many('only'),
    skip: many('skip'),
    levels: levels.length === 0 ? undefined : levels,
    runs: whole('runs', 1),
    seed: word('seed'),
    path: path === undefined ? undefined : { name: path.slice(0, pathAt), path: path.slice(pathAt + 1) },
    readOnly: truth('read_only'),
    slow: time('slow') ?? BUDGETS[budget ?? 'default'].wait,
    rate: number('rate', 0),
    concurrency: whole('concurrency', 1),
    budget,
    maxPrompts: whole('max_prompts', 0),
    maxRequests: whole('max_requests', 1),
    maxTime: time('max_time', 1),
    timeout: time('timeout', 1),
    bootTimeout: time('boot_timeout', 1),
    shard: part,
    baseline,
    /** Percent. */
    minCoverage,
    failOn: choice('fail_on', ['fail', 'warn']),
    requirements,
    /** Folder for scripts that send the requests of findings again. */
    save: word('save'),
    updateBaseline: flags.update_baseline === true,
    plan: flags.plan === true,
    reports,
    ledgerDir: word('ledger_dir') ?? '.intern-conformance',
    /** The flags of this call that the command for repeating a finding needs, too. */
    again: again(flags),
  };
}
