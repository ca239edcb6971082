import { expect, test } from 'vitest';
import { proofHeaders } from '../contract/profile.js';
import { createNonces } from './nonces.js';
import { createBench, INTERN, sha256 } from './proofs.harness.js';
import { verifyProof } from './verify-proof.js';

function setUp() {
  const bench = createBench();
  const nonces = createNonces();
  const deps = {
    key: bench.signer.publicKey,
    layout: bench.profile.proof_layout,
    names: proofHeaders(bench.profile),
    nonces,
    requireV2: false,
  };
  const request = (headers: Record<string, string>, change = {}) => ({
    intern: { id: INTERN },
    headers: new Headers(headers),
    method: 'POST',
    path: '/api/invoke',
    bodySha256: sha256(''),
    now: bench.clock.now(),
    window: 60_000,
    ...change,
  });
  return { bench, nonces, deps, request };
}

test('a verdict uses no nonce up: the same proof is accepted until somebody takes its nonce', () => {
  const { bench, nonces, deps, request } = setUp();
  const sent = request(bench.prove());
  for (let again = 0; again < 2; again++) {
    const { verdict, trace } = verifyProof(deps, sent);
    expect(verdict).toMatchObject({ result: 'accepted', verified: { version: 'v2', intern_id: INTERN } });
    expect(trace).toMatchObject({ failed: undefined, badVersion: undefined });
  }
  const nonce = sent.headers.get(deps.names.nonce) ?? '';
  nonces.take(INTERN, nonce, Math.floor(sent.now / 1_000));
  const { verdict, trace } = verifyProof(deps, sent);
  expect([verdict, trace.failed]).toMatchObject([{ result: 'refused', reason: 'nonce_reused' }, 'nonce']);
});

test('without the body it tells what is wrong already, and otherwise is pending', () => {
  const { bench, deps, request } = setUp();
  const unread = { bodySha256: undefined };
  expect(verifyProof(deps, request(bench.prove(), unread)).verdict).toEqual({ result: 'pending' });
  const late = verifyProof(deps, request(bench.prove(), { ...unread, now: bench.clock.now() + 61_000 }));
  expect(late.verdict).toMatchObject({ result: 'refused', reason: 'proof_expired' });
  expect(verifyProof(deps, request({}, unread)).verdict).toMatchObject({ reason: 'proof_missing' });
});

test('the trace names the check that failed and the signature that does not verify', () => {
  const { bench, deps, request } = setUp();
  const bad = (change: object) => verifyProof(deps, request(bench.prove(), change)).trace;
  expect(bad({ bodySha256: sha256('other') })).toMatchObject({ failed: 'signature', badVersion: 'v1' });
  expect(bad({ path: '/other' })).toMatchObject({ failed: 'signature', badVersion: 'v2' });
  const unknown = bad({ intern: { id: INTERN, problem: 'not its token' } });
  expect(unknown).toMatchObject({ failed: 'token', expected: { intern_id: INTERN } });
  expect(bad({ intern: { id: undefined } })).toMatchObject({ failed: 'token', expected: undefined });
});
