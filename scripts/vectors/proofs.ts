import { createHash } from 'node:crypto';
import { createRandom } from '../../emulator/clock/random.js';
import { PROFILES, type Profile, proofHeaders } from '../../emulator/contract/profile.js';
import { DEFECTS } from '../../emulator/daemon/defects.js';
import { createForge } from '../../emulator/daemon/forge.js';
import { createIssued } from '../../emulator/daemon/issued.js';
import { internRow } from '../../emulator/daemon/proofs.harness.js';
import { canonicalise, type ProofFields } from '../../emulator/signing/canonical.js';
import { signingKeyFromSecret } from '../../emulator/signing/keys.js';
import { signBytes } from '../../emulator/signing/sign.js';

/** A request as a verifier receives it. */
export interface VectorRequest {
  intern_id: string;
  method: string;
  path: string;
  body_base64: string;
  /** A list is a header sent several times. */
  headers: Record<string, string | string[]>;
}

export interface AcceptedVector {
  name: string;
  description: string;
  profile: string;
  /** The verifier's time, in Unix seconds. */
  now: number;
  request: VectorRequest;
  fields: ProofFields;
  v1: { canonical_hex: string; signature: string };
  v2: { canonical_hex: string; signature: string } | null;
}

export interface RefusedVector {
  name: string;
  description: string;
  profile: string;
  now: number;
  /** Requests the verifier has accepted before. */
  prior: VectorRequest[];
  request: VectorRequest;
  expected: { reason: string; hint: string | null };
}

export interface ProofVectors {
  format: 'intern-emulator proof vectors';
  version: 1;
  window: number;
  future_tolerance: number;
  keys: { service: { secret_hex: string; public_hex: string; pem: string; jwk: object } };
  profiles: Record<string, { proof_header_prefix: string; proof_layout: Profile['proof_layout'] }>;
  accepted: AcceptedVector[];
  refused: RefusedVector[];
}

const INTERN = '3b241101-e2bb-4255-8caf-4136c566a962';
const OTHER_INTERN = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const NOW = 1_767_225_600;
const SECRET = createHash('sha256').update('intern-emulator test vectors').digest();
const key = signingKeyFromSecret(SECRET);

const LAYOUTS: Record<string, Profile> = {
  ...PROFILES,
  custom: {
    ...PROFILES.svc,
    name: 'custom',
    proof_header_prefix: 'x-custom',
    proof_layout: {
      separator: '|',
      v1: ['user', 'intern_id', 'body_sha256', 'timestamp'],
      v2: ['method', 'path', 'user', 'intern_id', 'body_sha256', 'timestamp', 'nonce'],
    },
  },
};

interface Case {
  name: string;
  description: string;
  profile?: string;
  body?: string | Buffer;
  user?: string;
  /** Seconds that the verifier's clock is ahead of the timestamp. */
  age?: number;
  route?: { method: string; path: string };
}

const route = { method: 'POST', path: '/api/invoke' };
const CASES: readonly Case[] = [
  { name: 'v1', description: 'a v1 proof of an empty body' },
  { name: 'v1_json', description: 'a v1 proof of a JSON body', body: '{"input":"hello"}' },
  { name: 'v2', description: 'a v2 proof of an empty body', route },
  { name: 'v2_json', description: 'a v2 proof of a JSON body', body: '{"input":"hello"}', route },
  { name: 'v2_unicode', description: 'a body in UTF-8', body: '{"input":"grüße 🌍"}', route },
  {
    name: 'v2_binary',
    description: 'a body that is no text',
    body: Buffer.from([0, 255, 254, 13, 10, 0, 192, 128]),
    route,
  },
  { name: 'v2_newline', description: 'a body that ends in a newline, which counts', body: 'hello\n', route },
  { name: 'v2_get', description: 'another method', route: { method: 'GET', path: '/' } },
  {
    name: 'v2_path',
    description: 'a percent-encoded path, signed as it is sent',
    route: { method: 'PUT', path: '/files/a%20b/%C3%A4;v=1/~x' },
  },
  { name: 'v2_user', description: 'a user with every kind of character', user: "auth0|a.b-c_d~e+f@g:h/i'j", route },
  { name: 'v2_oldest', description: 'exactly as old as the window', age: 60, route },
  { name: 'v2_earliest', description: 'exactly as far ahead as is tolerated', age: -5, route },
  {
    name: 'v2_openrouter',
    description: 'under the header names of another profile',
    profile: 'openrouter',
    body: '{}',
    route,
  },
  { name: 'v2_custom', description: 'under another layout: order and separator', profile: 'custom', body: '{}', route },
];

function accepted(vector: Case, nonce: string): AcceptedVector {
  const { name, description, profile = 'svc', body = '', user = 'user_alice', age = 0 } = vector;
  const used = LAYOUTS[profile];
  if (!used) throw new Error(`no profile ${profile}`);
  const bytes = Buffer.from(body);
  const names = proofHeaders(used);
  const fields: ProofFields = {
    intern_id: INTERN,
    timestamp: String(NOW - age),
    user,
    body_sha256: createHash('sha256').update(bytes).digest('hex'),
    ...(vector.route && { nonce, ...vector.route }),
  };
  const signed = (version: 'v1' | 'v2') => {
    const canonical = canonicalise(used.proof_layout, version, fields);
    return { canonical_hex: canonical.toString('hex'), signature: signBytes(key.privateKey, canonical) };
  };
  const v1 = signed('v1');
  const v2 = vector.route ? signed('v2') : null;
  return {
    name,
    description,
    profile,
    now: NOW,
    request: {
      intern_id: INTERN,
      method: vector.route?.method ?? 'POST',
      path: vector.route?.path ?? '/api/invoke',
      body_base64: bytes.toString('base64'),
      headers: {
        [names.signature]: v1.signature,
        [names.timestamp]: fields.timestamp ?? '',
        [names.user]: user,
        ...(v2 && { [names.signatureV2]: v2.signature, [names.nonce]: nonce }),
      },
    },
    fields,
    v1,
    v2,
  };
}

/** The vectors of `fixtures/vectors/proofs.json`. */
export function proofVectors(): ProofVectors {
  const random = createRandom('intern-emulator test vectors');
  const interns = new Map([INTERN, OTHER_INTERN].map((id) => [id, internRow(id)]));
  const forge = createForge({
    clock: { now: () => NOW * 1_000 },
    random,
    profile: PROFILES.svc,
    signingKey: key,
    issued: createIssued(),
    interns,
    subjects: () => ['user_alice', 'user_bob'],
    settings: () => ({ proof_window: 60_000 }),
    // Vectors are verified without delay, exactly at the limits of time.
    delay: 0,
    daemonOrigin: () => '',
  });
  // A verifier of proofs does not see the token.
  const defects = DEFECTS.filter((defect) => defect.reason !== 'token_invalid');
  return {
    format: 'intern-emulator proof vectors',
    version: 1,
    window: 60,
    future_tolerance: 5,
    keys: {
      service: {
        secret_hex: SECRET.toString('hex'),
        public_hex: key.publicKey.raw.toString('hex'),
        pem: key.pem,
        jwk: { ...key.jwk, d: SECRET.toString('base64url') },
      },
    },
    profiles: Object.fromEntries(
      Object.entries(LAYOUTS).map(([name, { proof_header_prefix, proof_layout }]) => [
        name,
        { proof_header_prefix, proof_layout },
      ]),
    ),
    accepted: CASES.map((vector) => accepted(vector, random.bytes(16).toString('base64url'))),
    refused: defects.map(({ name }): RefusedVector => {
      const { description, expected, prior, request } = forge({
        defect: name,
        method: 'POST',
        path: '/api/invoke',
        body: '{"input":"hello"}',
      });
      const strip = ({ method, url, headers, body }: typeof request): VectorRequest => {
        const { authorization: _, ...rest } = headers;
        return {
          intern_id: INTERN,
          method,
          path: url,
          body_base64: Buffer.from(body).toString('base64'),
          headers: rest,
        };
      };
      return {
        name,
        description,
        profile: 'svc',
        now: NOW,
        prior: prior.map(strip),
        request: strip(request),
        expected: { reason: expected.reason ?? '', hint: expected.hint },
      };
    }),
  };
}
