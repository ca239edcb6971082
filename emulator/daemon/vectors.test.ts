import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { type SignatureVector, signatureVectors } from '../../scripts/vectors/ed25519.js';
import { type ProofVectors, proofVectors, type VectorRequest } from '../../scripts/vectors/proofs.js';
import { folderOfTest } from '../../test/folders.js';
import { needs, tool } from '../../test/tools.js';
import { PROFILES } from '../contract/profile.js';
import { canonicalise } from '../signing/canonical.js';
import { readPublicKey } from '../signing/keys.js';
import { importPublicKey, verifyBytes } from '../signing/verify.js';
import { createDaemon } from './daemon.js';
import { createIssued } from './issued.js';
import { internRow } from './proofs.harness.js';
import { createTokens } from './tokens.js';

const load = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/vectors/${name}`, import.meta.url), 'utf8'));
const proofs = load('proofs.json') as ProofVectors;
const { vectors } = load('ed25519.json') as { vectors: SignatureVector[] };

it('the files are what scripts/make-vectors.ts writes', () => {
  expect(proofs).toEqual(JSON.parse(JSON.stringify(proofVectors())));
  expect(vectors).toEqual(signatureVectors());
});

describe('Ed25519 at its edges', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
    const [key, message, signature] = [vector.public_key, vector.message, vector.signature].map((hex) =>
      Buffer.from(hex, 'hex'),
    );
    if (!key || !message || !signature) throw new Error('a part is missing');
    const publicKey = importPublicKey(key);
    expect(publicKey !== undefined && verifyBytes(publicKey, message, signature)).toBe(vector.accept);
  });

  // The version of OpenSSL decides which of them it accepts; tweetnacl is the one in the lock file.
  it('a lenient verifier takes some of what is refused: the strict checks are needed', () => {
    const lenient = vectors.filter((vector) => {
      const [key, message, signature] = [vector.public_key, vector.message, vector.signature].map((hex) =>
        Uint8Array.from(Buffer.from(hex, 'hex')),
      );
      if (key?.length !== 32 || !message || signature?.length !== 64) return false;
      return nacl.sign.detached.verify(message, signature, key) && !vector.accept;
    });
    expect(lenient.map((vector) => vector.name)).toEqual(
      expect.arrayContaining(['small_key_1', 'small_key_and_r_1', 'small_r']),
    );
  });
});

const key = readPublicKey(proofs.keys.service.pem);

const daemonFor = (profileName: string, now: number) => {
  const names = proofs.profiles[profileName];
  if (!names) throw new Error(`no profile ${profileName}`);
  const ids = [...proofs.accepted, ...proofs.refused].map((vector) => vector.request.intern_id);
  const interns = new Map(ids.map((id) => [id, internRow(id)]));
  return createDaemon({
    clock: { now: () => now * 1_000 },
    heavyWork: { next: () => undefined },
    interns,
    findIntern: createTokens(interns, Buffer.alloc(32)),
    profile: { ...PROFILES.svc, ...names },
    publicKey: () => key,
    settings: () => ({ proof_window: proofs.window * 1_000 }),
    issued: createIssued(),
    subjects: () => ['user_alice', 'user_bob'],
    requestId: () => 'request',
  });
};

const toRequest = ({ intern_id, method, path, body_base64, headers }: VectorRequest): Request => {
  const all = new Headers({ authorization: `Bearer token-${intern_id}` });
  for (const [name, value] of Object.entries(headers)) for (const one of [value].flat()) all.append(name, one);
  const body = method === 'GET' ? {} : { body: Buffer.from(body_base64, 'base64') };
  return new Request(`http://127.0.0.1:1${path}`, { method, headers: all, ...body });
};

describe('accepted proofs', () => {
  it.each(proofs.accepted.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    const layout = proofs.profiles[vector.profile]?.proof_layout;
    if (!layout) throw new Error('no layout');
    for (const version of ['v1', 'v2'] as const) {
      const signed = vector[version];
      if (!signed) continue;
      const bytes = Buffer.from(signed.canonical_hex, 'hex');
      const signature = Buffer.from(signed.signature, 'base64');
      expect(canonicalise(layout, version, vector.fields).equals(bytes)).toBe(true);
      expect(verifyBytes(key, bytes, signature)).toBe(true);
      expect(nacl.sign.detached.verify(bytes, signature, Buffer.from(proofs.keys.service.public_hex, 'hex'))).toBe(
        true,
      );
    }
    const response = await daemonFor(vector.profile, vector.now).fetch(toRequest(vector.request));
    expect(response.status).toBe(200);
    const { nonce, ...fields } = vector.fields;
    expect((await response.json()) as unknown).toMatchObject({
      verified: { ...fields, ...(nonce !== undefined && { nonce }) },
    });
  });

  it('verify in OpenSSL’s command line', needs('openssl'), () => {
    const folder = folderOfTest('vectors-');
    writeFileSync(
      join(folder, 'key.pem'),
      createPublicKey(proofs.keys.service.pem).export({ format: 'pem', type: 'spki' }),
    );
    for (const vector of proofs.accepted) {
      const signed = vector.v2 ?? vector.v1;
      writeFileSync(join(folder, 'bytes'), Buffer.from(signed.canonical_hex, 'hex'));
      writeFileSync(join(folder, 'signature'), Buffer.from(signed.signature, 'base64'));
      const args = 'pkeyutl -verify -pubin -inkey key.pem -rawin -in bytes -sigfile signature'.split(' ');
      expect(execFileSync(tool('openssl'), args, { cwd: folder, encoding: 'utf8' })).toContain('Verified Successfully');
    }
  });
});

/**
 * A verifier in a few lines, from the format's page and with tweetnacl only: do the vectors say enough to write one?
 */
function verifyIndependently(request: VectorRequest, now: number, used: Set<string>): string | undefined {
  const header = (name: string) => request.headers[`x-svc-invoke-${name}`];
  const names = ['timestamp', 'user', 'signature'];
  if (header('signature-v2') !== undefined || header('nonce') !== undefined) names.push('signature-v2', 'nonce');
  if (names.some((name) => header(name) === undefined)) return 'proof_missing';
  if (names.some((name) => Array.isArray(header(name)))) return 'proof_malformed';
  const [timestamp = '', user = '', signature = '', signatureV2, nonce] = names.map((name) => String(header(name)));
  const decode = (text: string) => {
    const raw = Buffer.from(text, 'base64');
    return raw.length === 64 && raw.toString('base64') === text ? raw : undefined;
  };
  const signatures = [signature, ...(signatureV2 === undefined ? [] : [signatureV2])].map(decode);
  if (!/^[0-9]{1,15}$/.test(timestamp) || nonce === '' || signatures.includes(undefined)) return 'proof_malformed';
  if (now - Number(timestamp) > proofs.window) return 'proof_expired';
  if (Number(timestamp) - now > proofs.future_tolerance) return 'proof_from_future';
  const digest = createHash('sha256').update(Buffer.from(request.body_base64, 'base64')).digest('hex');
  const lines = [
    [request.intern_id, timestamp, user, digest],
    [request.intern_id, timestamp, nonce, user, request.method, request.path, digest],
  ];
  const order = Buffer.from('1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed', 'hex');
  for (const [index, raw] of signatures.entries()) {
    if (!raw) continue;
    const s = Buffer.from(raw.subarray(32)).reverse();
    const bytes = Buffer.from((lines[index] ?? []).join('\n'));
    if (Buffer.compare(s, order) >= 0) return 'bad_signature';
    if (!nacl.sign.detached.verify(bytes, raw, Buffer.from(proofs.keys.service.public_hex, 'hex')))
      return 'bad_signature';
  }
  if (nonce !== undefined && used.has(nonce)) return 'nonce_reused';
  if (nonce !== undefined) used.add(nonce);
  return undefined;
}

describe('refused proofs', () => {
  it.each(proofs.refused.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    const daemon = daemonFor(vector.profile, vector.now);
    const used = new Set<string>();
    for (const prior of vector.prior) {
      expect((await daemon.fetch(toRequest(prior))).status).toBe(200);
      expect(verifyIndependently(prior, vector.now, used)).toBeUndefined();
    }
    const response = await daemon.fetch(toRequest(vector.request));
    expect(response.status).toBe(401);
    const { error } = (await response.json()) as { error: { metadata: { reason: string } } };
    expect(error.metadata.reason).toBe(vector.expected.reason);
    expect(verifyIndependently(vector.request, vector.now, used)).toBe(vector.expected.reason);
  });
});
