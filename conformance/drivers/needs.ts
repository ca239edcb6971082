import { type BehaviourName, behaviourIn, type Need, waitIn } from '../framework/needs.js';
import type { Lack } from '../framework/skip.js';
import type { Target } from '../framework/target.js';
import type { CredentialName } from '../probe/request.js';

/** The facts that decide whether a need is met. */
export interface Means {
  readonly target: Target;
  readonly control: boolean;
  /** Whether the emulator exists for this run alone. */
  readonly disposable?: boolean;
  readonly readOnly: boolean;
  /** ms that a real wait may take; undefined if a clock can be moved. */
  readonly slow: number | undefined;
  readonly daemon: boolean;
  credential(name: CredentialName): string | undefined;
  behaviour(name: BehaviourName): boolean;
}

/** Whether a fact or a thing that a need stands for is there. */
function isThere(need: Need, { target, ...means }: Means): boolean {
  switch (need) {
    case 'control':
      return means.control;
    case 'clock':
      return means.slow === undefined;
    case 'disposable':
      return means.disposable === true;
    case 'daemon':
      return means.daemon;
    case 'public_keys':
      return target.publicKeys.length > 0;
    case 'foreign_workspace':
      return target.foreignWorkspaceId !== undefined;
    case 'oauth_subject':
      return target.oauthSubject !== undefined;
    case 'peer_oauth_subject':
      return target.peerOauthSubject !== undefined;
    case 'scim_mapping':
      return target.scimMappingId !== undefined;
    case 'scim_group':
      return target.scimGroupId !== undefined;
    case 'scim_sync':
      return target.scimSync === 'yes';
    case 'regional_host':
      return target.regionalHost !== undefined;
    default: {
      const behaviour = behaviourIn(need);
      if (behaviour !== undefined) return means.behaviour(behaviour);
      const wait = waitIn(need);
      if (wait !== undefined) return means.slow === undefined || wait <= means.slow;
      return means.credential(need as CredentialName) !== undefined;
    }
  }
}

/** Undefined if the means meet the need, else what is missing. */
export function lacks(need: Need, means: Means): Lack | undefined {
  const lack = { kind: 'lacks', need } as const;
  const writes = need === 'write' || need === 'running' || (need === 'own_key' && means.control);
  if (writes) return means.readOnly ? { ...lack, how: 'read-only' } : undefined;
  if (!isThere(need, means)) return lack;
  return need === 'own_key' && means.target.ownInternId === undefined ? { ...lack, how: 'intern-id' } : undefined;
}
