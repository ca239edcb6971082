import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_EPOCH } from '../clock/clock.js';
import type { NonceRow } from '../contract/state.js';
import { createNonces, type KeptNonces } from './nonces.js';
import { ALICE, createBench, INTERN, OTHER_INTERN, sha256 } from './proofs.harness.js';
import '../../test/same-draws.js';

const reasonOf = (answer: { json: { error?: { metadata: { reason: string } } } }) => answer.json.error?.metadata.reason;

/** Used nonces as a store keeps them. */
const keptIn = (rows: Map<string, NonceRow>): KeptNonces => ({
  rows: {
    get size() {
      return rows.size;
    },
    has: (id) => rows.has(id),
    put: (row) => void rows.set(row.id, row),
    delete: (id) => rows.delete(id),
    values: () => rows.values(),
  },
  since: { get: () => undefined, set() {} },
  commit: () => Promise.resolve(),
  earliest: () => VIRTUAL_EPOCH,
});

it('the body above the cap is 413, and the rest of it is not read', async () => {
  const bench = createBench();
  let pulled = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const answer = await bench.send({ headers: bench.prove(), body: stream });
  expect(answer).toMatchObject({
    status: 413,
    json: { error: { code: 413, metadata: { reason: 'payload_too_large' } } },
  });
  expect(pulled).toBe(17);
  expect(cancelled).toBe(true);
});

it('the window is a setting', async () => {
  const bench = createBench({ window: 2_000 });
  const headers = bench.prove({ v2: false });
  await bench.clock.advance(2_000);
  expect((await bench.send({ headers })).status).toBe(200);
  await bench.clock.advance(1);
  expect(reasonOf(await bench.send({ headers }))).toBe('proof_expired');
});

describe('a nonce', () => {
  it('belongs to one intern', async () => {
    const bench = createBench();
    const first = bench.prove();
    const nonce = first[bench.names.nonce] ?? '';
    const sign = (intern: string) =>
      bench.signer.sign({
        internId: intern,
        timestamp: 1_767_225_600,
        user: ALICE,
        bodySha256: sha256(''),
        route: { method: 'POST', path: '/api/invoke', nonce },
      });
    expect((await bench.send({ headers: first })).status).toBe(200);
    const proof = sign(OTHER_INTERN);
    const second = {
      ...first,
      authorization: `Bearer token-${OTHER_INTERN}`,
      [bench.names.signature]: proof.signature,
      [bench.names.signatureV2]: proof.signatureV2 ?? '',
    };
    expect((await bench.send({ headers: second })).status).toBe(200);
    expect(reasonOf(await bench.send({ headers: second }))).toBe('nonce_reused');
  });

  it('is remembered no longer than its proof could be accepted', async () => {
    const bench = createBench();
    for (let minute = 0; minute < 8; minute++) {
      for (let count = 0; count < 10; count++) expect((await bench.send({ headers: bench.prove() })).status).toBe(200);
      await bench.clock.advance(60_001);
    }
    await bench.send({ headers: bench.prove() });
    expect(bench.daemon.nonces.size).toBeLessThanOrEqual(11);
  });

  it('of a proof made before the memory began is refused: a restart must not let it be accepted twice', async () => {
    const seconds = VIRTUAL_EPOCH / 1_000;
    const kept = { ...keptIn(new Map()), since: { get: () => seconds + 2, set() {} } };
    const bench = createBench({ kept });
    const before = [bench.prove(), bench.prove({ v2: false })] as const;
    await bench.clock.advance(2_000);
    const refused = await bench.send({ headers: before[0] });
    expect(reasonOf(refused)).toBe('proof_expired');
    expect(refused.json.error?.message).toContain('the memory of used nonces');
    // A v1 proof may be used again anyway.
    expect((await bench.send({ headers: before[1] })).status).toBe(200);
    expect((await bench.send({ headers: bench.prove() })).status).toBe(200);
  });

  it('is kept as long as a clock that starts anew could show a time within its window, the newest 10,000 at least', () => {
    const rows = new Map<string, NonceRow>();
    const nonces = createNonces(keptIn(rows).rows);
    for (let second = 0; second < 10_100; second++) nonces.take('intern', `n${second}`, second);
    nonces.forgetBefore(0, 50);
    expect([rows.size, nonces.has('intern', 'n49'), nonces.has('intern', 'n50')]).toEqual([10_050, false, true]);
    nonces.forgetBefore(0, 10_100);
    expect([rows.size, nonces.has('intern', 'n100')]).toEqual([10_000, true]);
    expect(nonces.remembers(0)).toBe(true);
    nonces.forgetBefore(10_090, 10_200);
    expect([rows.size, nonces.remembers(10_089)]).toEqual([10, false]);
  });

  it('is durable before the proof is accepted', async () => {
    const steps: string[] = [];
    const kept = { ...keptIn(new Map()), commit: async () => void steps.push('commit') };
    const bench = createBench({ kept });
    const headers = bench.prove();
    await bench.send({ headers }).then(() => steps.push('accepted'));
    await bench.send({ headers });
    expect(steps).toEqual(['commit', 'accepted']);
  });

  it('that was forgotten stays refused when the window is widened', async () => {
    let window = 10_000;
    const bench = createBench({
      get window() {
        return window;
      },
    });
    const headers = bench.prove();
    expect((await bench.send({ headers })).status).toBe(200);
    await bench.clock.advance(20_000);
    expect((await bench.send({ headers: bench.prove() })).status).toBe(200);
    window = 60_000;
    expect(reasonOf(await bench.send({ headers }))).toBe('proof_expired');
  });
});

describe('the token', () => {
  it.each([
    ['of another scheme', `Basic token-${INTERN}`],
    ['empty', 'Bearer '],
    ['several', `Bearer token-${INTERN}, Bearer token-${INTERN}`],
  ])('%s is refused before anything else', async (_, authorization) => {
    const bench = createBench();
    const headers = { ...bench.prove(), authorization };
    expect(reasonOf(await bench.send({ headers }))).toBe('token_invalid');
    expect((await bench.send({ headers: { ...headers, authorization: `Bearer token-${INTERN}` } })).status).toBe(200);
  });

  it('is never logged', async () => {
    const bench = createBench();
    const headers = bench.prove();
    await bench.send({ headers });
    await bench.send({ headers });
    expect(bench.logged).toHaveLength(2);
    const log = JSON.stringify(bench.logged);
    for (const secret of [`token-${INTERN}`, headers[bench.names.signature], headers[bench.names.nonce]]) {
      expect(log).not.toContain(secret);
    }
  });
});

it('the daemon asks for v2 where it is required', async () => {
  const bench = createBench({ requireV2: true });
  expect(reasonOf(await bench.send({ headers: bench.prove({ v2: false }) }))).toBe('proof_missing');
  expect((await bench.send({ headers: bench.prove() })).status).toBe(200);
});

describe('header games', () => {
  it.each([
    ['timestamp', '+1767225600'],
    ['timestamp', '01767225600'],
    ['timestamp', '0x69543700'],
    ['timestamp', '1e9'],
    ['timestamp', '-1'],
    ['user', 'user\talice'],
    ['user', 'user|alic\u00e9'],
    ['user', 'a b'],
    ['nonce', 'a b'],
    ['nonce', 'n'.repeat(256)],
  ] as const)('a %s of %j is malformed', async (what, value) => {
    const bench = createBench();
    const headers = { ...bench.prove(), [bench.names[what]]: value };
    expect(reasonOf(await bench.send({ headers }))).toBe('proof_malformed');
  });
});

it('tampering with any one bit of the body is refused, and says so', async () => {
  const bench = createBench();
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(), async (body, bit) => {
      const headers = bench.prove({ body });
      const changed = body.slice();
      const at = Math.floor(bit / 8) % changed.length;
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8));
      const refused = await bench.send({ headers, body: changed });
      expect(refused.json.error?.metadata).toMatchObject({ reason: 'bad_signature', hint: 'digest_mismatch' });
      const [received, signed] = [changed, body].map((bytes) => createHash('sha256').update(bytes).digest('hex'));
      expect(refused.detail).toBe(
        `bad_signature: v1 was made for another body: its digest is ${received}, signed was ${signed}`,
      );
    }),
    { numRuns: 60 },
  );
});

it('failing inside is a 500 in the envelope, without a word of why', async () => {
  const bench = createBench({ kept: { ...keptIn(new Map()), commit: () => Promise.reject(new Error('full')) } });
  const response = await bench.send({ headers: bench.prove() });
  expect(response.status).toBe(500);
  expect(bench.logged).toContainEqual(expect.objectContaining({ event: 'daemon_error', message: 'full' }));
  expect(response.json).toEqual({
    error: {
      code: 500,
      message: 'The request could not be completed',
      metadata: { reason: 'internal_error', retryable: true },
    },
  });
});
