import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator, type EmulatorOptions } from '../index.js';

let emulator: Emulator;
let logged: Record<string, unknown>[];
const start = (options: EmulatorOptions = {}) => {
  logged = [];
  emulator = createEmulator({ clock: 'virtual', seed: 'sign', log: (record) => logged.push(record), ...options });
};
beforeEach(() => start());
afterEach(() => emulator.close());

const bodySha256 = createHash('sha256').update('hello').digest('hex');
const route = { method: 'POST', path: '/api/invoke' };
const intern = () => emulator.target.credentials.intern?.id ?? '';

async function sign(body: RequestInit['body'] = JSON.stringify({ bodySha256, route })) {
  const init: RequestInit & { duplex?: 'half' } = {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.target.credentials.oauth_token}`, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  };
  const response = await emulator.fetch(`${emulator.target.base_url}/interns/${intern()}/daemon/sign`, init);
  return { status: response.status, json: (await response.json()) as Record<string, string> };
}
const daemon = () =>
  emulator.fetch(`${emulator.target.base_url}/interns/${intern()}/daemon`, {
    headers: { authorization: `Bearer ${emulator.target.credentials.oauth_token}` },
  });

describe('signing', () => {
  it('never repeats a nonce, also after a reset (SIGN-7)', async () => {
    emulator.close();
    start({ settings: { turns_per_minute: 0 } });
    const nonces = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 50; count++) nonces.add((await sign()).json['x-svc-invoke-nonce'] ?? '');
      await emulator.reset();
    }
    expect(nonces.size).toBe(150);
  });

  it('has given up for good: it reads no further, counts no turn and uses no fault up (SIGN-8, SIGN-9)', async () => {
    await emulator.close();
    start({ settings: { turns_per_minute: 1 } });
    const control = (path: string, body: object, method = 'POST') =>
      emulator.fetch(emulator.target.control_url + path, {
        method,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    const answerLate = async (body: RequestInit['body'], wait: () => Promise<void>) => {
      const answer = sign(body);
      await emulator.clock.advance(10_000);
      expect((await answer).status).toBe(408);
      await wait();
    };
    await control('/faults', { operation: 'sign', delay: '15s' });
    await answerLate(undefined, () => emulator.clock.advance(5_000));

    await control('/faults', { operation: 'sign', status: 500 });
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
    const { token } = (await (await daemon()).json()) as { token: string };
    const reveals = await (await emulator.fetch(`${emulator.target.control_url}/reveals`)).text();
    expect(JSON.parse(reveals)).toMatchObject({
      data: [{ intern_id: intern(), caller: 'user_alice', at: '2026-01-01T00:00:00.000Z' }],
    });
    expect(logged).toContainEqual(
      expect.objectContaining({ event: 'reveal', intern_id: intern(), caller: 'user_alice' }),
    );
    expect(reveals + JSON.stringify(logged)).not.toContain(token);
  });

  it('is enough to be let in by the daemon, with a proof', async () => {
    const access = (await (await daemon()).json()) as {
      origin: string;
      token: string;
    };
    const { json } = await sign();
    const request = { method: 'POST', body: 'hello', headers: { authorization: `Bearer ${access.token}`, ...json } };
    const accepted = await emulator.daemon.fetch(`${access.origin}/api/invoke`, request);
    expect(accepted.status).toBe(200);
    const again = await emulator.daemon.fetch(`${access.origin}/api/invoke`, request);
    expect(await again.json()).toMatchObject({ error: { metadata: { reason: 'nonce_reused' } } });
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
    const proofs: Record<string, string>[] = [];
    const signed = Array.from({ length: 20 }, () => sign().then(({ json }) => proofs.push(json)));
    expect(await roundsUntil(Promise.all(signed))).toBeGreaterThanOrEqual(20);
    const access = (await (await daemon()).json()) as Record<string, string>;
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
    const signed = Array.from({ length: 20 }, () => sign());
    await emulator.clock.advance(5_000);
    for (const { json } of await Promise.all(signed)) expect(json['x-svc-invoke-timestamp']).toBe('1767225600');
  });
});
