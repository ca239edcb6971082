import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EmulatorOptions } from '../index.js';
import { createTestClient } from '../testing/client.harness.js';

const bodySha256 = createHash('sha256').update('hello').digest('hex');
const route = { method: 'POST', path: '/api/invoke' };

function start(settings: EmulatorOptions['settings'] = {}) {
  const logged: Record<string, unknown>[] = [];
  const api = createTestClient({ settings, log: (record) => logged.push(record) });
  const path = `/interns/${api.credentials.intern?.id}/daemon`;
  const as = api.credentials.oauth_token ?? null;
  return {
    ...api,
    logged,
    sign: (raw: string | ReadableStream = JSON.stringify({ bodySha256, route })) =>
      api.call('POST', `${path}/sign`, { as, raw, headers: { 'content-type': 'application/json' } }),
    daemon: () => api.get(path, { as }),
  };
}

describe('signing', () => {
  it('never repeats a nonce, also after a reset (SIGN-7)', async () => {
    const { emulator, sign } = start({ turns_per_minute: 0 });
    const nonces = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 50; count++) nonces.add((await sign()).json['x-svc-invoke-nonce'] ?? '');
      await emulator.reset();
    }
    expect(nonces.size).toBe(150);
  });

  it('is in time where it ends at 10 seconds to the millisecond, and 408 where it then goes on (SIGN-9)', async () => {
    const { advance, post, sign } = start();
    const after = async (delay: number) => {
      await post('/_emulator/faults', { operation: 'sign', delay });
      const answer = sign();
      await advance(10_000);
      await advance(1);
      return (await answer).status;
    };
    expect([await after(10_000), await after(10_001)]).toEqual([200, 408]);
  });

  it('has given up for good: it reads no further, counts no turn and uses no fault up (SIGN-8, SIGN-9)', async () => {
    const { advance, post, sign } = start({ turns_per_minute: 1 });
    const answerLate = async (body: string | ReadableStream | undefined, wait: () => Promise<void>) => {
      const answer = sign(body);
      await advance(10_000);
      expect((await answer).status).toBe(408);
      await wait();
    };
    await post('/_emulator/faults', { operation: 'sign', delay: '15s' });
    await answerLate(undefined, () => advance(5_000));

    await post('/_emulator/faults', { operation: 'sign', status: 500 });
    let reads = true;
    const slow = new ReadableStream<Uint8Array>({
      cancel() {
        reads = false;
      },
    });
    await answerLate(slow, async () => expect(reads).toBe(false));
    expect((await sign()).status).toBe(500);
    expect((await sign()).status).toBe(200);
    expect((await sign()).status).toBe(429);
  });
});

describe('daemon access', () => {
  it('is logged by caller and intern, without the token (DAEMON-2)', async () => {
    const { get, credentials, daemon, logged } = start();
    const { token } = (await daemon()).json;
    const reveals = await get('/_emulator/reveals');
    const revealed = { intern_id: credentials.intern?.id, caller: 'user_alice' };
    expect(reveals.json).toMatchObject({ data: [{ ...revealed, at: '2026-01-01T00:00:00.000Z' }] });
    expect(logged).toContainEqual(expect.objectContaining({ event: 'reveal', ...revealed }));
    expect(reveals.text + JSON.stringify(logged)).not.toContain(token);
  });

  it('is not revealed by HEAD, and then not logged either (DAEMON-2)', async () => {
    const { call, get, credentials, logged } = start();
    const asked = { as: credentials.oauth_token ?? null };
    const { status, text } = await call('HEAD', `/interns/${credentials.intern?.id}/daemon`, asked);
    expect([status, text]).toEqual([200, '']);
    expect((await get('/_emulator/reveals')).json).toEqual({ data: [] });
    expect(logged).not.toContainEqual(expect.objectContaining({ event: 'reveal' }));
  });
});

describe('many signers at once', () => {
  /** How many rounds of the event loop pass until `work` is done. */
  const roundsUntil = async (work: Promise<unknown>): Promise<number> => {
    let done = false;
    void work.then(() => {
      done = true;
    });
    for (let rounds = 0; ; rounds++) {
      if (done) return rounds;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  it('leave time to others: no two signatures are made, and none verified, in the same round', async () => {
    const { emulator, daemon, sign } = start();
    const proofs: Record<string, string>[] = [];
    const signed = Array.from({ length: 20 }, () => sign().then(({ json }) => proofs.push(json)));
    expect(await roundsUntil(Promise.all(signed))).toBeGreaterThanOrEqual(20);
    const access = (await daemon()).json;
    const verified = proofs.map(async (proof) => {
      const headers = { authorization: `Bearer ${access.token}`, ...proof };
      const { status } = await emulator.daemon.fetch(`${access.origin}/api/invoke`, {
        method: 'POST',
        body: 'hello',
        headers,
      });
      expect(status).toBe(200);
    });
    expect(await roundsUntil(Promise.all(verified))).toBeGreaterThanOrEqual(20);
  });

  it('are all answered before a virtual clock goes on', async () => {
    const { advance, sign } = start();
    const signed = Array.from({ length: 20 }, () => sign());
    await advance(5_000);
    for (const { json } of await Promise.all(signed)) expect(json['x-svc-invoke-timestamp']).toBe('1767225600');
  });
});
