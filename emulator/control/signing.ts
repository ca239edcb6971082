import type { JwkSet, PublicJwk } from '../contract/signing.js';
import type { ForgeBody, ForgeList, Forgery } from '../contract/signing-lab.js';
import { type ExplainBody, type Explanation, explainBodySchema, forgeBodySchema } from '../contract/signing-lab.js';
import { json } from '../http/response.js';
import { ControlError } from './error.js';
import { type ControlRow, controlRow } from './router.js';

export interface LabParts {
  keys(): PublicJwk[];
  /** Throws a TypeError for headers that no request can carry. */
  explain(body: ExplainBody): Explanation;
  /** Throws an error with `field` for what cannot be forged. */
  forge(body: ForgeBody): Forgery;
  defects(): ForgeList;
}

/** Turns what the lab cannot work with into a 400 that names its place. */
function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError) throw new ControlError(400, `headers: ${error.message}`);
    if (error instanceof Error && 'field' in error) throw new ControlError(400, `${error.field}: ${error.message}`);
    throw error;
  }
}

/** The signing lab: the service's keys, and tools for authors of signing clients and verifiers. */
export function signingLab(parts: LabParts): ControlRow[] {
  return [
    controlRow('GET /keys', {
      does: 'Lists the public keys that proofs are signed with, as a JWK set',
      handle: () => json({ keys: parts.keys() } satisfies JwkSet),
    }),
    controlRow('POST /signing/explain', {
      does: 'Explains what a daemon would answer to a signed request, down to the first differing byte',
      body: explainBodySchema,
      async handle(call) {
        const body = await call.body();
        return json(attempt(() => parts.explain(body)));
      },
    }),
    controlRow('GET /signing/forge', {
      does: 'Lists the defects that a proof can be forged with',
      handle: () => json(parts.defects()),
    }),
    controlRow('POST /signing/forge', {
      does: 'Forges a proof with one defect, beside its valid twin',
      body: forgeBodySchema,
      async handle(call) {
        const body = await call.body();
        return json(attempt(() => parts.forge(body)));
      },
    }),
  ];
}
