import { FACTS as TARGET_FACTS } from '../model/target.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { REPORT_KINDS } from '../report/index.js';
import { type FlagTable, grouped, list, MOST_USED, text, toggle } from './arguments.js';

/** Facts that a deployment does not tell by itself: their options, and their names in the kit. */
export const FACTS = { workspace_id: 'workspaceId', ...TARGET_FACTS } as const;
type TargetFact = keyof typeof FACTS;

const dashed = (name: string) => name.replaceAll('_', '-');

/** The help on credentials and facts. */
const GIVEN: Readonly<Record<CredentialName | TargetFact, string>> = {
  api_key: 'API key that the kit works with',
  peer_api_key: 'API key of another caller of that workspace',
  foreign_api_key: 'API key of a caller of another workspace',
  outsider_api_key: 'API key of a caller outside the programme',
  management_key: 'key for SCIM',
  oauth_token: 'OAuth token with vault:read, of the same person as the API key',
  oauth_interns_only_token: 'OAuth token without vault:read',
  peer_oauth_token: 'OAuth token with vault:read of the other caller',
  own_key: "an intern's own API key",
  workspace_id: 'workspace to create interns in',
  foreign_workspace_id: 'another workspace',
  oauth_subject: 'user that proofs name',
  peer_oauth_subject: 'user of the other caller that proofs name',
  scim_mapping_id: 'an existing SCIM group mapping',
  scim_group_id: 'an empty SCIM group without mappings: the run maps it to the workspace, and deletes its mappings',
  scim_sync: 'yes: the run may start a sync of the directory',
  own_intern_id: 'intern that the own key belongs to',
  regional_host: 'hostname that is refused as regional',
};

const report = list(`${REPORT_KINDS.join(', ')}, each with =FILE or to standard output; may be repeated`);
const GROUP = 'Credentials and facts:';
const names = [...CREDENTIAL_NAMES, ...(Object.keys(FACTS) as TargetFact[])];

/** Flags of every run. `units` is the word for its units. */
const engineFlags = (units: string, more = ''): FlagTable => ({
  only: list(`ids of ${units}${more}, * for anything; may be repeated`),
  skip: list(`ids of ${units}${more} to leave out`),
  shard: text('i/n: the i-th of n parts'),
  'max-time': text('take no longer than this, such as 10m'),
  'max-requests': text('send no more requests than this'),
  'min-coverage': text(`percent of the ${units} that must come to a verdict, else exit 3`),
  baseline: text(`file of ${units} that are known to fail; entries that no longer fail do fail the run`),
  'update-baseline': toggle('write what fails now into --baseline'),
  plan: toggle('say what would be sent, written and skipped, and send nothing'),
  report,
});

/**
 * Flags of every command that sends to a target. Kept as text, so that one place validates them, wherever they come
 * from.
 */
const TARGET_FLAGS: FlagTable = {
  ...Object.fromEntries(
    names.map((name) => [dashed(name), text(`${GIVEN[name]}; INTERN_${name.toUpperCase()}`, { group: GROUP })]),
  ),
  'public-keys': text('JWK set that proofs are verified with', { group: GROUP }),
  'control-token': text("token of an emulator's control interface", { group: GROUP }),
  config: text('JSON file with any of these settings, in snake_case, and prompts'),
  profile: text('svc, openrouter, or a profile file'),
  'read-only': toggle('create, change and delete nothing'),
  rate: text('requests per second, 0 for no limit (5 without a control interface)'),
  timeout: text('longest wait for an answer (10s; at a deployment at least 40s after a write or a prompt)'),
  'boot-timeout': text('longest wait for an intern to run (120s)'),
  'fail-on': text('warn: what is only published fails the run too (fail: what the interface states alone)'),
  control: toggle("use an emulator's control interface if there is one (--no-control: treat it as a deployment)"),
  'ledger-dir': text('where ledgers of created interns are kept (.intern-conformance)'),
};

/** The groups in which the help shows the flags of runs. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  [MOST_USED]: [
    'api-key',
    'workspace-id',
    'budget',
    'only',
    'read-only',
    'plan',
    'report',
    'baseline',
    'update-baseline',
    'max-time',
  ],
  'What is checked:': ['skip', 'level', 'requirements', 'shard', 'runs', 'slow', 'seed', 'path', 'control'],
  'What decides the exit status:': ['fail-on', 'min-coverage'],
  'How much, how fast:': ['max-prompts', 'max-requests', 'rate', 'concurrency', 'timeout', 'boot-timeout'],
  'Files:': ['config', 'profile', 'save', 'ledger-dir'],
};

export const RUN_FLAGS: FlagTable = grouped(
  {
    ...TARGET_FLAGS,
    ...engineFlags('checks', ' or requirements'),
    budget: text(
      'the limits that are not given: quick (20 prompts, 30s), default (150 prompts, 5m, 3000 requests) or thorough (none); none with a control interface',
    ),
    'max-prompts': text('have no more prompts taken than this, refused ones not counted'),
    requirements: text('a published set of checks, such as 2026-11: checks that came later do not fail the run'),
    level: list('stated, published, chosen'),
    runs: text('runs of each property (100 with a control interface, 1 without, 20 with --budget thorough)'),
    seed: text('seed of everything generated'),
    path: text('NAME:PATH of a counterexample, as a finding gives it'),
    slow: text('longest real wait, such as 90s or 6m (65s by default, 310s with --budget thorough, none with quick)'),
    concurrency: text('checks at a time (4; always 1 with a control interface, whose clock they share)'),
    save: text('folder for a script per finding that sends its requests again'),
  },
  GROUPS,
);

/** Flags of a comparison with recordings. */
export const DRIFT_FLAGS: FlagTable = { ...TARGET_FLAGS, ...engineFlags('scenarios') };

export const JUDGE_FLAGS: FlagTable = {
  listen: text('port of this machine to listen on, 0 for any: stands between clients and --to, and judges what passes'),
  to: text('base address of the deployment that --listen passes everything on to, ending in /api/v1'),
  'max-time': text('listen no longer than this, such as 8h'),
  'workspace-id': text('workspace of the credentials that are seen (default: the one that they are seen in)'),
  profile: text('svc, openrouter, or a profile file'),
  'public-keys': text('JWK set that proofs are verified with'),
  only: list('ids of rules or requirements, * for anything; may be repeated'),
  skip: list('ids of rules or requirements to leave out'),
  'fail-on': text(
    'warn: what is only published fails too; once: so does what one exchange alone showed (fail: what the interface states)',
  ),
  baseline: text('file of rules that are known to be broken; entries that no longer are fail the run'),
  report,
};

const ofRun = (...chosen: readonly string[]): FlagTable =>
  Object.fromEntries(Object.entries(RUN_FLAGS).filter(([name]) => chosen.includes(name)));

/** Flags of the clean-up after a run. */
export const CLEANUP_FLAGS: FlagTable = {
  ...ofRun(...CREDENTIAL_NAMES.map(dashed), 'workspace-id', 'control', 'control-token', 'config', 'profile'),
  ...ofRun('rate', 'timeout', 'max-time', 'ledger-dir'),
  url: text(
    'address of the run, or another one; without it, no credential is sent to an address that the ledger alone names',
  ),
};

/** Flags of a run of client cases. */
export const CLIENT_FLAGS: FlagTable = {
  ...engineFlags('cases'),
  cuts: text('few (default), all or none: where bodies are cut'),
  seed: text('seed of the random cuts'),
  show: text(
    'show each case as it ends on the Lab page of the emulator at this address, such as http://127.0.0.1:4683',
  ),
};

export const REPORT_FLAGS: FlagTable = { report };

/** Flags of `replay`: facts of the target, and limits. */
export const REPLAY_FLAGS: FlagTable = {
  ...TARGET_FLAGS,
  ...ofRun('slow', 'concurrency', 'max-prompts', 'max-time', 'max-requests'),
};
