import type { CredentialName } from '../probe/request.js';

/** Behaviours that a prompt can ask for: by a shipped script on an emulator, by words on a live target. */
export const BEHAVIOURS = [
  'echo',
  'ask-permission',
  'ask-permission-twice',
  'ask-question',
  'ask-then-silent',
  'ask-twice',
  'says-nothing',
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
] as const;
export type BehaviourName = (typeof BEHAVIOURS)[number];

/**
 * The needs of a check. Missing ones make it a skip that names them. `api_key` is always there.
 *
 * - a credential by its name; `own_key`: an intern's own API key
 * - `write`: leave to create interns in the run's own name prefix
 * - `running`: an intern can be brought to run (implies `write`)
 * - `control`: the control interface of an emulator (scripts of one's own, faults, limits, runs)
 * - `clock`: time can be moved at will
 * - `disposable`: the emulator is the run's own, so that it may be reset
 * - `slow:35s`: this much waiting, by moving the clock, or for real within `--slow`
 * - `behaviour:ask-permission`: an intern can be led to do that
 * - `daemon`: a daemon that verifies proofs can be reached; `public_keys`: proofs can be verified by the kit
 * - further facts of a target
 */
export type Need =
  | Exclude<CredentialName, 'api_key'>
  | 'write'
  | 'running'
  | 'control'
  | 'clock'
  | 'disposable'
  | `slow:${number}s`
  | `behaviour:${BehaviourName}`
  | 'daemon'
  | 'public_keys'
  | 'foreign_workspace'
  | 'oauth_subject'
  | 'peer_oauth_subject'
  | 'scim_mapping'
  | 'scim_group'
  | 'scim_sync'
  | 'regional_host';

/** Needs that only an emulator meets: the check makes it fail on purpose, or moves its clock. */
export const ONLY_EMULATORS: ReadonlySet<Need> = new Set(['control', 'clock', 'disposable']);

/** The behaviour that a need names. */
export const behaviourIn = (need: Need): BehaviourName | undefined =>
  need.startsWith('behaviour:') ? (need.slice('behaviour:'.length) as BehaviourName) : undefined;

/** ms of waiting that a need names. */
export const waitIn = (need: Need): number | undefined =>
  need.startsWith('slow:') ? Number(need.slice('slow:'.length, -1)) * 1_000 : undefined;

/** The variable that a credential comes from. */
export const variable = (name: CredentialName): string => `INTERN_${name.toUpperCase()}`;
