import { createHash } from 'node:crypto';
import nacl from 'tweetnacl';
import type { ProofField } from '../../emulator/contract/profile.js';
import type { PublicKey } from '../drivers/driver.js';
import { equal, fail, hasKeys, isObject, match, ok } from '../framework/assert.js';
import type { Ctx } from '../framework/context.js';
import type { Answer } from '../probe/client.js';

/** Base64 of 64 bytes, standard alphabet, padded. */
export const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

/** Lower-case hexadecimal SHA-256. */
export const sha256 = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex');

/** A proof as signing answers it. */
export interface Proof {
  readonly signature: string;
  readonly timestamp: string;
  readonly user: string;
  readonly signatureV2?: string;
  readonly nonce?: string;
}

/** What a proof is for. */
export interface ProofSubject {
  readonly internId: string;
  readonly bodySha256: string;
  readonly route?: { readonly method: string; readonly path: string };
}

/** Reads the answer of signing; exactly the headers that belong to a request with or without a route (SIGN-1). */
export function proofOf(ctx: Pick<Ctx, 'proof'>, answer: Answer, routed: boolean, what: string): Proof {
  const { proof: names } = ctx;
  if (answer.status !== 200) fail(`status of ${what}`, 200, `${answer.status} ${answer.text.slice(0, 200)}`);
  const always = [names.signature, names.timestamp, names.user];
  isObject(answer.json, `body of ${what}`);
  hasKeys(answer.json, routed ? [...always, names.signatureV2, names.nonce] : always, `body of ${what}`);
  const value = (key: string): string => {
    const found = (answer.json as Record<string, unknown>)[key];
    if (typeof found !== 'string' || found === '') return fail(`${key} of ${what}`, 'a string', found);
    return found;
  };
  match(value(names.signature), SIGNATURE, `${names.signature} of ${what}`);
  match(value(names.timestamp), /^[1-9]\d{8,10}$/, `${names.timestamp} of ${what}, in Unix seconds`);
  if (routed) match(value(names.signatureV2), SIGNATURE, `${names.signatureV2} of ${what}`);
  return {
    signature: value(names.signature),
    timestamp: value(names.timestamp),
    user: value(names.user),
    ...(routed ? { signatureV2: value(names.signatureV2), nonce: value(names.nonce) } : {}),
  };
}

const verifies = (keys: readonly PublicKey[], bytes: Uint8Array, signature: string): boolean =>
  keys.some((key) =>
    nacl.sign.detached.verify(
      bytes,
      Uint8Array.from(Buffer.from(signature, 'base64')),
      Uint8Array.from(Buffer.from(key.x, 'base64url')),
    ),
  );

/** The bytes that a signature is made over, from the layout of the profile. */
export function signedBytes(
  layout: { readonly separator: string },
  fields: readonly ProofField[],
  proof: Proof,
  subject: ProofSubject,
): Uint8Array {
  const values: Record<ProofField, string> = {
    intern_id: subject.internId,
    timestamp: proof.timestamp,
    nonce: proof.nonce ?? '',
    user: proof.user,
    method: subject.route?.method ?? '',
    path: subject.route?.path ?? '',
    body_sha256: subject.bodySha256,
  };
  return new TextEncoder().encode(fields.map((field) => values[field]).join(layout.separator));
}

/** Both signatures hold over what they were asked for, by one of the public keys of the target. */
export function holds(
  ctx: Pick<Ctx, 'profile' | 'target'>,
  proof: Proof,
  subject: ProofSubject,
  what = 'the proof',
): void {
  const { proof_layout: layout } = ctx.profile;
  const { publicKeys } = ctx.target;
  const v1 = signedBytes(layout, layout.v1, proof, subject);
  const verified = 'verifies over the fields as the profile lays them out (another layout: --profile FILE)';
  ok(verifies(publicKeys, v1, proof.signature), `v1 signature of ${what}`, verified, new TextDecoder().decode(v1));
  equal(proof.signatureV2 !== undefined, subject.route !== undefined, `whether ${what} has a v2 signature`);
  if (proof.signatureV2 === undefined) return;
  const v2 = signedBytes(layout, layout.v2, proof, subject);
  ok(verifies(publicKeys, v2, proof.signatureV2), `v2 signature of ${what}`, verified, new TextDecoder().decode(v2));
}

/** The headers that a daemon request carries for a proof. */
export function proofHeaders(ctx: Pick<Ctx, 'proof'>, proof: Proof): Record<string, string> {
  const { proof: names } = ctx;
  return {
    [names.signature]: proof.signature,
    [names.timestamp]: proof.timestamp,
    [names.user]: proof.user,
    ...(proof.signatureV2 === undefined ? {} : { [names.signatureV2]: proof.signatureV2 }),
    ...(proof.nonce === undefined ? {} : { [names.nonce]: proof.nonce }),
  };
}
