import { behaviourIn, type Need, variable, waitIn } from '../../framework/needs.js';
import type { Lack } from '../../framework/skip.js';
import type { CredentialName } from '../../probe/request.js';

/** The flag of a setting. */
export const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

/** The words for a fact that is not known of a target. */
export const FACTS: { readonly [Name in Need]?: string } = {
  daemon: 'daemons are tried at an emulator alone: what a real one does with a request is nowhere stated',
  public_keys: 'no public key is known that proofs could be verified with',
  foreign_workspace: 'no workspace of others is known',
  oauth_subject: 'the subject of the OAuth token is not known',
  peer_oauth_subject: 'the subject of the peer OAuth token is not known',
  scim_mapping: 'no SCIM mapping is known',
  scim_group: 'no SCIM group is named that the run may map',
  scim_sync: 'a sync of the directory changes what others have; allow it with --scim-sync yes',
  regional_host: 'no regional hostname is known',
};

/** The words for a need that is no credential, prompt or wait. */
const LACKING: { readonly [Name in Need]?: string } = {
  ...FACTS,
  write: 'the run is read-only',
  running: 'the run is read-only',
  control: 'the target has no control interface',
  clock: 'the clock of the target cannot be moved',
  disposable: 'the emulator is not only for this run: a reset takes everything away',
};

/** Why a need is not met, and how it would be. */
export function lackText({ need, how }: Lack): string {
  const behaviour = behaviourIn(need);
  if (how === 'script') return `the emulator has no script ${behaviour}, and refuses that of the kit`;
  if (behaviour !== undefined) return `no prompt is configured that leads an intern to ${behaviour}`;
  const wait = waitIn(need);
  if (wait !== undefined) return `it waits ${wait / 1000} s for real; allow that with --slow ${wait / 1000}s`;
  if (how === 'read-only') return 'the run is read-only';
  if (how === 'intern-id') return 'the id of the intern that the own key belongs to is not given';
  return LACKING[need] ?? `${flagOf(need)} or ${variable(need as CredentialName)} is not given`;
}
