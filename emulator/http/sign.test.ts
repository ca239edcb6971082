import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator, type EmulatorOptions } from '../index.js';
import { readPublicKey } from '../signing/keys.js';
import { decodeSignature, verifyBytes } from '../signing/verify.js';

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

interface Ask {
  token?: string | undefined;
  body?: unknown;
  raw?: RequestInit['body'];
  type?: string;
  path?: string;
  id?: string;
  headers?: Record<string, string>;
}
async function sign(ask: Ask = {}) {
  const { token = emulator.target.credentials.oauth_token, type = 'application/json', path = 'daemon/sign' } = ask;
  const init: RequestInit & { duplex?: 'half' } = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type, ...ask.headers },
    body: ask.raw ?? JSON.stringify(ask.body ?? { bodySha256 }),
    duplex: 'half',
  };
  const response = await emulator.fetch(`${emulator.target.base_url}/interns/${ask.id ?? intern()}/${path}`, init);
  return { status: response.status, headers: response.headers, json: (await response.json()) as Record<string, never> };
}
const daemon = (token: string | undefined, path = 'daemon', id = intern()) =>
  emulator.fetch(`${emulator.target.base_url}/interns/${id}/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });

describe('signing', () => {
  it('answers v1 always, v2 and a nonce with a route, and is not stored (SIGN-1, SIGN-5, SIGN-6)', async () => {
    const v1 = await sign();
    expect(v1.status).toBe(200);
    expect(v1.headers.get('cache-control')).toBe('no-store');
    expect(v1.json).toEqual({
      'x-svc-invoke-signature': expect.stringMatching(/^[\w+/]{86}==$/),
      'x-svc-invoke-timestamp': '1767225600',
      'x-svc-invoke-user': 'user_alice',
    });
    const v2 = await sign({ body: { bodySha256, route } });
    expect(Object.keys(v2.json)).toEqual([...Object.keys(v1.json), 'x-svc-invoke-signature-v2', 'x-svc-invoke-nonce']);
  });

  it('signs the stated fields, which the published key verifies (SIGN-4)', async () => {
    const { json } = await sign({ body: { bodySha256, route } });
    const key = readPublicKey(JSON.stringify(emulator.target.public_keys[0]));
    const [t, u, n] = ['timestamp', 'user', 'nonce'].map((name) => json[`x-svc-invoke-${name}`]);
    const verifies = (name: string, fields: unknown[]) => {
      const signature = decodeSignature(json[`x-svc-invoke-${name}`] ?? '');
      return signature !== undefined && verifyBytes(key, Buffer.from(fields.join('\n')), signature);
    };
    expect(verifies('signature', [intern(), t, u, bodySha256])).toBe(true);
    expect(verifies('signature-v2', [intern(), t, n, u, 'POST', '/api/invoke', bodySha256])).toBe(true);
  });

  it.each([
    ['upper case', bodySha256.toUpperCase()],
    ['63 digits', bodySha256.slice(1)],
    ['65 digits', `${bodySha256}0`],
    ['a newline after it', `${bodySha256}\n`],
    ['a number', 5],
    ['null', null],
    ['nothing', undefined],
  ])('refuses a digest that is %s (SIGN-2)', async (_, digest) => {
    const { status, json } = await sign({ body: { bodySha256: digest } });
    expect(status).toBe(400);
    expect(json).toEqual({
      error: { code: 400, message: 'Invalid request body', metadata: { reason: 'invalid_body', retryable: false } },
    });
  });

  it.each([
    null,
    'POST /x',
    [],
    {},
    { method: 'POST' },
    { path: '/x' },
    { method: 'post', path: '/x' },
    { method: 'GET', path: '/x' },
    ...['', 'x', '//x', '/x?y', '/x#y', '/a b', '/ä', '/%zz', '/%2', 'http://h/x', '/x\n', '/x\\y', '/"'].map(
      (path) => ({ method: 'POST', path }),
    ),
  ])('refuses the route %j (SIGN-3)', async (wrong) => {
    expect((await sign({ body: { bodySha256, route: wrong } })).status).toBe(400);
  });

  it.each(['/', '/a/b', '/a%20b', '/a//b', "/~!$&'()*+,;=:@-._", '/%C3%A4/'])('takes the path %j', async (path) => {
    expect((await sign({ body: { bodySha256, route: { method: 'POST', path } } })).status).toBe(200);
  });

  it('takes no user from the request (SIGN-6)', async () => {
    const body = { bodySha256, user: 'mallory', 'x-svc-invoke-user': 'mallory', route: { ...route, user: 'mallory' } };
    const { json } = await sign({
      body,
      path: 'daemon/sign?user=mallory',
      headers: { 'x-svc-invoke-user': 'mallory' },
    });
    expect(json['x-svc-invoke-user']).toBe('user_alice');
  });

  it('never repeats a nonce, also after a reset (SIGN-7)', async () => {
    emulator.close();
    start({ settings: { turns_per_minute: 0 } });
    const nonces = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 50; count++)
        nonces.add((await sign({ body: { bodySha256, route } })).json['x-svc-invoke-nonce'] ?? '');
      await emulator.reset();
    }
    expect(nonces.size).toBe(150);
  });

  it('counts against the turn limiter (SIGN-8)', async () => {
    emulator.close();
    start({ settings: { turns_per_minute: 2 } });
    expect([(await sign()).status, (await sign()).status]).toEqual([200, 200]);
    const { status, json, headers } = await sign();
    expect(status).toBe(429);
    expect(json).toMatchObject({
      error: {
        message: expect.stringMatching(/^Too many intern turns/),
        metadata: { reason: 'rate_limited', retryable: true },
      },
    });
    expect(headers.get('retry-after')).toBe('60');
    expect((await sign({ token: emulator.target.credentials.peer_oauth_token, id: 'unknown' })).status).toBe(404);
  });

  it('does not care about the status of the intern, and refuses an unknown one (SIGN-8, SIGN-10)', async () => {
    const suspended = await emulator.fetch(`${emulator.target.base_url}/interns/${intern()}/suspend`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.target.credentials.api_key}` },
    });
    expect(suspended.status).toBe(200);
    expect((await sign()).status).toBe(200);
    expect((await sign({ id: 'unknown' })).json).toEqual({
      error: { code: 404, message: 'Intern not found', metadata: { reason: 'not_found', retryable: false } },
    });
  });

  it('gives up after 10 seconds, reading the body included (SIGN-9)', async () => {
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const answer = sign({ raw: never });
    await emulator.clock.advance(9_999);
    await emulator.clock.advance(1);
    const { status, json } = await answer;
    expect(status).toBe(408);
    expect(json).toEqual({
      error: { code: 408, message: 'Operation timed out after 10s', metadata: { reason: 'timeout', retryable: true } },
    });
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
    const answerLate = async (ask: Ask, wait: () => Promise<void>) => {
      const answer = sign(ask);
      await emulator.clock.advance(10_000);
      expect((await answer).status).toBe(408);
      await wait();
    };
    await control('/faults', { operation: 'sign', delay: '15s' });
    await answerLate({}, () => emulator.clock.advance(5_000));

    await control('/faults', { operation: 'sign', status: 500 });
    let reads = true;
    const slow = new ReadableStream<Uint8Array>({
      cancel() {
        reads = false;
      },
    });
    await answerLate({ raw: slow }, async () => expect(reads).toBe(false));
    expect((await sign()).status).toBe(500);
    expect((await sign()).status).toBe(200);
    expect((await sign()).status).toBe(429);
  });

  it('judges credential, size and media type as stated (AUTH-8, SIGN-10)', async () => {
    const { credentials } = emulator.target;
    const refused = {
      message: 'Personal connections require the OIDC login',
      metadata: { reason: 'personal_identity_required', retryable: false },
    };
    for (const token of [
      credentials.api_key,
      credentials.oauth_interns_only_token,
      credentials.intern?.api_key ?? '',
    ]) {
      expect(await sign({ token })).toMatchObject({ status: 403, json: { error: refused } });
    }
    expect((await sign({ token: 'nobody' })).json).toEqual({
      error: { code: 401, message: 'Invalid or missing API key' },
    });
    expect((await sign({ raw: 'x'.repeat(1_048_577) })).status).toBe(413);
    expect((await sign({ type: 'text/plain' })).status).toBe(415);
    expect((await sign({ raw: '{' })).status).toBe(400);
    expect((await sign({ type: 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });

  it('is there under its deprecated name too (SIGN-11)', async () => {
    const { status, json, headers } = await sign({ path: 'daemon-access/sign', body: { bodySha256, route } });
    expect(status).toBe(200);
    expect(Object.keys(json)).toHaveLength(5);
    expect(headers.get('deprecation')).toBeTruthy();
    expect(headers.get('link')).toContain('rel="successor-version"');
  });
});

describe('daemon access', () => {
  it('answers origin and token to any OAuth token, and is not stored (DAEMON-1, DAEMON-3)', async () => {
    const { credentials } = emulator.target;
    for (const [token, path] of [
      [credentials.oauth_token, 'daemon'],
      [credentials.oauth_interns_only_token, 'daemon'],
      [credentials.oauth_token, 'daemon-access'],
    ] as const) {
      const response = await daemon(token, path);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.has('deprecation')).toBe(path === 'daemon-access');
      expect(await response.json()).toEqual({
        origin: emulator.target.daemon_origin,
        token: expect.stringMatching(/.{20}/),
      });
    }
  });

  it('refuses API keys (AUTH-7)', async () => {
    const { credentials } = emulator.target;
    for (const token of [credentials.api_key, credentials.intern?.api_key]) {
      const response = await daemon(token);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: { metadata: { reason: 'personal_identity_required' } } });
    }
  });

  it('is logged by caller and intern, without the token (DAEMON-2)', async () => {
    const { token } = (await (await daemon(emulator.target.credentials.oauth_token)).json()) as { token: string };
    const reveals = await (await emulator.fetch(`${emulator.target.control_url}/reveals`)).text();
    expect(JSON.parse(reveals)).toMatchObject({
      data: [{ intern_id: intern(), caller: 'user_alice', at: '2026-01-01T00:00:00.000Z' }],
    });
    expect(logged).toContainEqual(
      expect.objectContaining({ event: 'reveal', intern_id: intern(), caller: 'user_alice' }),
    );
    expect(reveals + JSON.stringify(logged)).not.toContain(token);
  });

  it('needs a running intern; a new boot has a new token (DAEMON-1)', async () => {
    const { credentials, base_url } = emulator.target;
    const before = (await (await daemon(credentials.oauth_token)).json()) as { token: string };
    const act = (what: string) =>
      emulator.fetch(`${base_url}/interns/${intern()}/${what}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credentials.api_key}` },
      });
    await act('suspend');
    const refused = await daemon(credentials.oauth_token);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      error: { metadata: { reason: 'intern_not_running', retryable: false } },
    });
    await act('provision');
    await emulator.clock.advance(1_000);
    const after = (await (await daemon(credentials.oauth_token)).json()) as { token: string };
    expect(after.token).not.toBe(before.token);
  });

  it('says when the script makes the daemon unreachable', async () => {
    await emulator.fetch(`${emulator.target.control_url}/interns/${intern()}/script`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'daemon-unreachable' }),
    });
    const refused = await daemon(emulator.target.credentials.oauth_token);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { metadata: { reason: 'intern_unreachable' } } });
  });

  it('is enough to be let in by the daemon, with a proof', async () => {
    const access = (await (await daemon(emulator.target.credentials.oauth_token)).json()) as {
      origin: string;
      token: string;
    };
    const { json } = await sign({ body: { bodySha256, route } });
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
    const signed = Array.from({ length: 20 }, () =>
      sign({ body: { bodySha256, route } }).then(({ json }) => proofs.push(json)),
    );
    expect(await roundsUntil(Promise.all(signed))).toBeGreaterThanOrEqual(20);
    const access = (await (await daemon(emulator.target.credentials.oauth_token)).json()) as Record<string, string>;
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
