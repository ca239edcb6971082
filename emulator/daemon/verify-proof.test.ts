import { expect, test } from 'vitest';
import { proofHeaders } from '../contract/profile.js';
import { createNonces } from './nonces.js';
import { createBench, INTERN, sha256 } from './proofs.harness.js';
import { verifyProof } from './verify-proof.js';

function setUp() {
  const bench = createBench();
  const nonces = createNonces();
  const deps = {
    key: bench.lab.signingKey.publicKey,
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

test('without the body it tells what is wrong already, and otherwise is pending', () => {
  const { bench, deps, request } = setUp();
  const unread = { bodySha256: undefined };
  expect(verifyProof(deps, request(bench.prove(), unread)).verdict).toEqual({ result: 'pending' });
  const late = verifyProof(deps, request(bench.prove(), { ...unread, now: bench.clock.now() + 61_000 }));
  expect(late.verdict).toMatchObject({ result: 'refused', reason: 'proof_expired' });
  expect(verifyProof(deps, request({}, unread)).verdict).toMatchObject({ reason: 'proof_missing' });
});
