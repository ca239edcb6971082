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
