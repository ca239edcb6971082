import { createSigner, type Signer } from '../signing/signer.js';
import { createDaemon, type Daemon, type DaemonDeps } from './daemon.js';
import type { ForgeDeps } from './forge.js';
import { createIssued } from './issued.js';
import type { SigningLabDeps } from './lab.js';
import { createTokens } from './tokens.js';

export interface ProofsDeps
  extends Omit<DaemonDeps, 'publicKey' | 'issued' | 'findIntern'>,
    Omit<ForgeDeps, 'issued' | 'delay'> {}

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
