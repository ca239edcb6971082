import { readFileSync } from 'node:fs';
import type { Profile } from '../../emulator/contract/profile.js';
import type { PublicKey, Target } from '../drivers/driver.js';
import type { Prompts } from '../drivers/live.js';
import { variable } from '../drivers/needs.js';
import type { BehaviourName } from '../framework/needs.js';
import { readProfile, SHIPPED } from '../framework/profile.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { REPORT_KINDS, type ReportKind } from '../reporters/index.js';
import type { Level } from '../requirements/index.js';
import { UsageError } from '../run/usage.js';
import { duration } from './duration.js';

/** Facts of a target that a deployment does not tell by itself, and what the kit calls them. */
export const FACTS = {
  workspace_id: 'workspaceId',
  foreign_workspace_id: 'foreignWorkspaceId',
  oauth_subject: 'oauthSubject',
  peer_oauth_subject: 'peerOauthSubject',
  scim_mapping_id: 'scimMappingId',
  own_intern_id: 'ownInternId',
  regional_host: 'regionalHost',
} as const;
type Fact = keyof typeof FACTS;

const BEHAVIOURS: readonly BehaviourName[] = [
  'echo',
  'ask-permission',
  'ask-question',
  'ask-twice',
  'silent',
  'slow',
  'never-ends',
  'cancelled',
  'deadline',
  'severed',
  'fails',
  'refuses',
  'unreachable',
  'no-usage',
  'long',
  'unicode',
];

/** What may be set in a config file beside credentials, facts and prompts, with the flag's own spelling of values. */
const PLAIN = [
  'url',
  'profile',
  'only',
  'skip',
  'level',
  'runs',
  'seed',
  'read_only',
  'slow',
  'rate',
  'max_requests',
  'max_time',
  'timeout',
  'boot_timeout',
  'baseline',
  'min_coverage',
  'save',
  'report',
  'ledger_dir',
  'control',
  'control_token',
  'public_keys',
] as const;

export interface ReportTo {
  readonly kind: ReportKind;
  readonly file: string | undefined;
}

/** What a call of the kit asks for, out of flags, variables and config file, in this order. */
export interface Settings {
  readonly url: string | undefined;
  readonly profile: Profile | undefined;
  readonly credentials: Partial<Record<CredentialName, string>>;
  readonly workspaceId: string | undefined;
  readonly facts: Partial<
    Pick<
      Target,
      'foreignWorkspaceId' | 'oauthSubject' | 'peerOauthSubject' | 'scimMappingId' | 'ownInternId' | 'regionalHost'
    >
  >;
  readonly prompts: Prompts;
  readonly publicKeys: readonly PublicKey[];
  readonly control: boolean;
  readonly controlToken: string | undefined;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly levels: readonly Level[] | undefined;
  readonly runs: number | undefined;
  readonly seed: string | undefined;
  readonly path: { name: string; path: string } | undefined;
  readonly readOnly: boolean;
  readonly slow: number;
  readonly rate: number | undefined;
  readonly maxRequests: number | undefined;
  readonly maxTime: number | undefined;
  readonly timeout: number | undefined;
  readonly bootTimeout: number | undefined;
  readonly shard: { index: number; of: number } | undefined;
  readonly baseline: string | undefined;
  /** Percent. */
  readonly minCoverage: number | undefined;
  /** Folder for scripts that send the requests of findings again. */
  readonly save: string | undefined;
  readonly updateBaseline: boolean;
  readonly plan: boolean;
  readonly reports: readonly ReportTo[];
  readonly ledgerDir: string;
}

/** Flags as they were given, by their names in snake case. */
export type Flags = Readonly<Record<string, unknown>>;

function readJson(file: string, what: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${what} ${file} cannot be read: ${error instanceof Error && 'code' in error ? error.code : error}`,
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} ${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function readConfig(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {};
  const config = readJson(file, 'config file');
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`config file ${file}: expected an object`);
  }
  const known = new Set<string>([...PLAIN, ...CREDENTIAL_NAMES, ...Object.keys(FACTS), 'prompts', '$schema']);
  for (const key of Object.keys(config)) {
    if (!known.has(key))
      throw new UsageError(`config file ${file}: ${key} is not known; known are ${[...known].join(', ')}`);
  }
  return config as Record<string, unknown>;
}

function readPrompts(value: unknown): Prompts {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null)
    throw new UsageError('prompts: expected an object of prompts by behaviour');
  const prompts: Prompts = {};
  for (const [name, prompt] of Object.entries(value)) {
    const behaviour = BEHAVIOURS.find((known) => known === name);
    if (behaviour === undefined)
      throw new UsageError(`prompts: ${name} is not known; known are ${BEHAVIOURS.join(', ')}`);
    if (typeof prompt !== 'string') throw new UsageError(`prompts.${name}: expected a string`);
    prompts[behaviour] = prompt;
  }
  return prompts;
}

function readKeys(file: string | undefined): PublicKey[] {
  if (file === undefined) return [];
  const value = readJson(file, 'public keys');
  const keys = Array.isArray(value) ? value : (value as { keys?: unknown }).keys;
  if (!Array.isArray(keys)) throw new UsageError(`public keys ${file}: expected a JWK set, {"keys": […]}`);
  return keys as PublicKey[];
}

function reportOf(text: string): ReportTo {
  const [kind = '', ...rest] = text.split('=');
  const known = REPORT_KINDS.find((one) => one === kind);
  if (known === undefined) throw new UsageError(`--report: ${kind} is not known; known are ${REPORT_KINDS.join(', ')}`);
  return { kind: known, file: rest.length === 0 ? undefined : rest.join('=') };
}

/** Puts together what was asked for. Throws {@link UsageError} with one line that names what is wrong. */
export function readSettings(flags: Flags, environment: Readonly<Record<string, string | undefined>>): Settings {
  const config = readConfig(typeof flags.config === 'string' ? flags.config : environment.INTERN_CONFORMANCE_CONFIG);
  const raw = (name: string): unknown =>
    flags[name] ?? (environment[`INTERN_${name.toUpperCase()}`] || undefined) ?? config[name];
  // Settings of the kit itself are no facts of a deployment: no INTERN_ variable changes them by accident.
  const own = (name: string): unknown => flags[name] ?? config[name];
  const text = (value: unknown, name: string): string | undefined => {
    if (value === undefined) return undefined;
    if (typeof value !== 'string' && typeof value !== 'number') throw new UsageError(`${name}: expected text`);
    return String(value) === '' ? undefined : String(value);
  };
  const many = (value: unknown, name: string): string[] => {
    const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
    return list
      .flatMap((entry) => (text(entry, name) ?? '').split(','))
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  };
  const number = (name: string, least: number): number | undefined => {
    const value = text(own(name), name);
    if (value === undefined) return undefined;
    const found = Number(value);
    if (!Number.isFinite(found) || found < least) {
      throw new UsageError(
        `--${name.replaceAll('_', '-')}: expected a number of at least ${least}, got ${JSON.stringify(value)}`,
      );
    }
    return found;
  };
  const whole = (name: string, least: number) => {
    const value = number(name, least);
    if (value !== undefined && !Number.isInteger(value))
      throw new UsageError(`--${name.replaceAll('_', '-')}: expected a whole number`);
    return value;
  };
  const time = (name: string): number | undefined => {
    const value = text(own(name), name);
    return value === undefined ? undefined : duration(value, `--${name.replaceAll('_', '-')}`);
  };
  const truth = (name: string): boolean => {
    const value = own(name);
    if (value !== undefined && typeof value !== 'boolean') throw new UsageError(`${name}: expected true or false`);
    return value === true;
  };

  const url = text(flags.url ?? environment.INTERN_BASE_URL ?? config.url, 'url');
  const credentials: Partial<Record<CredentialName, string>> = {};
  for (const name of CREDENTIAL_NAMES) {
    const value = text(flags[name] ?? (environment[variable(name)] || undefined) ?? config[name], name);
    if (value !== undefined) credentials[name] = value;
  }
  const facts: Partial<Record<(typeof FACTS)[Fact], string>> = {};
  for (const [name, key] of Object.entries(FACTS) as [Fact, (typeof FACTS)[Fact]][]) {
    const value = text(raw(name), name);
    if (value !== undefined) facts[key] = value;
  }
  const { workspaceId, ...others } = facts;

  const named = text(own('profile'), 'profile');
  let profile: Profile | undefined;
  if (named !== undefined) {
    try {
      profile = SHIPPED[named] ?? readProfile(readJson(named, 'profile'), `profile ${named}`);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  }
  const levels = many(own('level'), 'level').map((entry) => {
    const level = ({ s: 'S', stated: 'S', p: 'P', published: 'P', c: 'C', chosen: 'C' } as const)[entry.toLowerCase()];
    if (level === undefined)
      throw new UsageError(`--level: ${entry} is not known; known are stated, published, chosen`);
    return level;
  });
  const path = text(own('path'), 'path');
  const pathAt = path?.indexOf(':') ?? -1;
  if (path !== undefined && pathAt <= 0)
    throw new UsageError(`--path: expected NAME:PATH as a finding told it, got ${path}`);
  const shard = text(own('shard'), 'shard');
  const part = shard === undefined ? undefined : /^(\d+)\/(\d+)$/.exec(shard);
  if (
    shard !== undefined &&
    (part === null || part === undefined || Number(part[1]) < 1 || Number(part[1]) > Number(part[2]))
  ) {
    throw new UsageError(`--shard: expected i/n with 1 ≤ i ≤ n, got ${shard}`);
  }
  const baseline = text(own('baseline'), 'baseline');
  if (flags.update_baseline === true && baseline === undefined)
    throw new UsageError('--update-baseline: expected --baseline FILE too');
  const reports = many(own('report'), 'report').map(reportOf);
  const toOutput = reports.filter((report) => report.file === undefined && report.kind !== 'tty');
  if (toOutput.length > 1)
    throw new UsageError(
      '--report: only one of several can go to standard output; give the others a file, as in --report junit=junit.xml',
    );
  const control = own('control');
  const coverage = text(own('min_coverage'), 'min_coverage');
  const minCoverage = coverage === undefined ? undefined : Number(coverage.replace(/%$/, ''));
  if (minCoverage !== undefined && !(minCoverage >= 0 && minCoverage <= 100))
    throw new UsageError(`--min-coverage: expected a percentage such as 60%, got ${JSON.stringify(coverage)}`);

  return {
    url,
    profile,
    credentials,
    workspaceId,
    facts: others,
    prompts: readPrompts(config.prompts),
    publicKeys: readKeys(text(own('public_keys'), 'public_keys')),
    control: control !== false,
    controlToken: text(
      flags.control_token ?? environment.INTERN_CONTROL_TOKEN ?? config.control_token,
      'control_token',
    ),
    only: many(own('only'), 'only'),
    skip: many(own('skip'), 'skip'),
    levels: levels.length === 0 ? undefined : levels,
    runs: whole('runs', 1),
    seed: text(own('seed'), 'seed'),
    path: path === undefined ? undefined : { name: path.slice(0, pathAt), path: path.slice(pathAt + 1) },
    readOnly: truth('read_only'),
    slow: time('slow') ?? 0,
    rate: number('rate', 0),
    maxRequests: whole('max_requests', 1),
    maxTime: time('max_time'),
    timeout: time('timeout'),
    bootTimeout: time('boot_timeout'),
    shard: part === null || part === undefined ? undefined : { index: Number(part[1]), of: Number(part[2]) },
    baseline,
    minCoverage,
    save: text(own('save'), 'save'),
    updateBaseline: flags.update_baseline === true,
    plan: flags.plan === true,
    reports: reports.length === 0 ? [{ kind: 'tty', file: undefined }] : reports,
    ledgerDir: text(own('ledger_dir'), 'ledger_dir') ?? '.intern-conformance',
  };
}
