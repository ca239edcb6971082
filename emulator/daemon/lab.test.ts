import { describe, expect, it } from 'vitest';
import { Scope } from '../clock/scope.js';
import type { Explanation, ForgedRequest, ForgeList, Forgery } from '../contract/signing-lab.js';
import { createRouter } from '../control/router.js';
import { signingLab } from '../control/signing.js';
import { asResponse } from '../http/response.js';
import { DEFECTS } from './defects.js';
import { createSigningLab } from './lab.js';
import { type Bench, createBench, INTERN, ORIGIN, sha256 } from './proofs.harness.js';

const call = async (bench: Bench, method: string, path: string, body?: unknown) => {
  const scope = new Scope();
  const serve = createRouter(
    signingLab(createSigningLab(bench.lab)),
    () => {},
    () => scope,
  );
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init =
    body === undefined ? { method } : { method, body: text, headers: { 'content-type': 'application/json' } };
  const response = asResponse(await serve(new Request(`http://127.0.0.1:4683${path}`, init)));
  return { status: response.status, json: (await response.json()) as unknown };
};
const explain = async (bench: Bench, body: unknown) =>
  (await call(bench, 'POST', '/_emulator/signing/explain', body)).json as Explanation;
const forge = async (bench: Bench, body: unknown) =>
  (await call(bench, 'POST', '/_emulator/signing/forge', body)).json as Forgery;

const deliver = async (bench: Bench, request: ForgedRequest) => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  const { method, body, url } = request;
  return bench.send({ headers, method, path: url.slice(ORIGIN.length), ...(body !== '' && { body }) });
};

it('GET /_emulator/keys is a JWK set of public keys', async () => {
  const { json } = await call(createBench(), 'GET', '/_emulator/keys');
  expect(json).toEqual({
    keys: [
      {
        kty: 'OKP',
        crv: 'Ed25519',
        x: expect.stringMatching(/^[\w-]{43}$/),
        kid: expect.stringMatching(/^[\w-]{43}$/),
        alg: 'EdDSA',
        use: 'sig',
      },
    ],
  });
});

describe('forge', () => {
  it('lists the defects with what is expected', async () => {
    const { data } = (await call(createBench(), 'GET', '/_emulator/signing/forge')).json as ForgeList;
    expect(data.map((row) => row.defect)).toEqual(DEFECTS.map((row) => row.name));
    expect(new Set(data.map((row) => row.defect)).size).toBe(data.length);
    expect(data.length).toBeGreaterThan(40);
  });

  it.each(DEFECTS.map((row) => [row.name] as const))(
    '%s: the daemon and explain both say so, and the twin passes',
    async (defect) => {
      const bench = createBench();
      const forgery = await forge(bench, { defect });
      expect((await deliver(bench, forgery.twin)).status).toBe(200);
      for (const request of forgery.prior) expect((await deliver(bench, request)).status).toBe(200);
      const { url: path, method, headers, body } = forgery.request;
      const explained = await explain(bench, { headers, method, path, body });
      expect(explained).toMatchObject({
        verdict: 'refused',
        reason: forgery.expected.reason,
        hint: forgery.expected.hint,
      });
      const { status, json } = await deliver(bench, forgery.request);
      expect({ status, reason: json.error?.metadata.reason, hint: json.error?.metadata.hint ?? null }).toEqual(
        forgery.expected,
      );
    },
  );

  it.each(['expired', 'future', 'timestamp_millis'])('%s stays so for a minute until it is sent', async (defect) => {
    const bench = createBench();
    const forgery = await forge(bench, { defect });
    await bench.clock.advance(60_000);
    expect((await deliver(bench, forgery.request)).json.error?.metadata.reason).toBe(forgery.expected.reason);
  });

  it('takes intern, user, method, path and body', async () => {
    const bench = createBench();
    const forgery = await forge(bench, {
      defect: 'expired',
      intern_id: INTERN,
      user: 'somebody',
      method: 'PUT',
      path: '/x',
      body: '',
    });
    const answer = await deliver(bench, forgery.twin);
    expect(answer.json.verified).toMatchObject({
      user: 'somebody',
      method: 'PUT',
      path: '/x',
      body_sha256: sha256(''),
    });
  });

  it.each([
    [{ defect: 'unheard_of' }, /^defect: unknown; known are: expired, /],
    [{ defect: 'expired', intern_id: 'nobody' }, /^intern_id: no running intern/],
    [{}, /^defect: /],
    [{ defect: 'expired', extra: 1 }, /extra/],
    [{ defect: 'expired', method: 'a b' }, /^method: expected a method/],
    [{ defect: 'expired', path: '/x?q=1' }, /^path: expected a percent-encoded path/],
    [{ defect: 'expired', user: 'zo\u00eb' }, /^user: expected 1 to 255 visible ASCII/],
    // These would be right: nothing is wrong with them for this request.
    [{ defect: 'empty_digest', body: '' }, /^defect: with this method and body the proof would be right/],
    [{ defect: 'wrong_digest', body: 'another body' }, /^defect: with this method/],
    [{ defect: 'lowercase_method', method: 'search' }, /^defect: with this method/],
    ['{', /^the body is not JSON/],
  ])('refuses %j', async (body, message) => {
    const { status, json } = await call(createBench(), 'POST', '/_emulator/signing/forge', body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { code: 400, message: expect.stringMatching(message) } });
  });
});

describe('explain', () => {
  const request = { method: 'POST', path: '/api/invoke', body: 'hello' };

  it('tells of a valid proof, and leaves its nonce unused', async () => {
    const bench = createBench();
    const headers = bench.prove({ body: 'hello' });
    const explained = await explain(bench, { ...request, headers });
    expect(explained).toMatchObject({
      verdict: 'accepted',
      reason: null,
      summary: 'A valid v2 proof',
      nonce: { state: 'unused' },
      time: { age: 0, window: 60, future_tolerance: 5 },
      verified: { version: 'v2', intern_id: INTERN, body_sha256: sha256('hello') },
    });
    expect(explained.steps.map((step) => step.result)).toEqual(Array(6).fill('passed'));
    const lines = explained.signatures[1]?.expected?.text.split('\n');
    expect(lines).toEqual([
      INTERN,
      '1767225600',
      headers[bench.names.nonce],
      'user|alice',
      'POST',
      '/api/invoke',
      sha256('hello'),
    ]);
    expect((await bench.send({ headers, body: 'hello' })).status).toBe(200);
    expect(await explain(bench, { ...request, headers })).toMatchObject({
      reason: 'nonce_reused',
      nonce: { state: 'used' },
    });
  });

  it('finds what an issued signature was made over, to the byte', async () => {
    const bench = createBench();
    const headers = bench.prove({ body: 'hullo' });
    const { signatures, hint, steps } = await explain(bench, { ...request, headers });
    expect(hint).toBe('digest_mismatch');
    expect(steps.map((step) => step.result)).toEqual(['passed', 'passed', 'passed', 'passed', 'failed', 'not reached']);
    const [v1] = signatures;
    expect(v1).toMatchObject({
      verifies: false,
      problem: 'it was made for another body_sha256',
      found: { how: 'issued', mistake: null },
    });
    expect(v1?.fields.find((field) => field.name === 'body_sha256')).toEqual({
      name: 'body_sha256',
      from: 'body',
      expected: sha256('hello'),
      signed: sha256('hullo'),
      same: false,
    });
    const start = Buffer.byteLength(`${INTERN}\n1767225600\nuser|alice\n`);
    const [right, wrong] = [Buffer.from(sha256('hello')), Buffer.from(sha256('hullo'))];
    const offset = right.findIndex((byte, index) => byte !== wrong[index]);
    expect(v1?.first_difference).toEqual({
      index: start + offset,
      expected: right.subarray(offset, offset + 1).toString('hex'),
      found: wrong.subarray(offset, offset + 1).toString('hex'),
      field: 'body_sha256',
    });
  });

  it.each(['trailing_newline', 'swapped_fields', 'hashed_first', 'v2_under_v1_name', 'raw_digest'])(
    'names the mistake: %s',
    async (defect) => {
      const bench = createBench();
      const forgery = await forge(bench, { defect });
      const { url: path, ...rest } = forgery.request;
      const { signatures } = await explain(bench, { ...rest, path });
      const bad = signatures.find((signature) => !signature.verifies);
      expect(bad?.found?.mistake).toBeTruthy();
      expect(bad?.problem).toBe(bad?.found?.mistake);
      expect(bad?.first_difference).not.toBeNull();
    },
  );

  it('works from a digest, without a token, at another time, and on a list of headers', async () => {
    const bench = createBench();
    const { authorization: _, ...proof } = bench.prove({ body: 'hello', v2: false });
    const headers = Object.fromEntries(Object.entries(proof).map(([name, value]) => [name, [value]]));
    const given = { intern_id: INTERN, method: 'POST', path: '/', body_sha256: sha256('hello'), headers };
    expect(await explain(bench, given)).toMatchObject({ verdict: 'accepted' });
    expect(await explain(bench, { ...given, at: 1_767_225_660 })).toMatchObject({ verdict: 'accepted' });
    expect(await explain(bench, { ...given, at: 1_767_225_601.19 })).toMatchObject({ time: { age: 1.19 } });
    expect(await explain(bench, { ...given, at: 1_767_225_660.5 })).toMatchObject({
      reason: 'proof_expired',
      time: { age: 60.5 },
    });
    expect(await explain(bench, { ...given, body_sha256: undefined, body_base64: 'aGVsbG8=' })).toMatchObject({
      verdict: 'accepted',
    });
    expect(await explain(bench, { ...given, intern_id: undefined })).toMatchObject({ reason: 'token_invalid' });
  });

  it('refuses what no request can carry', async () => {
    const answer = await call(createBench(), 'POST', '/_emulator/signing/explain', {
      intern_id: INTERN,
      headers: { 'x-a': 'b\r\nx-c: d' },
    });
    expect(answer).toMatchObject({ status: 400, json: { error: { message: expect.stringMatching(/^headers: /) } } });
  });

  it('takes one body, in one form', async () => {
    const answer = await call(createBench(), 'POST', '/_emulator/signing/explain', {
      headers: {},
      body: 'hello',
      body_sha256: sha256('another'),
    });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringMatching(/^body: expected one/) } },
    });
  });
});
