import { type ProofField, shippedProfile } from '../../../emulator/contract/profile.js';
import { equal, fail, form, gist, hasKeys, isObject, match } from '../../model/assert.js';
import type { Answer } from '../../probe/client.js';
import {
  headersIn,
  type Proof,
  type ProofSubject,
  SIGNATURE,
  sha256,
  signaturesOf,
  signedBytes,
  verifies,
} from '../../rules/proofs.js';
import type { Ctx } from '../../run/context.js';
import * as expect from '../../run/expect.js';

/** Describes a text that is not such Base64. The text itself is secret, and reports leave it out. */
function encoding(text: string): Record<string, unknown> {
  const odd = text.replace(/[A-Za-z0-9+/=_-]/g, '');
  return {
    characters: text.length,
    base64url: /[-_]/.test(text),
    padding: /=$/.test(text),
    ...(odd === '' ? {} : { others: odd.slice(0, 20) }),
  };
}

/** Checks that a proof's signature is Base64. A finding describes any other text without showing it. */
function isSignature(text: string, what: string): void {
  if (!SIGNATURE.test(text)) fail(what, SIGNATURE.words, encoding(text));
}

const UNIX_SECONDS = form(/^[1-9]\d{8,10}$/, 'Unix seconds');

/** Reads the answer of signing; of the stated headers exactly those that belong to a request with or without a route (SIGN-1). */
export function proofOf(ctx: Pick<Ctx, 'proof'>, answer: Answer, routed: boolean, what: string): Proof {
  const { proof: names } = ctx;
  expect.done(answer, what);
  const always = [names.signature, names.timestamp, names.user];
  isObject(answer.json, `body of ${what}`);
  hasKeys(
    headersIn(answer.json, names),
    routed ? [...always, names.signatureV2, names.nonce] : always,
    `body of ${what}`,
  );
  const value = (key: string): string => {
    const found = (answer.json as Record<string, unknown>)[key];
    if (typeof found !== 'string' || found === '') return fail(`${key} of ${what}`, 'a string', found);
    return found;
  };
  isSignature(value(names.signature), `${names.signature} of ${what}`);
  match(value(names.timestamp), UNIX_SECONDS, `${names.timestamp} of ${what}`);
  if (routed) isSignature(value(names.signatureV2), `${names.signatureV2} of ${what}`);
  return {
    signature: value(names.signature),
    timestamp: value(names.timestamp),
    user: value(names.user),
    ...(routed ? { signatureV2: value(names.signatureV2), nonce: value(names.nonce) } : {}),
  };
}

/** The first signature of a proof that does not verify, and the bytes that it should sign. */
const broken = (...of: Parameters<typeof signaturesOf>) => signaturesOf(...of).find(({ holds }) => !holds);

/** The field that a v2 signature leaves out: over the other fields it verifies. */
function uncovered(
  { profile, target }: Pick<Ctx, 'profile' | 'target'>,
  proof: Proof,
  subject: ProofSubject,
): ProofField | undefined {
  const { proof_layout: layout } = profile;
  const { signatureV2 } = proof;
  if (signatureV2 === undefined) return undefined;
  const without = (left: ProofField) =>
    signedBytes(
      layout,
      layout.v2.filter((field) => field !== left),
      proof,
      subject,
    );
  return layout.v2.find((field) => verifies(target.publicKeys, without(field), signatureV2));
}

type Route = NonNullable<ProofSubject['route']>;

/** Usual mistakes in the route that a proof is made for. */
const MISTAKEN: readonly (readonly [string, (route: Route) => Route])[] = [
  ['the path in lower case', ({ method, path }) => ({ method, path: path.toLowerCase() })],
  ['the path percent-decoded', ({ method, path }) => ({ method, path: decoded(path) })],
  ['the path without its last slash', ({ method, path }) => ({ method, path: path.replace(/\/$/, '') })],
  ['the method in lower case', ({ method, path }) => ({ method: method.toLowerCase(), path })],
];
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Words for the usual mistake that explains an invalid v2 signature; empty if none does. */
function mistakeIn(ctx: Pick<Ctx, 'profile' | 'target'>, proof: Proof, subject: ProofSubject): string {
  const { route } = subject;
  if (route === undefined) return '';
  const found = MISTAKEN.find(([, turn]) => broken(ctx, proof, { ...subject, route: turn(route) }) === undefined);
  return found === undefined ? '' : `: it is one over ${found[0]}`;
}

/**
 * Both signatures of a proof verify, with one of the public keys of the target. The interface does not state how the fields are
 * joined. A shipped profile may be wrong about it: then the plainest proof does not verify either, and the check is skipped.
 */
export async function holds(
  ctx: Pick<Ctx, 'api' | 'assume' | 'proof' | 'profile' | 'target'>,
  proof: Proof,
  subject: ProofSubject,
  what = 'the proof',
): Promise<void> {
  equal(proof.signatureV2 !== undefined, subject.route !== undefined, `whether ${what} has a v2 signature`);
  const found = broken(ctx, proof, subject);
  if (found === undefined) return;
  const without = uncovered(ctx, proof, subject);
  if (without !== undefined)
    fail('v2 signature of a proof', 'one that covers all of its fields', gist(`one without the ${without}`, { what }), {
      breaks: { requirement: 'SIGN-4', level: 'S' },
    });
  if (shippedProfile(ctx.profile.name) !== undefined) {
    const { internId } = subject;
    const plainest = { internId, bodySha256: sha256(''), route: { method: 'POST', path: '/' } } as const;
    const { bodySha256, route } = plainest;
    const answer = await ctx.api.sign(internId, { bodySha256, route }, { as: 'oauth_token' });
    const other = broken(ctx, proofOf(ctx, answer, true, 'the plainest proof'), plainest) !== undefined;
    ctx.assume(!other, { kind: 'proof-layout', profile: ctx.profile.name });
  }
  fail(
    `${found.which} signature of a proof`,
    'one over the fields as the profile lays them out (another layout: --profile FILE)',
    gist(`one that does not verify${mistakeIn(ctx, proof, subject)}`, {
      what,
      over: new TextDecoder().decode(found.bytes),
    }),
  );
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
