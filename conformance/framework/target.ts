import type { Profile } from '../../emulator/contract/profile.js';

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
