import type { ExplainBody } from '../contract/signing-lab.js';
import { explain } from './explain.js';
import { createForge, type ForgeDeps, listDefects } from './forge.js';
import type { Nonces } from './nonces.js';
import type { FindIntern } from './tokens.js';

export interface SigningLabDeps extends ForgeDeps {
  readonly requireV2?: boolean | undefined;
  readonly nonces: Nonces;
  readonly findIntern: FindIntern;
}

/** The tools of the signing lab. */
export function createSigningLab(deps: SigningLabDeps) {
  const { profile, signingKey, issued, nonces, requireV2, findIntern } = deps;
  return {
    keys: () => [signingKey.jwk],
    /** Throws a TypeError for headers that no request can carry. */
    explain: (body: ExplainBody) =>
      explain(
        {
          profile,
          publicKey: signingKey.publicKey,
          issued,
          nonces,
          now: deps.clock.now,
          window: deps.settings().proof_window,
          requireV2,
          internOfToken: (token) => findIntern(token)?.id,
          internIds: [...deps.interns.values()].map((row) => row.id),
          users: deps.subjects(),
        },
        body,
      ),
    /** Throws an error for an impossible forgery. Its `field` names the wrong field of the request. */
    forge: createForge(deps),
    defects: listDefects,
  };
}

export type SigningLab = ReturnType<typeof createSigningLab>;
