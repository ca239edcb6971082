import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import { Refusal } from '../contract/errors.js';
import { type Profile, proofAsHeaders, proofHeaders } from '../contract/profile.js';
import { type SignBody, signBodySchema } from '../contract/signing.js';
import type { Proof, Signer } from '../signing/signer.js';
import { checked } from './checked.js';
import { json } from './response.js';
import { type Route, route } from './route.js';

export interface SignDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly signer: Signer;
  /** The chat turn limiter. Throws the 429 (SIGN-8); the result takes the count back. */
  readonly limiter: { take(callerId: string): () => void };
  readonly profile: Profile;
}

/**
 * `POST /interns/{id}/daemon/sign` (SIGN-1 to SIGN-8, SIGN-10). The pipeline does the rest: the caller's 401, 404 and
 * 403, size, media type, and the deadline of the whole operation, reading the body included (SIGN-9).
 */
export function signRoute(deps: SignDeps): Route {
  const schema = signBodySchema(deps.profile.route_methods);
  const names = proofHeaders(deps.profile);
  return route<SignBody>({
    operation: 'sign',
    method: 'POST',
    path: '/interns/:id/daemon/sign',
    credential: 'oauth_vault',
    timeout: 'signing_timeout',
    heavy: true,
    body: { read: true, json: 'required', invalid: 'invalid_body' },
    parse(parts) {
      return checked(schema, parts.json());
    },
    handle({ caller, intern, input }) {
      const user = caller.subject;
      if (user === undefined) throw new Refusal('personal_identity_required');
      const giveBack = deps.limiter.take(caller.id);
      let proof: Proof;
      try {
        proof = deps.signer.sign({
          internId: intern.id,
          timestamp: Math.floor(deps.clock.now() / 1_000),
          user,
          bodySha256: input.bodySha256,
          route: input.route && {
            method: input.route.method,
            path: input.route.path,
            nonce: deps.random.bytes(16).toString('base64url'),
          },
        });
      } catch (error) {
        giveBack();
        throw error;
      }
      return json(proofAsHeaders(names, proof), 200, { 'cache-control': 'no-store' });
    },
  });
}

/** The deprecated alias of {@link signRoute} (SIGN-11). */
export function signAliasRoute(deps: SignDeps): Route {
  const successor = signRoute(deps);
  return { ...successor, path: '/interns/:id/daemon-access/sign', successor: successor.path };
}
