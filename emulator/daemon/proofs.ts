import type { Clock } from '../clock/clock.js';
import type { FairQueue } from '../clock/fair-queue.js';
import type { Random } from '../clock/random.js';
import type { Profile } from '../contract/profile.js';
import type { InternRow } from '../contract/state.js';
import type { SigningKey } from '../signing/keys.js';
import { createSigner, type Signer } from '../signing/signer.js';
import { createDaemon, type Daemon, type DaemonDeps } from './daemon.js';
import { createIssued } from './issued.js';
import type { SigningLabDeps } from './lab.js';
import type { KeptNonces } from './nonces.js';
import { createTokens, type InternRows } from './tokens.js';

export interface ProofsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly heavyWork: FairQueue;
  readonly random: Pick<Random, 'bytes' | 'uuid'>;
  readonly profile: Profile;
  readonly signingKey: SigningKey;
  readonly interns: InternRows;
  /** The known OAuth subjects. */
  subjects(): Iterable<string>;
  settings(): { readonly proof_window: number };
  daemonOrigin(): string;
  readonly requireV2?: boolean | undefined;
  /** Where used nonces outlive the process; by default they are held in memory. */
  readonly kept?: KeptNonces | undefined;
  readonly lifecyclePlan?: (intern: InternRow) => { readonly daemon: 'reachable' | 'unreachable' };
  readonly requestId: DaemonDeps['requestId'];
  readonly onRequest?: DaemonDeps['onRequest'];
  readonly log?: ((record: { event: string; [detail: string]: unknown }) => void) | undefined;
}

/** Both ends of a proof, and what the signing lab between them works with. */
export interface Proofs {
  readonly signer: Signer;
  readonly daemon: Daemon;
  readonly lab: SigningLabDeps;
}

/** Puts signer and daemon together around one key and one memory of issued signatures. */
export function createProofs(deps: ProofsDeps): Proofs {
  const { profile, signingKey, interns } = deps;
  const issued = createIssued();
  const signer = createSigner(signingKey, profile.proof_layout, issued.add);
  const findIntern = createTokens(interns, deps.random.bytes(32));
  const daemon = createDaemon({ ...deps, publicKey: () => signingKey.publicKey, issued, findIntern });
  return { signer, daemon, lab: { ...deps, issued, findIntern, nonces: daemon.nonces } };
}
