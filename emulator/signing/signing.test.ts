import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalise, type ProofLayout, UnsignableField } from './canonical.js';
import { loadSigningKey, publicJwk, readPrivateKey, readPublicKey, signingKeyFromSecret, UnusableKey } from './keys.js';
import { signBytes } from './sign.js';
import { createSigner } from './signer.js';
import { decodeSignature, importPublicKey } from './verify.js';
import '../../test/same-draws.js';

const LAYOUT: ProofLayout = {
  separator: '\n',
  v1: ['intern_id', 'timestamp', 'user', 'body_sha256'],
  v2: ['intern_id', 'timestamp', 'nonce', 'user', 'method', 'path', 'body_sha256'],
};
const FIELDS = {
  intern_id: 'intern',
  timestamp: '1767225600',
  nonce: 'nonce',
  user: 'alice',
  method: 'POST',
  path: '/api/invoke',
  body_sha256: 'e3b0',
};

describe('canonical bytes', () => {
  it('are the fields of the layout in order, joined, with nothing after the last', () => {
    expect(canonicalise(LAYOUT, 'v1', FIELDS).toString()).toBe('intern\n1767225600\nalice\ne3b0');
    expect(canonicalise(LAYOUT, 'v2', FIELDS).toString()).toBe(
      'intern\n1767225600\nnonce\nalice\nPOST\n/api/invoke\ne3b0',
    );
    const other: ProofLayout = { separator: '|', v1: ['user', 'timestamp'], v2: ['nonce'] };
    expect(canonicalise(other, 'v1', FIELDS).toString()).toBe('alice|1767225600');
  });

  it.each([
    ['a newline', 'a\nb'],
    ['a carriage return', 'a\r'],
    ['a NUL', '\0'],
    ['a delete', 'a\x7f'],
    ['a C1 control', 'a\u0085'],
    ['a lone surrogate', 'a\ud800'],
    ['nothing', ''],
  ])('refuse %s in any field', (_, value) => {
    for (const field of LAYOUT.v2) {
      expect(() => canonicalise(LAYOUT, 'v2', { ...FIELDS, [field]: value })).toThrow(UnsignableField);
    }
  });

  it('refuse a missing field and one with the separator', () => {
    const { nonce: _, ...rest } = FIELDS;
    expect(() => canonicalise(LAYOUT, 'v2', rest)).toThrow('nonce is missing');
    expect(() => canonicalise({ ...LAYOUT, separator: '|' }, 'v1', { ...FIELDS, user: 'a|b' })).toThrow(
      'user holds the separator of the layout',
    );
  });

  it('are never the same for two proofs', () => {
    const field = fc.oneof(fc.string({ minLength: 1, maxLength: 4 }), fc.constantFrom('a', 'b', 'a b', '|', 'ä'));
    const proof = fc.record({ intern_id: field, timestamp: field, user: field, body_sha256: field });
    const layout = { ...LAYOUT, separator: '|' };
    const bytes = (fields: typeof FIELDS | Record<string, string>) => {
      try {
        return canonicalise(layout, 'v1', fields).toString('hex');
      } catch {
        return undefined;
      }
    };
    fc.assert(
      fc.property(proof, proof, (one, two) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(two));
        const first = bytes(one);
        expect(first === undefined || first !== bytes(two)).toBe(true);
      }),
    );
  });
});

describe('keys', () => {
  const secret = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
  // RFC 8032, section 7.1, test 1; the thumbprint is RFC 8037's, appendix A.3.
  it('follow RFC 8032 and RFC 8037', () => {
    const key = signingKeyFromSecret(secret);
    expect(key.publicKey.raw.toString('hex')).toBe('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
    expect(key.jwk.kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect(Buffer.from(signBytes(key.privateKey, Buffer.alloc(0)), 'base64').toString('hex')).toMatch(
      /^e5564300c360ac72/,
    );
  });

  it('come as given, else from the seed, else from the store, else new', () => {
    const given = signingKeyFromSecret(secret).pem;
    const stored = loadSigningKey({}).pem;
    expect(loadSigningKey({ given, seed: 's', stored }).pem).toBe(given);
    expect(loadSigningKey({ seed: 's' }).pem).toBe(loadSigningKey({ seed: 's', stored }).pem);
    expect(loadSigningKey({ seed: 't' }).pem).not.toBe(loadSigningKey({ seed: 's' }).pem);
    expect(loadSigningKey({ stored }).pem).toBe(stored);
    expect(loadSigningKey({}).pem).not.toBe(loadSigningKey({}).pem);
  });

  it('are read as PEM or JWK, private and public', () => {
    const key = signingKeyFromSecret(secret);
    const jwk = { ...key.jwk, d: secret.toString('base64url') };
    expect(readPrivateKey(key.pem).jwk).toEqual(key.jwk);
    expect(readPrivateKey(JSON.stringify(jwk)).pem).toBe(key.pem);
    expect(readPrivateKey(JSON.stringify({ kty: 'OKP', crv: 'Ed25519', d: jwk.d })).pem).toBe(key.pem);
    const publicPem = createPublicKey(key.privateKey).export({ format: 'pem', type: 'spki' }).toString();
    for (const text of [publicPem, key.pem, JSON.stringify(key.jwk), JSON.stringify({ keys: [key.jwk] })]) {
      expect(readPublicKey(text).raw).toEqual(key.publicKey.raw);
    }
  });

  const other = signingKeyFromSecret(Buffer.alloc(32, 1)).jwk;
  const d = secret.toString('base64url');
  it.each([
    ['nonsense', 'neither PEM nor JSON'],
    ['[]', 'no JWK|expected a JWK'],
    [JSON.stringify({ kty: 'EC', crv: 'P-256' }), 'kty "OKP"'],
    [JSON.stringify(other), 'no "d"'],
    [JSON.stringify({ ...other, d: 'AAAA' }), '32 bytes'],
    [JSON.stringify({ ...other, d }), 'do not belong together'],
    [
      generateKeyPairSync('ed448').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      'expected an Ed25519 key, got ed448',
    ],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', 'cannot be read'],
    ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'this one is public'],
  ])('that can not be used are refused with the reason: %#', (text, message) => {
    expect(() => readPrivateKey(text)).toThrow(UnusableKey);
    expect(() => readPrivateKey(text)).toThrow(new RegExp(message));
  });

  it('of small order or not canonical are refused', () => {
    const one = Buffer.alloc(32);
    one[0] = 1;
    const p = Buffer.from('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', 'hex');
    for (const raw of [one, p, Buffer.alloc(32), Buffer.alloc(31), Buffer.alloc(32, 0xff)]) {
      expect(importPublicKey(raw)).toBeUndefined();
      expect(() => readPublicKey(JSON.stringify({ ...publicJwk(raw) }))).toThrow(UnusableKey);
    }
  });
});

describe('signatures', () => {
  const key = loadSigningKey({ seed: 'signatures' });
  const bytes = Buffer.from('bytes');

  const valid = signBytes(key.privateKey, bytes);
  it.each([
    ['without padding', valid.replaceAll('=', '')],
    ['with half the padding', valid.slice(0, -1)],
    ['with more padding', `${valid}=`],
    ['in the URL alphabet', `-_${valid.slice(2)}`],
    ['with a space', ` ${valid}`],
    ['with a newline', `${valid}\n`],
    ['with a newline inside', `${valid.slice(0, 44)}\n${valid.slice(44)}`],
    ['of 63 bytes', Buffer.alloc(63).toString('base64')],
    ['of 65 bytes', Buffer.alloc(65).toString('base64')],
    ['with bits left over', `${valid.slice(0, 85)}B==`],
    ['empty', ''],
  ])('%s are not decoded', (_, text) => {
    expect(decodeSignature(text)).toBeUndefined();
  });

  it('come with users that a header can carry', () => {
    const signer = createSigner(key, LAYOUT);
    const sign = (user: string) => signer.sign({ internId: 'i', timestamp: 1, user, bodySha256: 'x' });
    expect(sign('auth0|a@b')).not.toHaveProperty('nonce');
    for (const user of ['', 'a b', 'a,b', 'ä', 'a\nb', 'a'.repeat(256)])
      expect(() => sign(user)).toThrow(UnsignableField);
  });
});
