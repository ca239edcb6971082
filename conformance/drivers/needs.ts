import type { BehaviourName, Need } from '../framework/needs.js';
import type { CredentialName } from '../probe/request.js';
import type { Target } from './driver.js';

/** What decides whether a need is met. */
export interface Means {
  readonly target: Target;
  readonly control: boolean;
  /** Whether the emulator is there for this run alone. */
  readonly disposable?: boolean;
  readonly readOnly: boolean;
  /** ms that may be waited for real; undefined where a clock can be moved. */
  readonly slow: number | undefined;
  readonly daemon: boolean;
  credential(name: CredentialName): string | undefined;
  behaviour(name: BehaviourName): boolean;
}

/** The variable that a credential comes from. */
export const variable = (name: CredentialName): string =>
  name === 'own_key' ? 'INTERN_OWN_KEY' : `INTERN_${name.toUpperCase()}`;

const flag = (name: string) => `--${name.replaceAll('_', '-')}`;

/** Undefined where the means meet the need, else what is missing and how it would be given. */
export function lacks(need: Need, means: Means): string | undefined {
  const { target } = means;
  if (need.startsWith('behaviour:')) {
    const name = need.slice('behaviour:'.length) as BehaviourName;
    return means.behaviour(name) ? undefined : `no prompt is configured that leads an intern to ${name}`;
  }
  if (need.startsWith('slow:')) {
    const ms = Number(need.slice('slow:'.length, -1)) * 1000;
    if (means.slow === undefined || ms <= means.slow) return undefined;
    return `it waits ${ms / 1000} s for real; allow that with --slow ${ms / 1000}s`;
  }
  switch (need) {
    case 'write':
    case 'running':
      return means.readOnly ? 'the run is read-only' : undefined;
    case 'control':
      return means.control ? undefined : 'the target has no control interface';
    case 'clock':
      return means.slow === undefined ? undefined : 'the clock of the target cannot be moved';
    case 'disposable':
      return means.disposable === true
        ? undefined
        : 'the emulator is not only for this run: a reset takes everything away';
    case 'own_key':
      if (means.control) return means.readOnly ? 'the run is read-only' : undefined;
      if (means.credential('own_key') === undefined) return `${flag('own_key')} or ${variable('own_key')} is not given`;
      return target.ownInternId === undefined
        ? 'the id of the intern that the own key belongs to is not given'
        : undefined;
    case 'daemon':
      return means.daemon
        ? undefined
        : 'daemons are tried at an emulator alone: what a real one does with a request is nowhere stated';
    case 'public_keys':
      return target.publicKeys.length > 0 ? undefined : 'no public key is known that proofs could be verified with';
    case 'foreign_workspace':
      return target.foreignWorkspaceId === undefined ? 'no workspace of others is known' : undefined;
    case 'oauth_subject':
      return target.oauthSubject === undefined ? 'the subject of the OAuth token is not known' : undefined;
    case 'peer_oauth_subject':
      return target.peerOauthSubject === undefined ? 'the subject of the peer OAuth token is not known' : undefined;
    case 'scim_mapping':
      return target.scimMappingId === undefined ? 'no SCIM mapping is known' : undefined;
    case 'regional_host':
      return target.regionalHost === undefined ? 'no regional hostname is known' : undefined;
    default: {
      const name = need as CredentialName;
      return means.credential(name) === undefined ? `${flag(name)} or ${variable(name)} is not given` : undefined;
    }
  }
}
