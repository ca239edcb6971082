import type { Profile } from '../../emulator/contract/profile.js';
import type { BehaviourName, Need } from '../framework/needs.js';
import type { Lack } from '../framework/skip.js';
import type { Fetch } from '../probe/client.js';
import type { PlainFetch } from '../probe/outgoing.js';
import type { CredentialName } from '../probe/request.js';
import type { Control } from './control.js';

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

/** What a target can do, and how to make it. */
export interface Driver {
  readonly target: Target;
  readonly fetch: Fetch;
  /** The same at less cost, for what the target accepts without a `Request`. */
  readonly plainFetch?: PlainFetch;
  /** Whether there is a network in between; without one a Host header must be in the URL too. */
  readonly remote: boolean;
  /** Sends to the emulated daemon. Same as `fetch` over a network. */
  readonly daemonFetch: Fetch;
  readonly control?: Control;
  readonly clock?: TargetClock;
  /** ms of real time that one wait may take if no clock can be moved. */
  readonly slow: number;
  credential(name: CredentialName): string | undefined;
  /** Undefined if the need is met, else what is missing. */
  lacks(need: Need): Lack | undefined;
  /** A prompt that makes an intern behave so; `text` is what it says beside that. */
  prompt(behaviour: BehaviourName, text?: string): string;
  /** Lets what is already on its way arrive. */
  settle(): Promise<void>;
  /** Before the first check: lifts the limiter. */
  begin(): Promise<void>;
  /** After each check: restores limits, faults and scripts. */
  restore(): Promise<void>;
  /** After the last: restores everything and disposes. */
  end(): Promise<void>;
}
