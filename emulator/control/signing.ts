import type { JwkSet, PublicJwk } from '../contract/signing.js';
import type { ForgeBody, ForgeList, Forgery } from '../contract/signing-lab.js';
import { type ExplainBody, type Explanation, explainBodySchema, forgeBodySchema } from '../contract/signing-lab.js';
import { json } from '../http/response.js';
import { ControlError, type ControlRow } from './router.js';

export interface LabParts {
  keys(): PublicJwk[];
  /** Throws a TypeError for headers that no request can carry. */
  explain(body: ExplainBody): Explanation;
  /** Throws an error with `field` for what can't be forged. */
  forge(body: ForgeBody): Forgery;
  defects(): ForgeList;
}

/** Turns what the lab can't work with into a 400 that says where it was. */
function attempt<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError) throw new ControlError(400, `headers: ${error.message}`);
    if (error instanceof Error && 'field' in error) throw new ControlError(400, `${error.field}: ${error.message}`);
    throw error;
  }
}

/** The signing lab: the service's keys, and tools for whoever writes a signing client or a verifier. */
export function signingLab(parts: LabParts): ControlRow[] {
  return [
    { method: 'GET', path: '/keys', handle: () => json({ keys: parts.keys() } satisfies JwkSet) },
    {
      method: 'POST',
      path: '/signing/explain',
      async handle(call) {
        const body = await call.body(explainBodySchema);
        return json(attempt(() => parts.explain(body)));
      },
    },
    { method: 'GET', path: '/signing/forge', handle: () => json(parts.defects()) },
    {
      method: 'POST',
      path: '/signing/forge',
      async handle(call) {
        const body = await call.body(forgeBodySchema);
        return json(attempt(() => parts.forge(body)));
      },
    },
  ];
}
