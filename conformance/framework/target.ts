import type { Profile } from '../../emulator/contract/profile.js';

/** A public key that proofs are verified with. */
export interface PublicKey {
  readonly kty: string;
  readonly crv: string;
  /** Base64url of the 32 bytes. */
  readonly x: string;
  readonly kid?: string;
}

/** What is known of the target. */
export interface Target {
  readonly kind: 'emulator' | 'live';
  /** Up to and including /api/v1, without a slash at its end. */
  readonly baseUrl: string;
  /** The address that the user knows it by, if the run has a space of its own there. */
  readonly address?: string;
  readonly profile: Profile;
  readonly workspaceId: string;
  readonly foreignWorkspaceId?: string;
  readonly oauthSubject?: string;
  readonly peerOauthSubject?: string;
  readonly scimMappingId?: string;
  /** A SCIM group that the run may map to its workspace, and whose mappings it may delete. */
  readonly scimGroupId?: string;
  /** `yes`: the run may start a sync of the directory, which cannot be taken back. */
  readonly scimSync?: string;
  readonly publicKeys: readonly PublicKey[];
  /** Intern that the `own_key` credential belongs to. */
  readonly ownInternId?: string;
  readonly regionalHost?: string;
  readonly daemonOrigin?: string;
}

/** What a deployment does not tell of itself. */
export type Facts = Partial<
  Pick<
    Target,
    | 'foreignWorkspaceId'
    | 'oauthSubject'
    | 'peerOauthSubject'
    | 'scimMappingId'
    | 'scimGroupId'
    | 'scimSync'
    | 'ownInternId'
    | 'regionalHost'
  >
>;

/** The clock of a target that can be moved. */
export interface TargetClock {
  /** ms since the epoch, as the target has it. */
  now(): Promise<number>;
  /** Resolves once all effects have settled. */
  advance(ms: number): Promise<void>;
}
