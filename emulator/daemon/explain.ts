import { hash } from 'node:crypto';
import { DAEMON_REFUSALS, FUTURE_TOLERANCE_SECONDS } from '../contract/daemon.js';
import { type Profile, proofHeaders } from '../contract/profile.js';
import type { ExplainBody, ExplainSignature, ExplainStep, Explanation } from '../contract/signing-lab.js';
import type { ProofFieldName } from '../signing/canonical.js';
import type { VerifyKey } from '../signing/verify.js';
import { hintOf } from './diagnose.js';
import { explainSignature } from './explain-signature.js';
import { createIssued, type Issued } from './issued.js';
import { createNonces, type Nonces } from './nonces.js';
import { splitRequestTarget } from './request-target.js';
import { PROOF_CHECKS, type ProofCheck, verifyProof } from './verify-proof.js';

export interface ExplainDeps {
  readonly profile: Profile;
  readonly publicKey: VerifyKey;
  /** ms since 1970. */
  now(): number;
  /** ms. */
  readonly window: number;
  readonly requireV2?: boolean | undefined;
  readonly issued?: Issued;
  readonly nonces?: Nonces;
  /** The intern of a daemon token; without it the token is not checked. */
  readonly internOfToken?: (token: string) => string | undefined;
  /** For guessing what a signature was made for. */
  readonly internIds?: Iterable<string>;
  readonly users?: Iterable<string>;
}

const PASSED: Readonly<Record<ProofCheck, string>> = {
  token: 'the daemon token is of this intern',
  presence: 'every required header is there',
  form: 'every header is well-formed',
  time: 'the proof is within the window',
  signature: 'every signature verifies',
  nonce: 'the nonce is unused',
};

function collect(headers: ExplainBody['headers']): Headers {
  const collected = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) collected.append(name, one);
  }
  return collected;
}

const bodyOf = (given: ExplainBody): Buffer | undefined => {
  if (given.body !== undefined) return Buffer.from(given.body, 'utf8');
  if (given.body_base64 !== undefined) return Buffer.from(given.body_base64, 'base64');
  return given.body_sha256 === undefined ? Buffer.alloc(0) : undefined;
};

/**
 * Verifies a request as the daemon does, without using up its nonce, and explains the verdict: every check in its
 * order, the bytes each signature must be over and, if they can be found out, those it is over. Throws a TypeError for
 * header names or values that no request can carry.
 */
export function explain(deps: ExplainDeps, given: ExplainBody): Explanation {
  const { profile, publicKey, window } = deps;
  const names = proofHeaders(profile);
  const layout = profile.proof_layout;
  const nonces = deps.nonces ?? createNonces();
  // A request of another time came to the memory of that time.
  const memory = given.at === undefined ? nonces : { has: nonces.has, remembers: () => true };
  const now = given.at === undefined ? deps.now() : given.at * 1_000;
  const headers = collect(given.headers);
  const body = bodyOf(given);
  const bodySha256 = given.body_sha256 ?? hash('sha256', body ?? '', 'hex');
  const { path, search } = splitRequestTarget(given.path);

  const token = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const owner = token === undefined ? undefined : deps.internOfToken?.(token);
  const internId = given.intern_id ?? owner;
  const tokenGiven = token !== undefined && deps.internOfToken !== undefined;

  const problem =
    internId === undefined
      ? 'no running intern has this token; or give "intern_id"'
      : tokenGiven && owner !== internId
        ? 'the daemon token is not of this intern'
        : undefined;
  const { verdict, trace } = verifyProof(
    { key: publicKey, layout, names, nonces: memory, requireV2: deps.requireV2 ?? false },
    { intern: { id: internId, problem }, headers, method: given.method, path, bodySha256, now, window },
  );
  const { proof, expected } = trace;

  const signatures: ExplainSignature[] = [];
  if (proof && expected) {
    const from = (field: ProofFieldName) =>
      ({
        intern_id: tokenGiven ? 'daemon token' : 'intern_id',
        timestamp: names.timestamp,
        nonce: names.nonce,
        user: names.user,
        method: 'method',
        path: 'path',
        body_sha256: 'body',
      })[field];
    const suspects = {
      internIds: deps.internIds ?? [],
      users: deps.users ?? [],
      ...(body && { body }),
      search,
    };
    const found = { key: publicKey, layout, issued: deps.issued ?? createIssued() };
    signatures.push(explainSignature(found, 'v1', names.signature, proof.signature, expected, from, suspects));
    if (proof.signatureV2 !== undefined) {
      signatures.push(explainSignature(found, 'v2', names.signatureV2, proof.signatureV2, expected, from, suspects));
    }
  }
  const bad = signatures.find((signature) => !signature.verifies);
  const refused = verdict.result === 'refused' ? verdict : undefined;
  const detail =
    refused?.reason === 'bad_signature' && bad ? `${bad.version}: ${bad.problem}` : (refused?.detail ?? '');
  const nonce = headers.get(names.nonce);
  const used = nonce !== null && internId !== undefined && nonces.has(internId, nonce);

  const reached = trace.failed === undefined ? PROOF_CHECKS.length : PROOF_CHECKS.indexOf(trace.failed);
  const steps = PROOF_CHECKS.map((check, index): ExplainStep => {
    if (index === reached) return { check, result: 'failed', detail };
    if (index > reached) return { check, result: 'not reached', detail: '' };
    if (check === 'token' && !tokenGiven)
      return { check, result: 'not given', detail: 'verified for the intern_id given' };
    if (check === 'nonce' && nonce === null) return { check, result: 'not given', detail: 'a v1 proof has none' };
    return { check, result: 'passed', detail: PASSED[check] };
  });
  const timestamp = proof ? Number(proof.timestamp) : null;
  const differing = bad?.fields.filter((field) => field.same === false).map((field) => field.name as ProofFieldName);
  return {
    verdict: verdict.result === 'accepted' ? 'accepted' : 'refused',
    reason: refused?.reason ?? null,
    hint: (refused?.reason === 'bad_signature' && differing && hintOf(differing)) || null,
    summary: refused ? `${DAEMON_REFUSALS[refused.reason].message}: ${detail}` : `A valid ${proof?.version} proof`,
    steps,
    time: {
      now: now / 1_000,
      timestamp,
      age: timestamp === null ? null : Math.round(now - timestamp * 1_000) / 1_000,
      window: window / 1_000,
      future_tolerance: FUTURE_TOLERANCE_SECONDS,
    },
    nonce: { value: nonce, state: nonce === null ? 'absent' : used ? 'used' : 'unused' },
    signatures,
    verified: verdict.result === 'accepted' ? verdict.verified : null,
  };
}
