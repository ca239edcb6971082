import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority } from './authority.js';

const NOW = Date.UTC(2026, 0, 31);

test('a certificate for loopback, signed by an authority that holds for 90 days', () => {
  const { ca, cert, key } = createAuthority(NOW);
  const [root, leaf] = [ca, cert].map((pem) => new X509Certificate(pem));
  if (root === undefined || leaf === undefined) throw new Error('no certificates');
  expect([root.ca, leaf.ca]).toEqual([true, false]);
  expect(leaf.checkIssued(root) && leaf.verify(root.publicKey) && root.verify(root.publicKey)).toBe(true);
  expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(leaf.checkHost('localhost')).toBe('localhost');
  expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(leaf.checkIP('::1')).toBe('::1');
  expect([leaf.validFrom, leaf.validTo].map((at) => Date.parse(at) - NOW)).toEqual([-86_400_000, 90 * 86_400_000]);
  expect(leaf.serialNumber).not.toBe(root.serialNumber);
});

test('a certificate for other hosts and addresses beside', () => {
  const { cert } = createAuthority(NOW, ['interns.test', '192.0.2.7', '2001:db8::7:0:1']);
  const leaf = new X509Certificate(cert);
  const names = ['interns.test', 'localhost', 'other.test'];
  expect(names.map((name) => leaf.checkHost(name) !== undefined)).toEqual([true, true, false]);
  const addresses = ['192.0.2.7', '2001:db8::7:0:1', '192.0.2.8'];
  expect(addresses.map((address) => leaf.checkIP(address) !== undefined)).toEqual([true, true, false]);
});

test('two authorities do not vouch for each other', () => {
  const [one, other] = [createAuthority(NOW), createAuthority(NOW)];
  expect(new X509Certificate(one.cert).verify(new X509Certificate(other.ca).publicKey)).toBe(false);
});
