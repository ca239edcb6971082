import { problem, UsageError, words } from '../../emulator/contract/problem.js';
import {
  PROFILES,
  type Profile,
  type ProofHeaders,
  profileSchema,
  shippedProfile,
} from '../../emulator/contract/profile.js';
import { isRecord } from '../../emulator/contract/record.js';
import type { CredentialName } from '../probe/request.js';

/** A public key that proofs are verified with. */
export interface PublicKey {
  readonly kty: string;
  readonly crv: string;
  /** Base64url of the 32 bytes. */
  readonly x: string;
  readonly kid?: string;
}

/** Facts that a deployment does not show: the option that gives each, and its name here. */
export const FACTS = {
  foreign_workspace_id: 'foreignWorkspaceId',
  oauth_subject: 'oauthSubject',
  peer_oauth_subject: 'peerOauthSubject',
  scim_mapping_id: 'scimMappingId',
  /** A SCIM group that the run may map to its workspace, and whose mappings it may delete. */
  scim_group_id: 'scimGroupId',
  /** `yes`: the run may start a sync of the directory, which cannot be taken back. */
  scim_sync: 'scimSync',
  /** Intern that the `own_key` credential belongs to. */
  own_intern_id: 'ownInternId',
  regional_host: 'regionalHost',
} as const;
export type Facts = Readonly<Partial<Record<(typeof FACTS)[keyof typeof FACTS], string>>>;

/** The facts known of the target. */
export interface Target extends Facts {
  readonly kind: 'emulator' | 'live';
  /** Up to and including /api/v1, without a slash at its end. */
  readonly baseUrl: string;
  /** The address that the user gave, if the run has a space of its own there. */
  readonly address?: string;
  readonly profile: Profile;
  readonly workspaceId: string;
  readonly publicKeys: readonly PublicKey[];
  readonly daemonOrigin?: string;
}

const HEADERS = ['proof_header_prefix', 'idempotency_header'] as const;

/** The profile with the names of headers in lower case. */
function withLowerHeaders(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const lower = HEADERS.flatMap((key) => (typeof value[key] === 'string' ? [[key, value[key].toLowerCase()]] : []));
  return { ...value, ...Object.fromEntries(lower) };
}

/** Reads a profile, which may have unknown keys. @throws UsageError in one line that names the wrong key */
export function readProfile(value: unknown, from: string): Profile {
  const schema = profileSchema();
  const known = schema.extend({ proof_layout: schema.shape.proof_layout.strip() }).strip();
  const { data, error } = known.safeParse(withLowerHeaders(value), { error: words });
  if (error !== undefined) throw new UsageError(`${from}: ${problem(error, 'the whole')}`);
  return data;
}

/** A profile, or the shipped one of a name. @throws UsageError in one line for an unknown name */
export function profileBy(given: Profile | string = 'svc'): Profile {
  const found = typeof given === 'string' ? shippedProfile(given) : given;
  if (found !== undefined) return found;
  throw new UsageError(`profile: expected ${Object.keys(PROFILES).join(' or ')}, got ${JSON.stringify(given)}`);
}

/** The header of idempotency keys unless a profile names another: the published one (CREATE-4). */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

export const idempotencyHeaderOf = (profile: Profile): string => profile.idempotency_header ?? IDEMPOTENCY_HEADER;

export function proofHeadersOf(profile: Profile): ProofHeaders {
  const prefix = profile.proof_header_prefix;
  return {
    signature: `${prefix}-signature`,
    timestamp: `${prefix}-timestamp`,
    user: `${prefix}-user`,
    signatureV2: `${prefix}-signature-v2`,
    nonce: `${prefix}-nonce`,
  };
}

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
