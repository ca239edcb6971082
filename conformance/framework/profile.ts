import type { Profile, ProofField, ProofHeaders } from '../../emulator/contract/profile.js';
import openrouter from '../../fixtures/profiles/openrouter.json' with { type: 'json' };
import svc from '../../fixtures/profiles/svc.json' with { type: 'json' };
import { UsageError } from './usage.js';

const FIELDS = [
  'intern_id',
  'timestamp',
  'nonce',
  'user',
  'method',
  'path',
  'body_sha256',
] as const satisfies readonly ProofField[];

/** Reads a profile, the kit's own way. Throws a line that says which key is wrong and what was expected there. */
export function readProfile(value: unknown, from: string): Profile {
  const wrong = (key: string, expected: string): never => {
    throw new Error(`${from}: ${key}: expected ${expected}`);
  };
  if (typeof value !== 'object' || value === null) return wrong('profile', 'a JSON object');
  const row = value as Record<string, unknown>;
  const text = (key: string) => (typeof row[key] === 'string' && row[key] !== '' ? row[key] : wrong(key, 'a string'));
  const texts = (list: unknown, key: string) =>
    Array.isArray(list) && list.length > 0 && list.every((entry) => typeof entry === 'string')
      ? (list as string[])
      : wrong(key, 'a list of strings');
  const fields = (list: unknown, key: string) =>
    texts(list, key).map(
      (entry) => FIELDS.find((field) => field === entry) ?? wrong(key, `fields out of ${FIELDS.join(', ')}`),
    );
  if (typeof row.published !== 'boolean') wrong('published', 'true or false');
  const key =
    row.idempotency_header === undefined ? {} : { idempotency_header: text('idempotency_header').toLowerCase() };
  const layout = (row.proof_layout ?? {}) as Record<string, unknown>;
  return {
    name: text('name'),
    published: row.published === true,
    tool_name: text('tool_name'),
    proof_header_prefix: text('proof_header_prefix').toLowerCase(),
    ...key,
    ...(row.default_workspace === true ? { default_workspace: true } : {}),
    model_placeholder: text('model_placeholder'),
    route_methods: texts(row.route_methods, 'route_methods'),
    proof_layout: {
      separator: typeof layout.separator === 'string' ? layout.separator : wrong('proof_layout.separator', 'a string'),
      v1: fields(layout.v1, 'proof_layout.v1'),
      v2: fields(layout.v2, 'proof_layout.v2'),
    },
  };
}

/** The profiles that ship with the package. */
export const SHIPPED: Readonly<Record<string, Profile>> = {
  svc: readProfile(svc, 'profile svc'),
  openrouter: readProfile(openrouter, 'profile openrouter'),
};

/** A profile, or the one that ships under a name. @throws UsageError in one line for an unknown name */
export function profileBy(given: Profile | string = 'svc'): Profile {
  const found = typeof given === 'string' ? SHIPPED[given] : given;
  if (found !== undefined) return found;
  throw new UsageError(`profile: expected ${Object.keys(SHIPPED).join(' or ')}, got ${JSON.stringify(given)}`);
}

/** How a create names its idempotency key where a profile says nothing of it: the published name (CREATE-4). */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/** The name of the header that carries an idempotency key. */
export const idempotencyHeaderOf = (profile: Profile): string => profile.idempotency_header ?? IDEMPOTENCY_HEADER;

/** Names of the headers that carry a proof. */
export function proofHeadersOf(profile: Profile): ProofHeaders {
  const prefix = profile.proof_header_prefix;
  return {
    signature: `${prefix}-signature`,
    timestamp: `${prefix}-timestamp`,
    user: `${prefix}-user`,
    signatureV2: `${prefix}-signature-v2`,
    nonce: `${prefix}-nonce`,
  };
}
