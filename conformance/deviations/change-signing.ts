import type { Signer } from '../../emulator/signing/signer.js';
import type { Alterations } from './alterations.js';
import { acts, errors, operationOf } from './change.js';
import type { Json } from './change-lifecycle.js';

export type SignRequest = Parameters<Signer['sign']>[0];

export type Proof = ReturnType<Signer['sign']>;

/** Changes how proofs are made. */
export const signs = (change: (sign: Signer['sign'], request: SignRequest) => Proof): Alterations => ({
  proofs: (usual) => ({
    ...usual,
    signer: { ...usual.signer, sign: (request) => change((one) => usual.signer.sign(one), request) },
  }),
});

/** The rows of one path: a deprecated alias, say. */
export const aliasOf = (path: string) => (row: { path: string }) => row.path === path;

/** Changes refusals of one status of an operation. */
export const refusalsOf = (operation: string, status: number, change: (error: Json) => Json): Alterations =>
  errors((seen) =>
    seen.status === status && operationOf(seen.resource, seen.request.method) === operation
      ? { error: change(seen.error as Json) }
      : undefined,
  );

/** Leaves a header of successful answers out. */
export const withoutHeader = (of: Parameters<typeof acts>[0], name: string): Alterations =>
  acts(of, (answer) => {
    const { [name]: _, ...headers } = answer.headers;
    return { ...answer, headers };
  });
