import { createHash } from 'node:crypto';
import { DAEMON_REFUSALS, type DaemonReason, FUTURE_TOLERANCE_SECONDS } from '../contract/daemon.js';
import { type Profile, proofHeaders } from '../contract/profile.js';
import type { ExplainBody, ExplainSignature, ExplainStep, Explanation } from '../contract/signing-lab.js';
import type { ProofFieldName } from '../signing/canonical.js';
import type { VerifyKey } from '../signing/verify.js';
import { hintOf } from './diagnose.js';
import { explainSignature } from './found.js';
import { createIssued, type Issued } from './issued.js';
import { expectedFields, judgeTime } from './judge.js';
import { createNonces, type Nonces } from './nonces.js';
import { type ReceivedProof, readProof } from './proof.js';
import { splitTarget } from './target.js';

export interface ExplainParts {
  readonly profile: Profile;
  readonly publicKey: VerifyKey;
  /** ms since 1970. */
  now(): number;
  /** ms. */
  readonly window: number;
  readonly requireV2?: boolean | undefined;
  readonly issued?: Issued;
  readonly nonces?: Nonces;
  /** The intern of a daemon token; without it the token isn't looked at. */
  readonly internOfToken?: (token: string) => string | undefined;
  /** For guessing what a signature was made for. */
  readonly internIds?: Iterable<string>;
  readonly users?: Iterable<string>;
}

const CHECKS = ['token', 'presence', 'form', 'time', 'signature', 'nonce'] as const;
const CHECK_OF: Record<DaemonReason, (typeof CHECKS)[number]> = {
  token_invalid: 'token',
  proof_missing: 'presence',
  proof_malformed: 'form',
  proof_expired: 'time',
  proof_from_future: 'time',
  bad_signature: 'signature',
  nonce_reused: 'nonce',
};
const PASSED: Record<(typeof CHECKS)[number], string> = {
  token: 'the daemon token is of this intern',
  presence: 'every header that is needed is there',
  form: 'every header has its form',
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
 * Judges a request as the daemon would, without using up its nonce, and tells how it came to the verdict: every check in
 * its order, the bytes each signature has to be over and, where it can be told, those it is over. Throws a TypeError
 * for header names or values that no request can carry.
 */
export function explain(parts: ExplainParts, given: ExplainBody): Explanation {
  const { profile, publicKey, window } = parts;
  const names = proofHeaders(profile);
  const layout = profile.proof_layout;
  const nonces = parts.nonces ?? createNonces();
  const now = given.at === undefined ? parts.now() : given.at * 1_000;
  const headers = collect(given.headers);
  const body = bodyOf(given);
  const bodySha256 =
    given.body_sha256 ??
    createHash('sha256')
      .update(body ?? '')
      .digest('hex');
  const { path, search } = splitTarget(given.path);

  const token = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const owner = token === undefined ? undefined : parts.internOfToken?.(token);
  const internId = given.intern_id ?? owner;
  const tokenGiven = token !== undefined && parts.internOfToken !== undefined;

  let failed: { reason: DaemonReason; detail: string } | undefined;
  if (internId === undefined) {
    failed = { reason: 'token_invalid', detail: 'no running intern has this token; or give "intern_id"' };
  } else if (tokenGiven && owner !== internId) {
    failed = { reason: 'token_invalid', detail: 'the daemon token is not of this intern' };
  }
  const read = readProof(headers, names, parts.requireV2 ?? false);
  const proof: ReceivedProof | undefined = 'reason' in read ? undefined : read;
  if (!failed && 'reason' in read) failed = read;
  if (!failed && proof) failed = judgeTime(proof, now, window, nonces);

  const signatures: ExplainSignature[] = [];
  if (proof && internId !== undefined) {
    const expected = expectedFields(proof, { internId, method: given.method, path, bodySha256 });
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
      internIds: parts.internIds ?? [],
      users: parts.users ?? [],
      ...(body && { body }),
      search,
    };
    const found = { key: publicKey, layout, issued: parts.issued ?? createIssued() };
    signatures.push(explainSignature(found, 'v1', names.signature, proof.signature, expected, from, suspects));
    if (proof.signatureV2 !== undefined) {
      signatures.push(explainSignature(found, 'v2', names.signatureV2, proof.signatureV2, expected, from, suspects));
    }
  }
  const bad = signatures.find((signature) => !signature.verifies);
  if (!failed && bad) failed = { reason: 'bad_signature', detail: `${bad.version}: ${bad.problem}` };

  const nonce = headers.get(names.nonce);
  const used = nonce !== null && internId !== undefined && nonces.has(internId, nonce);
  if (!failed && used) failed = { reason: 'nonce_reused', detail: 'a v2 proof is accepted once' };

  const reached = failed ? CHECKS.indexOf(CHECK_OF[failed.reason]) : CHECKS.length;
  const steps = CHECKS.map((check, index): ExplainStep => {
    if (failed && index === reached) return { check, result: 'failed', detail: failed.detail };
    if (index > reached) return { check, result: 'not reached', detail: '' };
    if (check === 'token' && !tokenGiven)
      return { check, result: 'not given', detail: 'judged for the intern_id given' };
    if (check === 'nonce' && nonce === null) return { check, result: 'not given', detail: 'a v1 proof has none' };
    return { check, result: 'passed', detail: PASSED[check] };
  });
  const timestamp = proof ? Number(proof.timestamp) : null;
  const differing = bad?.fields.filter((field) => field.same === false).map((field) => field.name as ProofFieldName);
  return {
    verdict: failed ? 'refused' : 'accepted',
    reason: failed?.reason ?? null,
    hint: (failed?.reason === 'bad_signature' && differing && hintOf(differing)) || null,
    summary: failed ? `${DAEMON_REFUSALS[failed.reason]}: ${failed.detail}` : `A valid ${proof?.version} proof`,
    steps,
    time: {
      now: now / 1_000,
      timestamp,
      age: timestamp === null ? null : now / 1_000 - timestamp,
      window: window / 1_000,
      future_tolerance: FUTURE_TOLERANCE_SECONDS,
    },
    nonce: { value: nonce, state: nonce === null ? 'absent' : used ? 'used' : 'unused' },
    signatures,
    verified:
      failed || !proof || internId === undefined
        ? null
        : {
            version: proof.version,
            intern_id: internId,
            user: proof.user,
            timestamp: proof.timestamp,
            ...(proof.nonce !== undefined && { nonce: proof.nonce }),
            method: given.method,
            path,
            body_sha256: bodySha256,
          },
  };
}
