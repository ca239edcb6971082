import { FUTURE_TOLERANCE_SECONDS } from '../contract/daemon.js';
import type { ProofVersion } from '../signing/canonical.js';
import { type Defect, duplicated, missing, otherValue, rewritten, timed } from './defect.js';
import { MISTAKES } from './mistakes.js';

/** The order of the Ed25519 group: S plus this order gives a second signature that lenient verifiers accept. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

function raiseS(signature: string): string {
  const raw = Buffer.from(signature, 'base64');
  let s = L;
  for (let at = 0; at < 32; at++) s += BigInt(raw[32 + at] ?? 0) << BigInt(8 * at);
  for (let at = 0; at < 32; at++) raw[32 + at] = Number((s >> BigInt(8 * at)) & 255n);
  return raw.toString('base64');
}

/** Every way in which a proof can be wrong that a verifier must detect. */
export const DEFECTS: readonly Defect[] = [
  timed('expired', 'signed one second more than the window ago', 'proof_expired', ({ now, window }) =>
    String(Math.floor(now - window) - 1),
  ),
  timed('future', 'signed more than the tolerance ahead', 'proof_from_future', ({ now, delay }) =>
    String(Math.ceil(now) + delay + FUTURE_TOLERANCE_SECONDS + 1),
  ),
  timed('timestamp_millis', 'the timestamp is in milliseconds, signed as such', 'proof_from_future', ({ now }) =>
    String(Math.floor(now * 1_000)),
  ),
  timed('timestamp_fraction', 'the timestamp has a fraction, signed as such', 'proof_malformed', ({ now }) =>
    Math.floor(now).toFixed(3),
  ),
  timed('timestamp_iso', 'the timestamp is an ISO 8601 date, signed as such', 'proof_malformed', ({ now }) =>
    new Date(now * 1_000).toISOString(),
  ),
  {
    name: 'replayed',
    description: 'a proof that was accepted before, sent again unchanged',
    reason: 'nonce_reused',
    make(shop) {
      const headers = shop.headers(shop.fresh());
      return { headers, prior: [headers] };
    },
  },
  {
    name: 'reused_nonce',
    description: 'a new proof, made a second later, under the nonce of one that was accepted before',
    reason: 'nonce_reused',
    make(shop) {
      const first = shop.fresh();
      const second = shop.fresh({ nonce: first.nonce, timestamp: String(Number(first.timestamp) + 1) });
      return { headers: shop.headers(second), prior: [shop.headers(first)] };
    },
  },
  otherValue('wrong_route', 'signed for another path', 'route_mismatch', (_, { path }) => ({ path: `${path}/other` })),
  otherValue('wrong_method', 'signed for another method', 'route_mismatch', (_, { method }) => ({
    method: method === 'PUT' ? 'PATCH' : 'PUT',
  })),
  otherValue('lowercase_method', 'signed for the method in lower case', 'route_mismatch', (_, { method = '' }) => ({
    method: method.toLowerCase(),
  })),
  otherValue('query_in_path', 'signed for the path with a query', 'route_mismatch', (_, { path }) => ({
    path: `${path}?a=1`,
  })),
  otherValue('wrong_digest', 'signed for another body', 'digest_mismatch', ({ digest }) => ({
    body_sha256: digest('another body'),
  })),
  otherValue('empty_digest', 'signed for an empty body', 'digest_mismatch', ({ digest }) => ({
    body_sha256: digest(''),
  })),
  otherValue('wrong_user', 'signed for another user', 'user_mismatch', ({ otherUser }) => ({ user: otherUser })),
  otherValue('wrong_intern', 'signed for another intern', 'wrong_intern', ({ otherInternId }) => ({
    intern_id: otherInternId,
  })),
  {
    name: 'wrong_timestamp',
    description: 'the timestamp in the header is a second older than the one signed',
    reason: 'bad_signature',
    make(shop) {
      const fields = shop.fresh();
      return {
        headers: { ...shop.headers(fields), [shop.names.timestamp]: String(Number(fields.timestamp) - 1) },
      };
    },
  },
  {
    name: 'wrong_nonce',
    description: 'the nonce in the header is not the one signed',
    reason: 'bad_signature',
    make: (shop) => ({ headers: { ...shop.headers(shop.fresh()), [shop.names.nonce]: shop.fresh().nonce } }),
  },
  {
    name: 'wrong_key',
    description: 'both signatures are made with a key that is not the service’s',
    reason: 'bad_signature',
    make(shop) {
      const fields = shop.fresh();
      return {
        headers: shop.headers(fields, { v1: shop.signForeign('v1', fields), v2: shop.signForeign('v2', fields) }),
      };
    },
  },
  ...MISTAKES.map(
    ({ name, description, bytes }): Defect => ({
      name,
      description,
      reason: 'bad_signature',
      make(shop) {
        const fields = shop.fresh();
        const mistaken = (version: ProofVersion) => shop.signRaw(bytes(shop.layout, version, fields));
        return { headers: shop.headers(fields, { v1: mistaken('v1'), v2: mistaken('v2') }) };
      },
    }),
  ),
  ...[['v2', 'v1'] as const, ['v1', 'v2'] as const].map(
    ([signed, named]): Defect => ({
      name: `${signed}_under_${named}_name`,
      description: `the ${named} header carries the ${signed} signature`,
      reason: 'bad_signature',
      make(shop) {
        const fields = shop.fresh();
        return { headers: shop.headers(fields, { [named]: shop.sign(signed, fields) }) };
      },
    }),
  ),
  {
    name: 'flipped_bit',
    description: 'one bit of the v2 signature is flipped',
    reason: 'bad_signature',
    make(shop) {
      const fields = shop.fresh();
      const raw = Buffer.from(shop.sign('v2', fields), 'base64');
      raw[0] = (raw[0] ?? 0) ^ 1;
      return { headers: shop.headers(fields, { v2: raw.toString('base64') }) };
    },
  },
  {
    name: 'malleable',
    description: 'the group order is added to the S of the v2 signature: lenient verifiers take it for the same',
    reason: 'bad_signature',
    make(shop) {
      const fields = shop.fresh();
      return { headers: shop.headers(fields, { v2: raiseS(shop.sign('v2', fields)) }) };
    },
  },
  rewritten('base64url', 'the v2 signature is in the URL-safe alphabet', (signature) =>
    signature.replaceAll('+', '-').replaceAll('/', '_'),
  ),
  rewritten('unpadded', 'the v2 signature is without padding', (signature) => signature.replace(/=+$/, '')),
  rewritten('hex', 'the v2 signature is in hexadecimal', (signature) =>
    Buffer.from(signature, 'base64').toString('hex'),
  ),
  rewritten('truncated', 'the v2 signature is one byte short', (signature) =>
    Buffer.from(signature, 'base64').subarray(0, 63).toString('base64'),
  ),
  rewritten('overlong', 'the v2 signature is one byte too long', (signature) =>
    Buffer.concat([Buffer.from(signature, 'base64'), Buffer.alloc(1)]).toString('base64'),
  ),
  rewritten('non_canonical_base64', 'the unused bits of the last Base64 character are not zero', (signature) =>
    signature.replace(/[AQgw]==$/, (end) => ({ A: 'B', Q: 'R', g: 'h', w: 'x' })[end[0] ?? '']?.concat('==') ?? end),
  ),
  rewritten('empty_signature', 'the v2 signature is empty', () => ''),
  missing('missing_signature', 'signature'),
  missing('missing_timestamp', 'timestamp'),
  missing('missing_user', 'user'),
  missing('missing_signature_v2', 'signatureV2'),
  missing('missing_nonce', 'nonce'),
  duplicated('duplicate_signature', 'signature'),
  duplicated('duplicate_timestamp', 'timestamp'),
  duplicated('duplicate_user', 'user'),
  duplicated('duplicate_nonce', 'nonce'),
  {
    name: 'empty_nonce',
    description: 'the nonce is empty',
    reason: 'proof_malformed',
    make: (shop) => ({ headers: { ...shop.headers(shop.fresh()), [shop.names.nonce]: '' } }),
  },
  {
    name: 'wrong_token',
    description: 'the daemon token is not one',
    reason: 'token_invalid',
    make: (shop) => ({ headers: shop.headers(shop.fresh()), token: `${shop.fresh().nonce}-no-token` }),
  },
];
