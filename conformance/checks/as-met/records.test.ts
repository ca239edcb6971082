import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { found, met, watchOf } from './met.harness.js';
import { PROOFS_AS_MET } from './proofs.js';
import { RECORDS_AS_MET } from './records.js';

const RECORD = { id: 'own-1', name: 'one', status: 'stopped', description: null, last_failure_message: null };
const seen = (...given: Parameters<typeof met>) => found(watchOf(RECORDS_AS_MET, 'as-met/records'), met(...given));

test('a record is that of its path, with the stated types', () => {
  expect(seen('GET', '/interns/own-1', 200, RECORD)).toEqual([]);
  expect(seen('GET', '/interns/own-1', 200, { id: 'own-1', name: 'one', status: 'mine' })).toEqual([]);
  const of = 'a record of PATCH /interns/{internId}';
  const updated = (more: object) => seen('PATCH', '/interns/own-1', 200, { ...RECORD, ...more });
  expect(updated({ id: 'own-2' })).toEqual([`id of ${of}`]);
  expect(updated({ name: null })).toEqual([`name of ${of}`]);
  expect(updated({ status: 3 })).toEqual([`status of ${of}`]);
  expect(updated({ description: {} })).toEqual([`description of ${of}`]);
  expect(updated({ last_failure_message: 'workspace_archive_failed' })).toEqual([
    `status of ${of} whose archive failed`,
  ]);
});

test('records of others, and answers of other operations, are not judged', () => {
  expect(seen('GET', '/interns', 200, { data: [{ ...RECORD, id: 'stranger', name: 7 }] })).toEqual([]);
  expect(seen('POST', '/interns/own-1/suspend', 200, { suspended: true })).toEqual([]);
  expect(seen('GET', '/interns/own-1', 404, { error: {} })).toEqual([]);
});

test('a vault is that of one intern', () => {
  const record = (id: string, vault_id: unknown) => met('GET', `/interns/${id}`, 200, { ...RECORD, id, vault_id });
  const seenOf = (...all: ReturnType<typeof met>[]) => found(watchOf(RECORDS_AS_MET, 'as-met/vaults'), ...all);
  expect(seenOf(record('own-1', 'a'), record('own-2', 'b'), record('own-1', 'a'))).toEqual([]);
  expect(seenOf(record('own-1', null), record('own-2', null), record('stranger', 'a'), record('own-1', 'a'))).toEqual(
    [],
  );
  expect(seenOf(record('own-1', 'a'), record('own-2', 'a'))).toEqual([
    'vault_id of a record of GET /interns/{internId}',
  ]);
});

test('an accepted invoke has the session_id that was sent', () => {
  const invoked = (json: object, sent?: string) =>
    found(
      watchOf(RECORDS_AS_MET, 'as-met/invokes'),
      met('POST', '/interns/own-1/invoke', 202, json, { json: { input: 'x', session_id: sent } }),
    );
  expect(invoked({ session_id: 'a' })).toEqual([]);
  expect(invoked({})).toEqual(['session_id of an invoke']);
  expect(invoked({ session_id: 'a' }, 'b')).toEqual(['session_id of an invoke in a session']);
});

const PROOF = {
  'x-svc-invoke-signature': `${'A'.repeat(86)}==`,
  'x-svc-invoke-timestamp': '1790000000',
  'x-svc-invoke-user': 'someone',
};
const V2 = { 'x-svc-invoke-signature-v2': `${'A'.repeat(86)}==`, 'x-svc-invoke-nonce': 'n' };

test('a proof has the keys that its request calls for, and is stored nowhere', () => {
  const signed = (json: object, sent: object, headers: Record<string, string> = { 'cache-control': 'no-store' }) =>
    found(
      watchOf(PROOFS_AS_MET, 'as-met/proofs'),
      met('POST', '/interns/own-1/daemon-access/sign', 200, json, { as: 'oauth_token', json: sent, headers }),
    );
  const plain = { bodySha256: 'x' };
  const routed = { ...plain, route: {} };
  const of = 'a proof of POST /interns/{internId}/daemon-access/sign';
  expect([...signed(PROOF, plain), ...signed({ ...PROOF, ...V2 }, routed), ...signed(PROOF, routed)]).toEqual([]);
  expect(signed(PROOF, plain, {})).toEqual([`Cache-Control of ${of}`]);
  expect(signed({ ...PROOF, ...V2 }, plain)).toEqual([`body of ${of}, its keys`]);
  expect(signed({ ...PROOF, 'x-svc-invoke-nonce': 'n' }, routed)).toEqual([`body of ${of}, its keys`]);
});

test('a daemon access is stored nowhere, by the alias too', () => {
  const access = (headers: Record<string, string>) =>
    found(
      watchOf(PROOFS_AS_MET, 'as-met/daemon-access'),
      met('GET', '/interns/own-1/daemon-access', 200, {}, { as: 'oauth_token', headers }),
    );
  expect(access({ 'cache-control': 'private, no-store' })).toEqual([]);
  expect(access({})).toEqual(['Cache-Control of GET /interns/{internId}/daemon-access']);
});

test('the alias carries what the daemon access carries', () => {
  const headers = { 'cache-control': 'no-store' };
  const access = (json: object) =>
    found(
      watchOf(PROOFS_AS_MET, 'as-met/daemon-access'),
      met('GET', '/interns/own-1/daemon', 200, { origin: 'o', token: 't', note: 'n' }, { headers }),
      met('GET', '/interns/own-1/daemon-access', 200, json, { headers }),
    );
  expect(access({ origin: 'o', token: 'u' })).toEqual([]);
  expect(access({ origin: 'o', daemon_token: 't' })).toEqual([
    'what GET /interns/{internId}/daemon-access lacks of the daemon access',
  ]);
});

/** A proof as signing answers it, for a body and perhaps a route, signed over the fields of the profile joined by line feeds. */
function proofFor(user: string, nonce: string, { path = '/api', over }: { path?: string; over?: string } = {}) {
  const [timestamp, digest] = ['1790000000', 'ab'.repeat(32)];
  const signed = (...fields: string[]) =>
    sign(null, Buffer.from(fields.join('\n')), KEYS.privateKey).toString('base64');
  const json = {
    'x-svc-invoke-signature': signed('own-1', timestamp, user, digest),
    'x-svc-invoke-timestamp': timestamp,
    'x-svc-invoke-user': user,
    'x-svc-invoke-signature-v2': signed('own-1', timestamp, nonce, user, 'POST', over ?? path, digest),
    'x-svc-invoke-nonce': nonce,
  };
  const sent = { bodySha256: digest, route: { method: 'POST', path } };
  return met('POST', '/interns/own-1/daemon/sign', 200, json, { as: 'oauth_token', json: sent });
}
const KEYS = generateKeyPairSync('ed25519');
const PUBLIC = KEYS.publicKey.export({ format: 'jwk' }) as { kty: string; crv: string; x: string };

test('a signature verifies where another of its kind did', () => {
  const verified = (...all: Parameters<typeof proofFor>[]) =>
    found(watchOf(PROOFS_AS_MET, 'as-met/signatures', { publicKeys: [PUBLIC] }), ...all.map((one) => proofFor(...one)));
  expect(verified(['a', 'n1'], ['a', 'n2', { path: '/b' }])).toEqual([]);
  expect(verified(['a', 'n1'], ['a', 'n2', { path: '/B', over: '/b' }])).toEqual(['v2 signature of a proof']);
  const { answer, ...asked } = proofFor('a', 'n3');
  const { 'x-svc-invoke-signature-v2': _, 'x-svc-invoke-nonce': __, ...v1 } = answer.json as Record<string, string>;
  const unrouted = { ...asked, answer: { ...answer, json: v1 } };
  expect(found(watchOf(PROOFS_AS_MET, 'as-met/signatures', { publicKeys: [PUBLIC] }), unrouted)).toEqual([]);
  // Its fields may be joined otherwise.
  expect(verified(['a', 'n2', { path: '/B', over: '/b' }])).toEqual([]);
});

test('nonces never come again, and who sends is one person', () => {
  const [one, again, another] = [proofFor('a', 'n1'), proofFor('a', 'n1'), proofFor('b', 'n2')];
  expect(found(watchOf(PROOFS_AS_MET, 'as-met/nonces'), one, another)).toEqual([]);
  expect(found(watchOf(PROOFS_AS_MET, 'as-met/nonces'), one, again)).toEqual(['nonce of a proof']);
  expect(found(watchOf(PROOFS_AS_MET, 'as-met/signers'), one, again)).toEqual([]);
  expect(found(watchOf(PROOFS_AS_MET, 'as-met/signers'), one, another)).toEqual(['user in a proof for oauth_token']);
});

test('where and when an intern was made stays, and its vault', () => {
  const row = (more: object) => met('GET', '/interns/own-1', 200, { id: 'own-1', ...more });
  const seen = (id: string, ...all: object[]) => found(watchOf(RECORDS_AS_MET, `as-met/${id}`), ...all.map(row));
  const made = { workspace_id: 'w', created_at: '2026-01-01T00:00:00.000Z', vault_id: null };
  expect(seen('fixed', made, { ...made, status: 'running' }, {})).toEqual([]);
  expect(seen('fixed', made, { ...made, created_at: '2026-01-01T00:00:00.001Z' })).toEqual([
    'created_at of a record of GET /interns/{internId}',
  ]);
  const create = met('POST', '/interns', 201, { id: 'own-1', ...made }, { json: { workspace_id: 'other' } });
  expect(found(watchOf(RECORDS_AS_MET, 'as-met/fixed'), create)).toEqual(['workspace_id of a record of POST /interns']);
  expect(seen('vaults', made, { ...made, vault_id: 'v' })).toEqual([]);
  expect(seen('vaults', { vault_id: 'v' }, { vault_id: 'u' })).toHaveLength(1);
});

test('no answer of the lifecycle has a field that holds something secret', () => {
  const seen = (...given: Parameters<typeof met>) => found(watchOf(RECORDS_AS_MET, 'as-met/secrets'), met(...given));
  expect(seen('POST', '/interns/own-1/suspend', 200, { suspended: true, secret_count: 2 })).toEqual([]);
  expect(seen('GET', '/interns/own-1/daemon', 200, { token: 'it' })).toEqual([]);
  expect(seen('DELETE', '/interns/own-1', 202, { deleting: true, api_key: 'key' })).toEqual([
    'fields that hold something secret in an answer of DELETE /interns/{internId}',
  ]);
});
