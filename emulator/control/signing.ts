import { explainBodySchema, forgeBodySchema } from '../contract/signing-lab.js';
import type { SigningLab } from '../daemon/lab.js';
import { json } from '../http/response.js';
import { ControlError } from './error.js';
import { type ControlRow, controlRow } from './router.js';

/** Turns an error of the lab about its input into a 400 that names the wrong field. */
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
export function signingLab(lab: SigningLab): ControlRow[] {
  return [
    controlRow('GET /keys', {
      does: 'Lists the public keys that proofs are signed with, as a JWK set',
      handle: () => json({ keys: lab.keys() }),
    }),
    controlRow('POST /signing/explain', {
      does: 'Explains what a daemon would answer to a signed request, down to the first differing byte',
      body: explainBodySchema,
      async handle(call) {
        const body = await call.body();
        return json(attempt(() => lab.explain(body)));
      },
    }),
    controlRow('GET /signing/forge', {
      does: 'Lists the defects that a proof can be forged with',
      handle: () => json(lab.defects()),
    }),
    controlRow('POST /signing/forge', {
      does: 'Forges a proof with one defect, beside its valid twin',
      body: forgeBodySchema,
      async handle(call) {
        const body = await call.body();
        return json(attempt(() => lab.forge(body)));
      },
    }),
  ];
}
